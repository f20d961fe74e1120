// SPDX-License-Identifier: Apache-2.0
// Finds the results of entropy_map that are NaN. Only images with a NaN need it. It reads their pixels again,
// first down the columns, then along the rows.
#include "kernels/entropy_map/cuda/entropy_map.cuh"

#include "kernels/execution/cuda/kernel_list.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kMaxGridY = 65535;

// One bit for each row of results and each image column that the windows of a piece touch.
struct NanColumns {
    std::uint32_t* bits;       // [rows, words]
    std::uint64_t first, end;  // columns of the image
    std::uint64_t words;       // of a row
};

NanColumns nan_columns_of(const EntropyMapImage& image, const EntropyWindow& window,
                          const EntropyPiece& piece, std::uint32_t* bits) {
    const std::uint64_t half = window.cols / 2;
    NanColumns columns;
    columns.bits = bits;
    columns.first = piece.col_begin > half ? piece.col_begin - half : 0;
    columns.end = piece.col_end + half < image.cols ? piece.col_end + half : image.cols;
    columns.words = ceil_divide(columns.end - columns.first, kWarpLanes);
    return columns;
}

// entropy_nan_columns: which columns have a NaN in the rows of a window.
// in:    x of the image
// out:   columns.bits, a bit for each column that windows of the piece touch, for each row of the piece
// grid:  x over the columns, y over strips of rows          block: kThreads
// shared: none                                  result valid in: columns.bits, after the launch
// moves: reads the pixels twice                 order: any
// why:   mirrored pixels lie in every window that contains their mirror images, so the border does not matter
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kThreads)
    entropy_nan_columns(EntropyMapImage image, EntropyPiece piece, NanColumns columns, unsigned window_rows,
                        std::uint64_t strip_rows) {
    const std::uint64_t col = columns.first + std::uint64_t{block_x()} * block_threads() + thread_index();
    const bool inside = col < columns.end;
    const T* const pixels = static_cast<const T*>(image.x) + (inside ? col : columns.first);
    const std::uint64_t half = window_rows / 2;
    const std::uint64_t begin = piece.row_begin + block_y() * strip_rows;
    const std::uint64_t end = begin + strip_rows < piece.row_end ? begin + strip_rows : piece.row_end;
    const std::uint64_t word = (col - columns.first) / kWarpLanes;
    std::uint64_t bottom = begin > half ? begin - half : 0;  // rows up to here are counted
    int nans = 0;
    for (std::uint64_t row = begin; row < end; ++row) {
        const std::uint64_t below = row + half + 1 < image.rows ? row + half + 1 : image.rows;
        for (; bottom < below; ++bottom) nans += inside && is_nan(pixels[bottom * image.row_stride]) ? 1 : 0;
        const std::uint32_t seen = warp_ballot(nans > 0);
        if (lane_index() == 0 && word < columns.words)
            columns.bits[(row - piece.row_begin) * columns.words + word] = seen;
        if (row >= half) nans -= inside && is_nan(pixels[(row - half) * image.row_stride]) ? 1 : 0;
    }
}

// entropy_nan_results: results whose window's columns hold a NaN.
// in:    columns.bits                           out: map of the piece, where it becomes NaN
// grid:  x over the columns of the piece, y strides over its rows        block: kThreads
// shared: none                                  result valid in: map, after the launch
// moves: reads a few bits a result              order: any
// why:   a window of 63 columns lies in three words of bits
TEGU_KERNEL TEGU_BOUNDS(kThreads)
    entropy_nan_results(EntropyMapImage image, EntropyPiece piece, NanColumns columns, unsigned window_cols) {
    const std::uint64_t col = piece.col_begin + std::uint64_t{block_x()} * block_threads() + thread_index();
    if (col >= piece.col_end) return;
    const std::uint64_t half = window_cols / 2;
    const std::uint64_t begin = (col > half ? col - half : 0) - columns.first;
    const std::uint64_t end = (col + half + 1 < image.cols ? col + half + 1 : image.cols) - columns.first;
    for (std::uint64_t row = piece.row_begin + block_y(); row < piece.row_end; row += grid_y()) {
        const std::uint32_t* const bits = columns.bits + (row - piece.row_begin) * columns.words;
        std::uint32_t seen = 0;
        for (std::uint64_t word = begin / kWarpLanes; word * kWarpLanes < end; ++word) {
            std::uint32_t mask = kAllLanes;
            if (word == begin / kWarpLanes) mask &= kAllLanes << begin % kWarpLanes;
            if ((word + 1) * kWarpLanes > end) mask &= (1u << end % kWarpLanes) - 1u;
            seen |= bits[word] & mask;
        }
        if (seen != 0) image.map[row * image.cols + col] = bit_cast<float>(kFloatNan);
    }
}

constexpr KernelTable<decltype(&entropy_nan_columns<float>), kFloatTypes> kEntropyNanColumns = {
    "entropy_nan_columns", "reads n elements, writes 1 bit a pixel", {TEGU_BY_FLOAT(entropy_nan_columns)}};
constexpr KernelTable<decltype(&entropy_nan_results), 1> kEntropyNanResults = {
    "entropy_nan_results",
    "reads 1 bit a pixel, writes 4 B a pixel that sees a NaN",
    {{entropy_nan_results}}};

}  // namespace

std::size_t entropy_nan_bytes(const EntropyWindow& window, const EntropyPiece& piece) {
    const std::uint64_t words = ceil_divide(piece.col_end - piece.col_begin + window.cols - 1, kWarpLanes);
    return static_cast<std::size_t>(words * (piece.row_end - piece.row_begin) * 4);
}

LaunchStatus launch_entropy_nans(const EntropyMapJob& job, const EntropyPiece& piece, std::uint32_t* bits,
                                 const EntropyMapConfig& config) {
    const NanColumns columns = nan_columns_of(job.image, job.window, piece, bits);
    const std::uint64_t rows = piece.row_end - piece.row_begin;
    const auto blocks_of = [](std::uint64_t cols) {
        return static_cast<unsigned>(ceil_divide(cols, kThreads));
    };
    const unsigned across = blocks_of(columns.end - columns.first);
    const std::uint64_t wanted = ceil_divide(std::uint64_t{8} * config.limits.multiprocessors, across);
    std::uint64_t strip = ceil_divide(rows, wanted < kMaxGridY ? wanted : kMaxGridY);
    if (strip < 64) strip = 64;
    const LaunchShape by_columns{across, static_cast<unsigned>(ceil_divide(rows, strip)), kThreads, 0};
    const LaunchStatus done = launch(kEntropyNanColumns[float_index(job.image.type)], by_columns,
                                     config.stream, job.image, piece, columns, job.window.rows, strip);
    if (done != 0) return done;
    const LaunchShape by_results{blocks_of(piece.col_end - piece.col_begin),
                                 static_cast<unsigned>(rows < kMaxGridY ? rows : kMaxGridY), kThreads, 0};
    return launch(kEntropyNanResults[0], by_results, config.stream, job.image, piece, columns,
                  job.window.cols);
}

void list_entropy_map_nans_kernels(KernelLister& to) {
    const BlockSize block{kThreads, 0};
    to.add(1, listed(kEntropyNanColumns, block), listed(kEntropyNanResults, block));
}

}  // namespace cuda
}  // namespace tegu
