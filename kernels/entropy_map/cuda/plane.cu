// SPDX-License-Identifier: Apache-2.0
#include "kernels/entropy_map/cuda/plane.h"

#include "kernels/entropy_map/cuda/entropy_map.cuh"
#include "kernels/execution/cuda/kernel_list.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWords = 2;  // of a thread

// entropy_map_levels: the pixels of a piece and its surroundings as levels.
// in:    x of the image
// out:   plane.levels [rows, pitch] u8; 0 outside the image if the border is clip; nan_seen
// grid:  x strides over words of four levels    block: kThreads
// shared: none                                  result valid in: the plane, after the launch
// moves: reads the pixels once, writes a byte for each      order: any
// why:   windows share pixels: each pixel is converted once and then read as a byte
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kThreads) entropy_map_levels(EntropyMapImage image, EntropyPlane plane, bool mirror) {
    const std::uint32_t words_across = plane.pitch / 4, words = words_across * plane.rows;
    const std::uint32_t step = grid_x() * block_threads();
    const auto image_rows = static_cast<std::int64_t>(image.rows),
               image_cols = static_cast<std::int64_t>(image.cols);
    bool any_nan = false;
    for (std::uint32_t word = block_x() * block_threads() + thread_index(); word < words; word += step) {
        const std::int64_t row = plane.top + word / words_across;
        const std::int64_t left = plane.left + word % words_across * 4;
        std::uint32_t levels = 0;
        if (mirror || (row >= 0 && row < image_rows)) {
            const T* const pixels = static_cast<const T*>(image.x) +
                                    static_cast<std::uint64_t>(mirrored(row, image_rows)) * image.row_stride;
            TEGU_UNROLL
            for (unsigned i = 0; i < 4; ++i) {
                const std::int64_t col = left + i;
                if (col >= plane.left + plane.cols || (!mirror && (col < 0 || col >= image_cols))) continue;
                bool nan = false;
                levels |= level_of(pixels[mirrored(col, image_cols)], image.rule, &nan) << (8 * i);
                any_nan |= nan;
            }
        }
        reinterpret_cast<std::uint32_t*>(plane.levels)[word] = levels;
    }
    if (Leveled<T>::kFloat && warp_any(any_nan) && lane_index() == 0) atomic_or(image.nan_seen, 1u);
}

constexpr KernelTable<decltype(&entropy_map_levels<float>), kElementTypes> kEntropyMapLevels = {
    "entropy_map_levels",
    "reads n elements, writes 1 B a pixel",
    {TEGU_BY_INTEGER(entropy_map_levels), TEGU_BY_FLOAT(entropy_map_levels)}};

}  // namespace

EntropyPlane entropy_plane(const EntropyMapImage& image, const EntropyWindow& window,
                           const EntropyPiece& piece, std::uint8_t* levels) {
    const std::uint64_t cols = piece.col_end - piece.col_begin;
    EntropyPlane plane;
    plane.levels = levels;
    plane.pitch = static_cast<std::uint32_t>(plane_pitch(cols, window));
    plane.rows = static_cast<std::uint32_t>(piece.row_end - piece.row_begin + window.rows - 1);
    plane.cols = static_cast<std::uint32_t>(plane_left(window) + cols + window.cols / 2);
    plane.top = static_cast<std::int64_t>(piece.row_begin) - window.rows / 2;
    plane.left = static_cast<std::int64_t>(piece.col_begin) - plane_left(window);
    const auto begin_of = [&](std::int64_t begin) {
        return window.mirror || begin > 0 ? 0 : static_cast<std::uint32_t>(-begin);
    };
    const auto end_of = [&](std::int64_t begin, std::uint32_t extent, std::uint64_t n) {
        const std::int64_t end = static_cast<std::int64_t>(n) - begin;
        return window.mirror || end > extent ? extent : static_cast<std::uint32_t>(end);
    };
    plane.row_begin = begin_of(plane.top);
    plane.row_end = end_of(plane.top, plane.rows, image.rows);
    plane.col_begin = begin_of(plane.left);
    plane.col_end = end_of(plane.left, plane.cols, image.cols);
    return plane;
}

PlaneArrays plane_arrays(const EntropyMapJob& job, const EntropyPiece& piece, const EntropyPlane& plane) {
    PlaneArrays arrays;
    arrays.plane = plane;
    arrays.window = job.window;
    arrays.tables = job.tables;
    arrays.first_col = plane_left(job.window) - job.window.cols / 2;
    arrays.rows = static_cast<std::uint32_t>(piece.row_end - piece.row_begin);
    arrays.cols = static_cast<std::uint32_t>(piece.col_end - piece.col_begin);
    arrays.strip_rows = job.shape.strip_rows;
    arrays.map = job.image.map + piece.row_begin * job.image.cols + piece.col_begin;
    arrays.map_cols = job.image.cols;
    return arrays;
}

LaunchStatus launch_entropy_plane(const EntropyMapImage& image, const EntropyPlane& plane, bool mirror,
                                  Stream stream) {
    const std::uint64_t words = std::uint64_t{plane.pitch / 4} * plane.rows;
    const std::uint64_t blocks = (words + kWords * kThreads - 1) / (kWords * kThreads);
    return launch(kEntropyMapLevels[element_index(image.type)],
                  LaunchShape{static_cast<unsigned>(blocks), 1, kThreads, 0}, stream, image, plane, mirror);
}

void list_entropy_map_plane_kernels(KernelLister& to) {
    to.add(1, listed(kEntropyMapLevels, BlockSize{kThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
