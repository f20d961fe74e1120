// SPDX-License-Identifier: Apache-2.0
// A pass of the sort makes three launches: count digits in each tile, sum the counts, move. Each warp handles
// a part of a tile in order, and its lanes match equal digits. So the order within a digit is kept without a
// sort in shared memory.
#include "kernels/selection/cuda/sort.h"

#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/block.cuh"
#include "kernels/selection/cuda/cut.h"  // its policy has the tile

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kSortWarps = kSortThreads / kWarpLanes;
constexpr unsigned kSortItems = 16;  // pairs of a thread at most

struct SortPass {
    const void* keys;
    const std::uint32_t* origins;  // null: the keys are in index order
    void* keys_out;
    std::uint32_t* origins_out;
    std::uint32_t* counts;
    std::uint32_t* totals;
    const SelectState* states;  // null: capacity pairs
    std::uint64_t capacity;
    unsigned tile;
    unsigned tiles;  // for `capacity` pairs
    unsigned first;  // tile of block 0
    unsigned shift;

    TEGU_DEVICE unsigned tile_index() const { return first + block_x(); }

    TEGU_DEVICE std::uint64_t size() const {
        if (states == nullptr) return capacity;
        const std::uint64_t survivors = states[block_y()].survivors;
        return survivors < capacity ? survivors : capacity;
    }
    template <class U>
    TEGU_DEVICE unsigned digit(U key) const {
        return static_cast<unsigned>(key >> shift) % kSortDigits;
    }
    TEGU_DEVICE std::uint32_t* counts_of(unsigned digit) const {
        return counts + (std::uint64_t{block_y()} * kSortDigits + digit) * tiles;
    }
};

// sort_count: the digits of each tile.
// in:    keys [size]                               out: counts [digit, tile]
// grid:  x = some of the tiles, y = segments       block: 256
// shared: 1 KB static                               result valid in: counts, after the launch
// moves: reads size * sizeof(U) B                   order: any
// why:   the counts give the start of each tile's digits
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) sort_count(SortPass pass) {
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSortDigits);
    const std::uint64_t size = pass.size();
    const std::uint64_t begin = std::uint64_t{pass.tile_index()} * pass.tile;
    if (begin >= size) return;
    const std::uint64_t end = begin + pass.tile < size ? begin + pass.tile : size;
    const U* const keys = static_cast<const U*>(pass.keys) + block_y() * pass.capacity;
    bins[thread_index()] = 0;
    block_barrier();
    for (std::uint64_t i = begin + thread_index(); i < end; i += kSortThreads)
        atomic_add(&bins[pass.digit(keys[i])], 1u);
    block_barrier();
    pass.counts_of(thread_index())[pass.tile_index()] = bins[thread_index()];
}

// sort_scan: for each digit, the sum over all previous tiles, and the total.
// in/out: counts [digit, tile]                      out: totals [digit]
// grid:  x = digits, y = segments                  block: 256, fewer where there are fewer tiles
// shared: 128 B static                              result valid in: counts and totals, after the launch
// moves: 8 B a tile                                 order: any
// why:   a block for each digit: all are summed at once
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) sort_scan(SortPass pass) {
    std::uint32_t* const counts = pass.counts_of(block_x());
    const unsigned tiles = static_cast<unsigned>((pass.size() + pass.tile - 1) / pass.tile);
    std::uint32_t before = 0;
    for (unsigned base = 0; base < tiles; base += block_threads()) {
        const unsigned i = base + thread_index();
        std::uint32_t total;
        const std::uint32_t before_tile =
            before + block_sum_before<std::uint32_t>(i < tiles ? counts[i] : 0, &total);
        if (i < tiles) counts[i] = before_tile;
        before += total;
    }
    if (thread_index() == 0) pass.totals[block_y() * kSortDigits + block_x()] = before;
}

// sort_move: moves every pair to its output position.
// in:    keys, origins [size], counts, totals      out: keys, origins [size]
// grid:  x = some of the tiles, y = segments       block: 256
// shared: tile * (sizeof(U) + 4) B dynamic, 10 KB static      result valid in: the output, after the launch
// moves: reads and writes size * (sizeof(U) + 4) B  order: of the digits, else as the input
// why:   shared memory orders the pairs first, so that adjacent threads write adjacent pairs
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) sort_move(SortPass pass) {
    TEGU_DYNAMIC_SHARED(shared);
    TEGU_SHARED_ARRAY(std::uint32_t, warp_counts, kSortWarps * kSortDigits);
    TEGU_SHARED_ARRAY(std::uint32_t, starts, kSortDigits);   // of a digit in the tile
    TEGU_SHARED_ARRAY(std::uint32_t, offsets, kSortDigits);  // from an index in the tile to one in the output
    const std::uint64_t size = pass.size();
    const std::uint64_t begin = std::uint64_t{pass.tile_index()} * pass.tile;
    if (begin >= size) return;
    const unsigned count = static_cast<unsigned>(begin + pass.tile < size ? pass.tile : size - begin);
    const U* const keys = static_cast<const U*>(pass.keys) + block_y() * pass.capacity + begin;
    U* const tile_keys = reinterpret_cast<U*>(shared);
    std::uint32_t* const tile_origins = reinterpret_cast<std::uint32_t*>(tile_keys + pass.tile);

    for (unsigned i = thread_index(); i < kSortWarps * kSortDigits; i += kSortThreads) warp_counts[i] = 0;
    block_barrier();
    std::uint32_t* const own_counts = warp_counts + warp_index() * kSortDigits;
    const unsigned part = pass.tile / kSortWarps;  // of a warp
    U key[kSortItems];
    std::uint32_t rank_in_tile[kSortItems];
    TEGU_UNROLL
    for (unsigned j = 0; j < kSortItems; ++j) {
        if (j * kWarpLanes >= part) break;
        const unsigned i = warp_index() * part + j * kWarpLanes + lane_index();
        key[j] = i < count ? keys[i] : U{0};
    }
    TEGU_UNROLL
    for (unsigned j = 0; j < kSortItems; ++j) {
        if (j * kWarpLanes >= part) break;
        const unsigned i = warp_index() * part + j * kWarpLanes + lane_index();
        const unsigned digit = i < count ? pass.digit(key[j]) : kSortDigits;
        const std::uint32_t same = warp_match(digit, 9);
        rank_in_tile[j] = i < count ? own_counts[digit] + count_bits(same & lanes_before()) : 0;
        warp_barrier();
        if (i < count && (same & lanes_before()) == 0) own_counts[digit] += count_bits(same);
        warp_barrier();
    }
    block_barrier();
    std::uint32_t in_tile = 0;
    for (unsigned warp = 0; warp < kSortWarps; ++warp) {
        const std::uint32_t own = warp_counts[warp * kSortDigits + thread_index()];
        warp_counts[warp * kSortDigits + thread_index()] = in_tile;
        in_tile += own;
    }
    std::uint32_t total;
    const std::uint32_t start = block_sum_before<std::uint32_t>(in_tile, &total);
    const std::uint32_t base =
        block_sum_before<std::uint32_t>(pass.totals[block_y() * kSortDigits + thread_index()], &total);
    starts[thread_index()] = start;
    offsets[thread_index()] = base + pass.counts_of(thread_index())[pass.tile_index()] - start;
    block_barrier();
    TEGU_UNROLL
    for (unsigned j = 0; j < kSortItems; ++j) {
        if (j * kWarpLanes >= part) break;
        const unsigned i = warp_index() * part + j * kWarpLanes + lane_index();
        if (i >= count) continue;
        const unsigned digit = pass.digit(key[j]);
        const std::uint32_t to = starts[digit] + own_counts[digit] + rank_in_tile[j];
        tile_keys[to] = key[j];
        tile_origins[to] = pass.origins == nullptr ? static_cast<std::uint32_t>(begin + i)
                                                   : pass.origins[block_y() * pass.capacity + begin + i];
    }
    block_barrier();
    for (unsigned i = thread_index(); i < count; i += kSortThreads) {
        const U moved = tile_keys[i];
        const std::uint64_t to =
            block_y() * pass.capacity + static_cast<std::uint32_t>(offsets[pass.digit(moved)] + i);
        static_cast<U*>(pass.keys_out)[to] = moved;
        pass.origins_out[to] = tile_origins[i];
    }
}

constexpr KernelTable<void (*)(SortPass), 4> kSortCount = {
    "sort_count", "reads n ranks", {TEGU_BY_WIDTH(sort_count)}};
constexpr KernelTable<void (*)(SortPass), 4> kSortScan = {
    "sort_scan", "reads and writes 1 KiB a tile", {TEGU_BY_WIDTH(sort_scan)}};
constexpr KernelTable<void (*)(SortPass), 4> kSortMove = {
    "sort_move", "reads and writes n ranks and 4 B of origin each", {TEGU_BY_WIDTH(sort_move)}};

}  // namespace

LaunchStatus launch_sort(const SortJob& job, const SelectionConfig& config) {
    const SortBuffers& buffers = job.buffers;
    const unsigned width = job.in.width, segments = static_cast<unsigned>(job.in.count);
    const unsigned tiles = static_cast<unsigned>((buffers.capacity + buffers.tile - 1) / buffers.tile);
    const std::size_t shared = buffers.tile * (width + sizeof(std::uint32_t));
    for (unsigned number = 0; number < width; ++number) {
        const unsigned from = number % 2;
        SortPass pass{buffers.keys[from],
                      number == 0 ? nullptr : buffers.origins[from],
                      buffers.keys[1 - from],
                      buffers.origins[1 - from],
                      buffers.counts,
                      buffers.totals,
                      job.survivors(),
                      buffers.capacity,
                      buffers.tile,
                      tiles,
                      0,
                      8 * number};
        const auto over_tiles = [&](void (*kernel)(SortPass), std::size_t shared_bytes) {
            return in_pieces(job.pieces, tiles, job.in.count * buffers.tile,
                             [&](std::uint64_t first, std::uint64_t some) {
                                 pass.first = static_cast<unsigned>(first);
                                 const LaunchShape shape{static_cast<unsigned>(some), segments, kSortThreads,
                                                         shared_bytes};
                                 return launch(kernel, shape, config.stream, pass);
                             });
        };
        LaunchStatus status = over_tiles(kSortCount[width_index(width)], 0);
        if (status == 0)
            status = launch(kSortScan[width_index(width)],
                            LaunchShape{kSortDigits, segments, whole_warps(tiles, kSortThreads), 0},
                            config.stream, pass);
        if (status == 0) status = over_tiles(kSortMove[width_index(width)], shared);
        if (status != 0) return status;
    }
    return 0;
}

void list_selection_sort_kernels(KernelLister& to) {
    const BlockSize block{kSortThreads, 0};
    to.add(4, listed(kSortCount, block), listed(kSortScan, block), listed(kSortMove, [](unsigned index) {
               const unsigned width = width_of_index(index);
               const std::size_t tile = sort_tile_for(width, kDefaultSelectionPolicy.sort_tile);
               return BlockSize{kSortThreads, tile * (width + sizeof(std::uint32_t))};
           }));
}

}  // namespace cuda
}  // namespace tegu
