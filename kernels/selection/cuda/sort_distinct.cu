// SPDX-License-Identifier: Apache-2.0
// Results from sorted pairs: the first of each run of equal keys.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/block.cuh"
#include "kernels/selection/cuda/sort.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kCompactItems = 8;

// Sorted pairs of all elements, of which the first of each run of equal keys is taken.
struct SortedPairs {
    KeySegments in;
    SortBuffers buffers;
    SelectionOutput output;
};
template <class U>
struct FirstOfRuns {
    const SortedPairs& all;
    const std::uint64_t number;
    const unsigned sorted;  // the buffer
    const U* const keys;

    TEGU_DEVICE FirstOfRuns(const SortedPairs& pairs, std::uint64_t segment)
        : all(pairs),
          number(segment),
          sorted(pairs.buffers.plans[segment].passes % 2),
          keys(static_cast<const U*>(pairs.buffers.keys[sorted]) + segment * pairs.in.n) {}
    TEGU_DEVICE bool takes(std::uint64_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
    TEGU_DEVICE void put(std::uint64_t i, std::uint64_t slot) const {
        if (slot >= all.output.k) return;
        const std::uint64_t at = number * all.output.k + slot;
        static_cast<U*>(all.output.values)[at] =
            decode_key(keys[i], static_cast<U>(all.in.flip), all.in.is_float);
        all.output.indices[at] = all.buffers.origins[sorted][number * all.in.n + i];
    }
};

// The tiles of a segment: block x of a launch has tile first + x.
struct Tiles {
    std::uint64_t size;  // elements of each: a multiple of a block's step
    unsigned first;
    unsigned all;
};

// A block's tile, in the order of the elements.
struct TilePart {
    std::uint64_t number;
    std::uint64_t begin;
    std::uint64_t end;
    TEGU_DEVICE TilePart(const Tiles& tiles, std::uint64_t n) : number(tiles.first + block_x()) {
        begin = tiles.size * number < n ? tiles.size * number : n;
        end = begin + tiles.size < n ? begin + tiles.size : n;
    }
};

// compact_count: counts the pairs that each tile keeps.
// in:    sorted pairs                               out: tiles [count, kMaxCompactTiles]
// grid:  x = some of the tiles, y = segments       block: 256
// shared: 128 B static                              result valid in: tiles, after the launch
// moves: reads the input once                       order: any
// why:   the output positions need the counts of the previous tiles
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) compact_count(SortedPairs pairs, Tiles part_of, std::uint64_t* tiles) {
    const std::uint64_t number = block_y();
    const FirstOfRuns<U> source(pairs, number);
    const TilePart part(part_of, pairs.in.n);
    std::uint32_t own = 0;
    for (std::uint64_t i = part.begin + thread_index(); i < part.end; i += kSortThreads)
        own += source.takes(i) ? 1 : 0;
    std::uint64_t total;
    block_sum_before<std::uint64_t>(own, &total);
    if (thread_index() == 0) tiles[number * kMaxCompactTiles + part.number] = total;
}

// compact_scan: the number of pairs that all previous tiles keep, and the total.
// in/out: tiles                                     out: states
// grid:  x = segments                              block: 256, fewer where there are fewer tiles
// shared: 256 B static                              result valid in: tiles and states, after the launch
// moves: 16 B a tile                                order: any
// why:   one block sums 2048 tiles within microseconds
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    compact_scan(std::uint64_t* tiles, unsigned tile_count, SelectState* states, std::uint64_t k) {
    std::uint64_t* const own = tiles + std::uint64_t{block_x()} * kMaxCompactTiles;
    std::uint64_t before = 0;
    for (unsigned base = 0; base < tile_count; base += block_threads()) {
        const unsigned i = base + thread_index();
        std::uint64_t total;
        const std::uint64_t slot =
            before + block_sum_before<std::uint64_t>(i < tile_count ? own[i] : 0, &total);
        if (i < tile_count) own[i] = slot;
        before += total;
    }
    if (thread_index() == 0) states[block_x()].found = before < k ? before : k;
}

// compact_move: writes the kept pairs to their output positions.
// in:    sorted pairs, tiles                        out: values, indices
// grid:  x = some of the tiles, y = segments       block: 256
// shared: 128 B static                              result valid in: the output, after the launch
// moves: reads the input once, writes what is kept  order: as the input
// why:   eight adjacent elements a thread: one sum over the block gives their output positions
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    compact_move(SortedPairs pairs, Tiles part_of, const std::uint64_t* tiles) {
    const std::uint64_t number = block_y();
    const FirstOfRuns<U> source(pairs, number);
    const TilePart part(part_of, pairs.in.n);
    std::uint64_t slot = tiles[number * kMaxCompactTiles + part.number];
    for (std::uint64_t base = part.begin; base < part.end; base += kSortThreads * kCompactItems) {
        const std::uint64_t first = base + thread_index() * kCompactItems;
        std::uint32_t mask = 0;
        TEGU_UNROLL
        for (unsigned j = 0; j < kCompactItems; ++j)
            if (first + j < part.end && source.takes(first + j)) mask |= 1u << j;
        std::uint32_t total;
        std::uint64_t to = slot + block_sum_before<std::uint32_t>(count_bits(mask), &total);
        for (; mask != 0; mask &= mask - 1) source.put(first + trailing_zeros(mask), to++);
        slot += total;
    }
}

constexpr KernelTable<decltype(&compact_count<std::uint8_t>), 4> kCompactCount = {
    "compact_count", "reads n sorted ranks", {TEGU_BY_WIDTH(compact_count)}};
constexpr KernelTable<decltype(&compact_scan), 1> kCompactScan = {
    "compact_scan", "reads and writes 8 B a tile", {{compact_scan}}};
constexpr KernelTable<decltype(&compact_move<std::uint8_t>), 4> kCompactMove = {
    "compact_move", "reads n sorted ranks, writes k values and indices", {TEGU_BY_WIDTH(compact_move)}};

LaunchStatus launch_compact(const SortedPairs& data, const SortJob& job, const SelectionConfig& config) {
    std::uint64_t* const tiles = job.runs;
    const std::uint64_t n = data.in.n, count = data.in.count;
    const unsigned width = width_index(data.in.width);
    const std::uint64_t step = kSortThreads * kCompactItems;
    const unsigned wanted =
        blocks_for((n + kCompactItems - 1) / kCompactItems, kSortThreads, 2, config.limits);
    const std::uint64_t max = wanted < kMaxCompactTiles ? wanted : kMaxCompactTiles;
    Tiles part{((n + max - 1) / max + step - 1) / step * step, 0, 0};
    // A tile must not exceed the maximum of a launch.
    if (part.size * count > job.pieces.max && n / kMaxCompactTiles < part.size)
        part.size = (n / kMaxCompactTiles + step) / step * step;
    part.all = static_cast<unsigned>((n + part.size - 1) / part.size);
    const auto shape_of = [&](std::uint64_t first, std::uint64_t some) {
        part.first = static_cast<unsigned>(first);
        return LaunchShape{static_cast<unsigned>(some), static_cast<unsigned>(count), kSortThreads, 0};
    };
    LaunchStatus status =
        in_pieces(job.pieces, part.all, count * part.size, [&](std::uint64_t first, std::uint64_t some) {
            const LaunchShape shape = shape_of(first, some);
            return launch(kCompactCount[width], shape, config.stream, data, part, tiles);
        });
    if (status == 0)
        status = launch(kCompactScan[0],
                        LaunchShape{static_cast<unsigned>(count), 1, whole_warps(part.all, kSortThreads), 0},
                        config.stream, tiles, part.all, job.states, job.output.k);
    if (status != 0) return status;
    return in_pieces(job.pieces, part.all, count * part.size, [&](std::uint64_t first, std::uint64_t some) {
        const LaunchShape shape = shape_of(first, some);
        return launch(kCompactMove[width], shape, config.stream, data, part,
                      static_cast<const std::uint64_t*>(tiles));
    });
}

// write_missing: writes value 0 and index -1 behind the last result, and the counts.
// in:    states                                     out: values, indices, counts
// grid:  x strides over the entries, y = segments  block: 256
// shared: none                                      result valid in: the output, after the launch
// moves: writes (k - found) (sizeof(U) + 8) B       order: any
// why:   the number of results is known only after all runs are counted
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) write_missing(const SelectState* states, SelectionOutput output) {
    const std::uint64_t number = block_y();
    const std::uint64_t found = states[number].found;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = found + std::uint64_t{block_x()} * block_threads() + thread_index(); i < output.k;
         i += stride) {
        static_cast<U*>(output.values)[number * output.k + i] = 0;
        output.indices[number * output.k + i] = ~std::uint64_t{0};
    }
    if (block_x() == 0 && thread_index() == 0) output.counts[number] = found;
}

LaunchShape entries_shape(std::uint64_t entries, std::uint64_t count, const DeviceLimits& limits) {
    return LaunchShape{blocks_for(entries, kSortThreads, 4, limits), static_cast<unsigned>(count),
                       kSortThreads, 0};
}

constexpr KernelTable<decltype(&write_missing<std::uint8_t>), 4> kWriteMissing = {
    "write_missing", "writes what is missing of k values and indices", {TEGU_BY_WIDTH(write_missing)}};

}  // namespace

LaunchStatus launch_write_distinct(const SortJob& job, const SelectionConfig& config) {
    const SortedPairs pairs{job.in, job.buffers, job.output};
    const LaunchStatus status = launch_compact(pairs, job, config);
    if (status != 0) return status;
    return launch(kWriteMissing[width_index(job.in.width)],
                  entries_shape(job.output.k, job.in.count, config.limits), config.stream,
                  static_cast<const SelectState*>(job.states), job.output);
}

void list_selection_sort_distinct_kernels(KernelLister& to) {
    const BlockSize block{kSortThreads, 0};
    to.add(4, listed(kCompactCount, block), listed(kCompactMove, block), listed(kWriteMissing, block));
    to.add(1, listed(kCompactScan, block));
}

}  // namespace cuda
}  // namespace tegu
