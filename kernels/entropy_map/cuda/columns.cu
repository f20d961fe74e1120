// SPDX-License-Identifier: Apache-2.0
#include "kernels/entropy_map/cuda/columns.cuh"

#include "kernels/execution/cuda/kernel_list.h"

namespace tegu {
namespace cuda {
namespace {

ColumnsLayout layout_of(const EntropyWindow& window, unsigned stretch, unsigned threads) {
    const unsigned quads = quads_of(window.levels), groups = threads / kColumnsLanes,
                   columns = groups * stretch;
    const bool several = quads > kColumnsLanes;
    ColumnsLayout at;
    unsigned end = (window.rows * window.cols + 4) / 4 * 16;
    const auto take = [&end](unsigned bytes) {
        const unsigned begin = end;
        end += (bytes + 15) / 16 * 16;
        return begin;
    };
    at.words = (columns + window.cols + 6) / 4;
    at.ring = (window.rows + 2 * kBlockRows - 2) / kBlockRows;
    at.starts = take(groups * quads * 8);
    at.changes = take(columns * (quads + 1) * 4);
    at.rows = take(4 * at.words * 4);
    at.masks = take(several ? groups * at.ring * 8 : 0);
    at.lists = take(several ? groups * quads : 0);
    at.partial = take(several ? columns * 4 : 0);
    at.bytes = end;
    return at;
}

// entropy_map_columns: windows that slide to the right, one for each group of lanes.
// in:    plane, tables                          out: map of the piece
// grid:  x = columns / (stretch * groups of a block), y = strips            block: shape.threads, up to 192
// shared: ColumnsLayout                         result valid in: map, after the launch
// moves: reads the plane from the caches twice, writes 4 B a result      order: any
// why:   a step costs each lane one word of changes and four lookups, for any window size; quads without
//        pixels cost nothing
template <unsigned Q>
TEGU_KERNEL TEGU_BOUNDS(kColumnsThreads) entropy_map_columns(ColumnsArrays arrays) {
    TEGU_DYNAMIC_SHARED(shared);
    ColumnsStrip<Q> strip(arrays, shared);
    const EntropyPlane& plane = arrays.plane;
    const unsigned window_rows = arrays.window.rows;
    const std::uint32_t begin = block_y() * arrays.strip_rows;
    const std::uint32_t end =
        begin + arrays.strip_rows < arrays.rows ? begin + arrays.strip_rows : arrays.rows;
    const std::uint32_t past = end + window_rows - 1;
    const auto existing = [&](std::uint32_t row) -> const std::uint8_t* {
        return row >= plane.row_begin && row < plane.row_end ? plane.levels + std::size_t{row} * plane.pitch
                                                             : nullptr;
    };
    // Row `row` of the plane enters; the rows before `begin` were never in.
    const auto rows_of = [&](std::uint32_t row) {
        return row < past ? ColumnsRows{existing(row),
                                        row >= begin + window_rows ? existing(row - window_rows) : nullptr}
                          : ColumnsRows{nullptr, nullptr};
    };
    ColumnsRows rows = rows_of(begin);
    strip.load(rows);
    block_barrier();
    strip.keep(0);
    block_barrier();
    unsigned turn = 0;
    for (std::uint32_t row = begin; row < past; ++row) {
        const ColumnsRows next = rows_of(row + 1);
        strip.load(next);
        strip.ahead(rows_of(row + kAhead).enters);
        strip.change_rows(turn, row, rows);
        block_barrier();
        if (row + 1 >= begin + window_rows) {
            const std::uint32_t result = row + 1 - window_rows;
            const std::uint32_t top = result > plane.row_begin ? result : plane.row_begin,
                                bottom = row < plane.row_end ? row + 1 : plane.row_end;
            strip.find_row(result, bottom - top);
        }
        turn ^= 1u;
        strip.keep(turn);
        rows = next;
        block_barrier();
    }
}

constexpr KernelTable<void (*)(ColumnsArrays), 4> kEntropyMapColumns = {
    "entropy_map_columns",
    "reads 2 levels of 1 B and writes 4 B a pixel; 31 x 31 pixels",
    {numbered(entropy_map_columns<16>, nullptr, 64u), numbered(entropy_map_columns<32>, nullptr, 128u),
     numbered(entropy_map_columns<48>, nullptr, 192u), numbered(entropy_map_columns<64>, nullptr, 256u)}};

}  // namespace

std::size_t entropy_columns_bytes(const EntropyWindow& window, unsigned stretch, unsigned threads) {
    return layout_of(window, stretch, threads).bytes;
}

unsigned entropy_columns_stretch(const EntropyWindow& window, unsigned threads, std::size_t shared_bytes) {
    unsigned stretch = 0;
    while (stretch < kMaxStretch &&
           entropy_columns_bytes(window, stretch + kColumnsStep, threads) <= shared_bytes)
        stretch += kColumnsStep;
    return stretch;
}

LaunchStatus launch_entropy_columns(const EntropyMapJob& job, const EntropyPiece& piece,
                                    const EntropyPlane& plane, Stream stream) {
    ColumnsArrays arrays;
    static_cast<PlaneArrays&>(arrays) = plane_arrays(job, piece, plane);
    arrays.stretch = job.shape.columns;
    arrays.at = layout_of(job.window, job.shape.columns, job.shape.threads);
    const std::uint32_t block = job.shape.threads / kColumnsLanes * job.shape.columns;
    const LaunchShape grid{(arrays.cols + block - 1) / block,
                           (arrays.rows + arrays.strip_rows - 1) / arrays.strip_rows, job.shape.threads,
                           arrays.at.bytes};
    return launch(kEntropyMapColumns[quads_of(job.window.levels) / 16 - 1], grid, stream, arrays);
}

void list_entropy_map_columns_kernels(KernelLister& to) {
    const unsigned threads = kColumnsThreads;
    to.add(1, listed(kEntropyMapColumns, [&](unsigned index) {
               const EntropyWindow window{31, 31, kEntropyMapColumns.variants[index].numbers[0], false};
               const unsigned stretch =
                   entropy_columns_stretch(window, threads, to.limits().shared_bytes_per_block);
               return BlockSize{threads, entropy_columns_bytes(window, stretch, threads)};
           }));
}

}  // namespace cuda
}  // namespace tegu
