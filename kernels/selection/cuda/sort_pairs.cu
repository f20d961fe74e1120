// SPDX-License-Identifier: Apache-2.0
// The steps before and after the sort: keys of elements, compaction in order, and results from sorted pairs.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/selection/cuda/compact.cuh"
#include "kernels/selection/cuda/sort.h"

namespace tegu {
namespace cuda {
namespace {

// rank_all: the key of every element.
// in:    elements [begin, end)                      out: keys of these
// grid:  x strides over the elements, y = segments block: 256
// shared: none                                      result valid in: keys, after the launch
// moves: reads n sizeof(U) B, writes as much        order: any
// why:   all passes of the sort then read one kind of input
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    rank_all(KeySegments in, std::uint64_t begin, std::uint64_t end, void* keys, std::uint64_t capacity) {
    const KeyedSegment<U> segment(in, block_y());
    U* const out = static_cast<U*>(keys) + block_y() * capacity;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = begin + std::uint64_t{block_x()} * block_threads() + thread_index(); i < end;
         i += stride)
        out[i] = segment.key(i);
}

// The three compaction kernels of a source, for each width.
template <class Data>
struct CompactKernels {
    KernelTable<void (*)(Data, Tiles, std::uint64_t*), 4> count;
    KernelTable<void (*)(std::uint64_t*, unsigned, SelectState*, std::uint64_t), 4> scan;
    KernelTable<void (*)(Data, Tiles, const std::uint64_t*), 4> move;
};
template <template <class> class Source, class Data>
constexpr CompactKernels<Data> compact_kernels(const char* const (&words)[4], const char* reads,
                                               const char* writes) {
    return CompactKernels<Data>{{"compact_count",
                                 reads,
                                 {variant(compact_count<Source<std::uint8_t>>, words[0]),
                                  variant(compact_count<Source<std::uint16_t>>, words[1]),
                                  variant(compact_count<Source<std::uint32_t>>, words[2]),
                                  variant(compact_count<Source<std::uint64_t>>, words[3])}},
                                {"compact_scan",
                                 "reads and writes 8 B a tile",
                                 {variant(compact_scan<Source<std::uint8_t>>, words[0]),
                                  variant(compact_scan<Source<std::uint16_t>>, words[1]),
                                  variant(compact_scan<Source<std::uint32_t>>, words[2]),
                                  variant(compact_scan<Source<std::uint64_t>>, words[3])}},
                                {"compact_move",
                                 writes,
                                 {variant(compact_move<Source<std::uint8_t>>, words[0]),
                                  variant(compact_move<Source<std::uint16_t>>, words[1]),
                                  variant(compact_move<Source<std::uint32_t>>, words[2]),
                                  variant(compact_move<Source<std::uint64_t>>, words[3])}}};
}
constexpr CompactKernels<SurvivorLists> kOfSurvivors = compact_kernels<Survivors, SurvivorLists>(
    {"survivors u8", "survivors u16", "survivors u32", "survivors u64"}, "reads n elements",
    "reads n elements, writes those kept and their indices");
constexpr CompactKernels<SortedPairs> kOfRuns = compact_kernels<FirstOfRuns, SortedPairs>(
    {"first_of_runs u8", "first_of_runs u16", "first_of_runs u32", "first_of_runs u64"},
    "reads n sorted ranks", "reads n sorted ranks, writes k values and indices");

template <class Data>
LaunchStatus launch_compact(const CompactKernels<Data>& kernels, const Data& data, const SortJob& job,
                            const SelectionConfig& config) {
    std::uint64_t* const tiles = job.tiles;
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
            return launch(kernels.count[width], shape, config.stream, data, part, tiles);
        });
    if (status == 0)
        status = launch(kernels.scan[width],
                        LaunchShape{static_cast<unsigned>(count), 1, whole_warps(part.all, kSortThreads), 0},
                        config.stream, tiles, part.all, job.states, job.output.k);
    if (status != 0) return status;
    return in_pieces(job.pieces, part.all, count * part.size, [&](std::uint64_t first, std::uint64_t some) {
        const LaunchShape shape = shape_of(first, some);
        return launch(kernels.move[width], shape, config.stream, data, part,
                      static_cast<const std::uint64_t*>(tiles));
    });
}

// write_sorted: pairs [begin, end) of the first k.
// in:    keys, origins sorted, indices             out: values, indices
// grid:  x strides over the entries, y = segments  block: 256
// shared: none                                      result valid in: the output, after the launch
// moves: reads k (sizeof(U) + 12) B, writes k (sizeof(U) + 8) B      order: any
// why:   otherwise the last pass of the sort would need a separate variant
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    write_sorted(KeySegments in, const SelectState* states, const void* sorted_keys,
                 const std::uint32_t* origins, std::uint64_t capacity, const std::uint64_t* indices,
                 std::uint64_t begin, std::uint64_t end, SelectionOutput output) {
    const U* const keys = static_cast<const U*>(sorted_keys);
    const std::uint64_t number = block_y();
    // The elements have changed: this replaces the old content of the memory.
    const bool none =
        states != nullptr && (states[number].survivors < output.k || states[number].survivors > capacity);
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = begin + std::uint64_t{block_x()} * block_threads() + thread_index(); i < end;
         i += stride) {
        U* const value = &static_cast<U*>(output.values)[number * output.k + i];
        std::uint64_t* const index = &output.indices[number * output.k + i];
        if (none) {
            *value = 0;
            *index = ~std::uint64_t{0};
            continue;
        }
        const std::uint32_t origin = origins[number * capacity + i];
        *value = decode_key(keys[number * capacity + i], static_cast<U>(in.flip), in.is_float);
        *index = indices == nullptr ? origin : indices[number * capacity + origin];
    }
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

constexpr KernelTable<decltype(&rank_all<std::uint8_t>), 4> kRankAll = {
    "rank_all", "reads and writes n elements", {TEGU_BY_WIDTH(rank_all)}};
constexpr KernelTable<decltype(&write_sorted<std::uint8_t>), 4> kWriteSorted = {
    "write_sorted",
    "reads k ranks, 12 B each besides; writes k values and indices",
    {TEGU_BY_WIDTH(write_sorted)}};
constexpr KernelTable<decltype(&write_missing<std::uint8_t>), 4> kWriteMissing = {
    "write_missing", "writes what is missing of k values and indices", {TEGU_BY_WIDTH(write_missing)}};

}  // namespace

LaunchStatus launch_rank_all(const SortJob& job, const SelectionConfig& config) {
    const KeySegments& in = job.in;
    return in_pieces(job.pieces, in.n, in.count, [&](std::uint64_t begin, std::uint64_t some) {
        return launch(kRankAll[width_index(in.width)], entries_shape(some, in.count, config.limits),
                      config.stream, in, begin, begin + some, job.buffers.keys[0], job.buffers.capacity);
    });
}

LaunchStatus launch_compact_survivors(const SortJob& job, const SelectionConfig& config) {
    const SurvivorLists lists{job.in, job.states, job.buffers.keys[0], job.indices, job.buffers.capacity};
    return launch_compact(kOfSurvivors, lists, job, config);
}

LaunchStatus launch_write_sorted(const SortJob& job, const SelectionConfig& config) {
    const KeySegments& in = job.in;
    const SortBuffers& buffers = job.buffers;
    const unsigned sorted = sorted_in(in.width);
    return in_pieces(job.pieces, job.output.k, in.count, [&](std::uint64_t begin, std::uint64_t some) {
        return launch(kWriteSorted[width_index(in.width)], entries_shape(some, in.count, config.limits),
                      config.stream, in, job.survivors(), buffers.keys[sorted], buffers.origins[sorted],
                      buffers.capacity, job.indices, begin, begin + some, job.output);
    });
}

LaunchStatus launch_write_distinct(const SortJob& job, const SelectionConfig& config) {
    const unsigned sorted = sorted_in(job.in.width);
    const SortedPairs pairs{job.in, job.buffers.keys[sorted], job.buffers.origins[sorted], job.output};
    const LaunchStatus status = launch_compact(kOfRuns, pairs, job, config);
    if (status != 0) return status;
    return launch(kWriteMissing[width_index(job.in.width)],
                  entries_shape(job.output.k, job.in.count, config.limits), config.stream,
                  static_cast<const SelectState*>(job.states), job.output);
}

void list_selection_sort_pairs_kernels(KernelLister& to) {
    const BlockSize block{kSortThreads, 0};
    to.add(4, listed(kRankAll, block), listed(kOfSurvivors.count, block), listed(kOfSurvivors.scan, block),
           listed(kOfSurvivors.move, block), listed(kOfRuns.count, block), listed(kOfRuns.scan, block),
           listed(kOfRuns.move, block), listed(kWriteSorted, block), listed(kWriteMissing, block));
}

}  // namespace cuda
}  // namespace tegu
