// SPDX-License-Identifier: Apache-2.0
#include "kernels/entropy_map/cuda/columns.cuh"

#include "kernels/execution/cuda/kernel_list.h"

namespace tegu {
namespace cuda {
namespace {

// 4, 8, 16, 32, 48 or 64.
unsigned quads_of(unsigned levels) {
    return levels <= 16 ? 4 : levels <= 32 ? 8 : (levels + 63) / 64 * 16;
}

// entropy_map_columns: windows that slide from the middle of a warp's results, one for each group of lanes.
// in:    plane, tables                          out: map of the piece
// grid:  x = warps of all strips / warps of a block            block: shape.threads
// shared: F[n] [n_max + 1] u32, ColumnsWarp of each warp       result valid in: map, after the launch
// moves: reads the plane from the caches twice, writes 4 B a result      order: any
// why:   a window costs each lane one word of changes and four lookups, for any window size; quads without
//        pixels cost nothing; no warp waits for another
template <unsigned Q>
TEGU_KERNEL TEGU_BOUNDS2(ColumnsWarp<Q>::kThreads,
                         kColumnsResident / ColumnsWarp<Q>::kThreads / kBlocksForRegisters)
    entropy_map_columns(ColumnsArrays arrays) {
    TEGU_DYNAMIC_SHARED(shared);
    for (unsigned n = thread_index(); n <= arrays.window.rows * arrays.window.cols; n += block_threads())
        reinterpret_cast<std::uint32_t*>(shared)[n] = arrays.tables.entries[n];
    block_barrier();
    const std::uint32_t warp = block_x() * block_warps() + warp_index();
    if (warp >= arrays.warps) return;
    ColumnsStrip<Q> strip(arrays, shared, warp % arrays.across * ColumnsWarp<Q>::kAcross);
    warp_barrier();

    const EntropyPlane& plane = arrays.plane;
    const unsigned window_rows = arrays.window.rows;
    const std::uint32_t begin = warp / arrays.across * arrays.strip_rows;
    const std::uint32_t end =
        begin + arrays.strip_rows < arrays.rows ? begin + arrays.strip_rows : arrays.rows;
    const std::uint32_t past = end + window_rows - 1;
    const auto exists = [&](std::uint32_t row) { return row >= plane.row_begin && row < plane.row_end; };
    // Row `row` of the plane enters; the rows before `begin` were never in.
    const auto rows_of = [&](std::uint32_t row) {
        const bool was_in = row >= begin + window_rows;
        const std::uint32_t out = was_in ? row - window_rows : begin;
        return ColumnsRows{plane.levels + std::size_t{row} * plane.pitch,
                           plane.levels + std::size_t{out} * plane.pitch, exists(row), was_in && exists(out)};
    };
    ColumnsRows rows = rows_of(begin);
    strip.load(0, rows);
    for (std::uint32_t row = begin; row < past; ++row) {
        strip.begin_row(row);
        TEGU_UNROLL
        for (unsigned pair = 0; pair + 1 < ColumnsWarp<Q>::kPairs; ++pair) {
            strip.change(pair, rows);
            strip.load(pair + 1, rows);
        }
        strip.change(ColumnsWarp<Q>::kPairs - 1, rows);
        if (row + 1 < past) {
            rows = rows_of(row + 1);
            strip.load(0, rows);
        }
        warp_barrier();
        if (row + 1 >= begin + window_rows) {
            const std::uint32_t result = row + 1 - window_rows;
            const std::uint32_t top = result > plane.row_begin ? result : plane.row_begin,
                                bottom = row < plane.row_end ? row + 1 : plane.row_end;
            strip.find_row(result, bottom - top);
        }
        warp_barrier();
    }
}

constexpr KernelTable<void (*)(ColumnsArrays), 6> kEntropyMapColumns = {
    "entropy_map_columns",
    "reads 2 levels of 1 B and writes 4 B a pixel; 31 x 31 pixels",
    {numbered(entropy_map_columns<4>, nullptr, 16u), numbered(entropy_map_columns<8>, nullptr, 32u),
     numbered(entropy_map_columns<16>, nullptr, 64u), numbered(entropy_map_columns<32>, nullptr, 128u),
     numbered(entropy_map_columns<48>, nullptr, 192u), numbered(entropy_map_columns<64>, nullptr, 256u)}};

// Of `what`, the number for the quads of a window.
template <class What>
unsigned by_quads(const EntropyWindow& window, What what) {
    switch (quads_of(window.levels)) {
        case 4: return what(ColumnsWarp<4>{});
        case 8: return what(ColumnsWarp<8>{});
        case 16: return what(ColumnsWarp<16>{});
        case 32: return what(ColumnsWarp<32>{});
        case 48: return what(ColumnsWarp<48>{});
        default: return what(ColumnsWarp<64>{});
    }
}
unsigned table_bytes(const EntropyWindow& window) {
    return (window.rows * window.cols + 4) / 4 * 16;
}

}  // namespace

unsigned entropy_columns_across(const EntropyWindow& window) {
    return by_quads(window, [](auto warp) { return unsigned{warp.kAcross}; });
}

unsigned entropy_columns_threads(const EntropyWindow& window) {
    return by_quads(window, [](auto warp) { return unsigned{warp.kThreads}; });
}

std::size_t entropy_columns_bytes(const EntropyWindow& window, unsigned threads) {
    return table_bytes(window) + std::size_t{4} * (threads / kWarpLanes) *
                                     by_quads(window, [](auto warp) { return unsigned{warp.kWords}; });
}

LaunchStatus launch_entropy_columns(const EntropyMapJob& job, const EntropyPiece& piece,
                                    const EntropyPlane& plane, Stream stream) {
    ColumnsArrays arrays;
    static_cast<PlaneArrays&>(arrays) = plane_arrays(job, piece, plane);
    arrays.table_bytes = table_bytes(job.window);
    arrays.across = (arrays.cols + job.shape.columns - 1) / job.shape.columns;
    arrays.warps = arrays.across * ((arrays.rows + arrays.strip_rows - 1) / arrays.strip_rows);
    const unsigned warps = job.shape.threads / kWarpLanes, quads = quads_of(job.window.levels);
    const LaunchShape grid{(arrays.warps + warps - 1) / warps, 1, job.shape.threads,
                           entropy_columns_bytes(job.window, job.shape.threads)};
    return launch(kEntropyMapColumns[quads < 16 ? quads / 8 : quads / 16 + 1], grid, stream, arrays);
}

void list_entropy_map_columns_kernels(KernelLister& to) {
    to.add(1, listed(kEntropyMapColumns, [&](unsigned index) {
               const EntropyWindow window{31, 31, kEntropyMapColumns.variants[index].numbers[0], false};
               unsigned threads = entropy_columns_threads(window);
               while (threads > kWarpLanes &&
                      entropy_columns_bytes(window, threads) > to.limits().shared_bytes_per_block)
                   threads -= kWarpLanes;
               return BlockSize{threads, entropy_columns_bytes(window, threads)};
           }));
}

}  // namespace cuda
}  // namespace tegu
