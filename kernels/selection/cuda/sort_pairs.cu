// SPDX-License-Identifier: Apache-2.0
// What comes before the sort and behind it: keys of elements, what is kept of them in their order, and
// results from sorted pairs.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/block.cuh"
#include "kernels/selection/cuda/sort.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kCompactItems = 8;

// rank_all: the key of every element.
// in:    elements [begin, end)                      out: keys of these
// grid:  x strides over the elements, y = segments block: 256
// shared: none                                      result valid in: keys, after the launch
// moves: reads n sizeof(U) B, writes as much        order: any
// why:   the passes of the sort then read one kind of input
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    rank_all(Segments in, std::uint64_t begin, std::uint64_t end, void* keys, std::uint64_t capacity) {
    const KeyedSegment<U> segment(in, block_y());
    U* const out = static_cast<U*>(keys) + block_y() * capacity;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = begin + std::uint64_t{block_x()} * block_threads() + thread_index(); i < end;
         i += stride)
        out[i] = segment.key(i);
}

// Elements up to the cut.
struct SurvivorLists {
    Segments in;
    const SelectState* states;
    void* keys;
    std::uint64_t* indices;
    std::uint64_t capacity;
};
template <class U>
struct Survivors : SurvivorLists {
    using Data = SurvivorLists;
    TEGU_DEVICE explicit Survivors(const Data& data) : Data(data) {}
    TEGU_DEVICE std::uint64_t size(std::uint64_t) const { return in.n; }
    TEGU_DEVICE bool takes(std::uint64_t number, std::uint64_t i) const {
        const KeyedSegment<U> segment(in, number);
        return !is_behind(segment.key(i), i, static_cast<U>(states[number].key), states[number].index);
    }
    TEGU_DEVICE void put(std::uint64_t number, std::uint64_t i, std::uint64_t place) const {
        if (place >= capacity) return;
        static_cast<U*>(keys)[number * capacity + place] = KeyedSegment<U>(in, number).key(i);
        indices[number * capacity + place] = i;
    }
    // Fewer are kept than were counted: the elements have changed, and what was in the memory before is
    // nobody's business.
    TEGU_DEVICE void put_none(std::uint64_t number, std::uint64_t place) const {
        if (place >= capacity) return;
        static_cast<U*>(keys)[number * capacity + place] = 0;
        indices[number * capacity + place] = ~std::uint64_t{0};
    }
    TEGU_DEVICE std::uint64_t total(std::uint64_t number) const { return states[number].survivors; }
    TEGU_DEVICE static void set_total(SelectState* state, std::uint64_t total, std::uint64_t) {
        state->survivors = total;
    }
};

// The first of each run of equal ones among sorted keys.
struct SortedPairs {
    Segments in;
    const void* keys;
    const std::uint32_t* origins;
    SelectionOutput output;
};
template <class U>
struct FirstOfRuns : SortedPairs {
    using Data = SortedPairs;
    TEGU_DEVICE explicit FirstOfRuns(const Data& data) : Data(data) {}
    TEGU_DEVICE std::uint64_t size(std::uint64_t) const { return in.n; }
    TEGU_DEVICE bool takes(std::uint64_t number, std::uint64_t i) const {
        const U* const sorted = static_cast<const U*>(keys) + number * in.n;
        return i == 0 || sorted[i] != sorted[i - 1];
    }
    TEGU_DEVICE void put(std::uint64_t number, std::uint64_t i, std::uint64_t place) const {
        if (place >= output.k) return;
        const std::uint64_t at = number * output.k + place;
        static_cast<U*>(output.values)[at] =
            decode_key(static_cast<const U*>(keys)[number * in.n + i], static_cast<U>(in.flip), in.is_float);
        output.indices[at] = origins[number * in.n + i];
    }
    // The sorted keys are the daemon's own: none is missing.
    TEGU_DEVICE void put_none(std::uint64_t, std::uint64_t) const {}
    TEGU_DEVICE std::uint64_t total(std::uint64_t) const { return 0; }
    TEGU_DEVICE static void set_total(SelectState* state, std::uint64_t total, std::uint64_t k) {
        state->found = total < k ? total : k;
    }
};

// Tiles of a segment: block x of a launch has tile first + x of all.
struct Tiles {
    std::uint64_t size;  // elements of each: a multiple of a block's step
    unsigned first;
    unsigned all;
};

// A block's tile, in order.
struct TilePart {
    std::uint64_t number;
    std::uint64_t begin;
    std::uint64_t end;
    TEGU_DEVICE TilePart(const Tiles& tiles, std::uint64_t n) : number(tiles.first + block_x()) {
        begin = tiles.size * number < n ? tiles.size * number : n;
        end = begin + tiles.size < n ? begin + tiles.size : n;
    }
};

// compact_count: how many each tile keeps.
// in:    what the source reads                      out: tiles [count, kMaxCompactTiles]
// grid:  x = some of the tiles, y = segments       block: 256
// shared: 128 B static                              result valid in: tiles, after the launch
// moves: reads the input once                       order: any
// why:   places in order need the counts of what comes before
template <class Source>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    compact_count(typename Source::Data data, Tiles part_of, std::uint64_t* tiles) {
    const Source source(data);
    const std::uint64_t number = block_y();
    const TilePart part(part_of, source.size(number));
    std::uint32_t own = 0;
    for (std::uint64_t i = part.begin + thread_index(); i < part.end; i += kSortThreads)
        own += source.takes(number, i) ? 1 : 0;
    std::uint64_t total;
    block_sum_before<std::uint64_t>(own, &total);
    if (thread_index() == 0) tiles[number * kMaxCompactTiles + part.number] = total;
}

// compact_scan: what all tiles before keep, and the total.
// in/out: tiles                                     out: states
// grid:  x = segments                              block: 256, fewer where there are fewer tiles
// shared: 256 B static                              result valid in: tiles and states, after the launch
// moves: 16 B a tile                                order: any
// why:   2048 tiles are a matter of microseconds for one block
template <class Source>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    compact_scan(std::uint64_t* tiles, unsigned tile_count, SelectState* states, std::uint64_t k) {
    std::uint64_t* const own = tiles + std::uint64_t{block_x()} * kMaxCompactTiles;
    std::uint64_t before = 0;
    for (unsigned base = 0; base < tile_count; base += block_threads()) {
        const unsigned i = base + thread_index();
        std::uint64_t total;
        const std::uint64_t place =
            before + block_sum_before<std::uint64_t>(i < tile_count ? own[i] : 0, &total);
        if (i < tile_count) own[i] = place;
        before += total;
    }
    if (thread_index() == 0) Source::set_total(&states[block_x()], before, k);
}

// compact_move: what is kept goes to its place.
// in:    what the source reads, tiles               out: what the source writes
// grid:  x = some of the tiles, y = segments       block: 256
// shared: 128 B static                              result valid in: the output, after the launch
// moves: reads the input once, writes what is kept  order: as the input
// why:   eight neighbours a thread: the places of a thread's elements follow from one sum over the block
template <class Source>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    compact_move(typename Source::Data data, Tiles part_of, const std::uint64_t* tiles) {
    const Source source(data);
    const std::uint64_t number = block_y();
    const TilePart part(part_of, source.size(number));
    std::uint64_t place = tiles[number * kMaxCompactTiles + part.number];
    for (std::uint64_t base = part.begin; base < part.end; base += kSortThreads * kCompactItems) {
        const std::uint64_t first = base + thread_index() * kCompactItems;
        std::uint32_t mask = 0;
        TEGU_UNROLL
        for (unsigned j = 0; j < kCompactItems; ++j)
            if (first + j < part.end && source.takes(number, first + j)) mask |= 1u << j;
        std::uint32_t total;
        std::uint64_t to = place + block_sum_before<std::uint32_t>(count_bits(mask), &total);
        for (; mask != 0; mask &= mask - 1) source.put(number, first + trailing_zeros(mask), to++);
        place += total;
    }
    const bool is_last = part.number + 1 == part_of.all;
    const std::uint64_t end =
        is_last ? source.total(number) : tiles[number * kMaxCompactTiles + part.number + 1];
    for (place += thread_index(); place < end; place += kSortThreads) source.put_none(number, place);
}

// The three kernels that keep a part of what a source has, for each width.
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
LaunchStatus launch_compact(const CompactKernels<Data>& kernels, const Data& data, SelectState* states,
                            std::uint64_t k, std::uint64_t* tiles, const Pieces& pieces,
                            const DeviceLimits& limits, Stream stream) {
    const std::uint64_t n = data.in.n, count = data.in.count;
    const unsigned width = width_index(data.in.width);
    const std::uint64_t step = kSortThreads * kCompactItems;
    const unsigned wanted = blocks_for((n + kCompactItems - 1) / kCompactItems, kSortThreads, 2, limits);
    const std::uint64_t max = wanted < kMaxCompactTiles ? wanted : kMaxCompactTiles;
    Tiles part{((n + max - 1) / max + step - 1) / step * step, 0, 0};
    // A tile must not be more than a launch may take.
    if (part.size * count > pieces.max && n / kMaxCompactTiles < part.size)
        part.size = (n / kMaxCompactTiles + step) / step * step;
    part.all = static_cast<unsigned>((n + part.size - 1) / part.size);
    const auto shape_of = [&](std::uint64_t first, std::uint64_t some) {
        part.first = static_cast<unsigned>(first);
        return LaunchShape{static_cast<unsigned>(some), static_cast<unsigned>(count), kSortThreads, 0};
    };
    LaunchStatus status =
        in_pieces(pieces, part.all, count * part.size, [&](std::uint64_t first, std::uint64_t some) {
            const LaunchShape shape = shape_of(first, some);
            return launch(kernels.count[width], shape, stream, data, part, tiles);
        });
    if (status == 0)
        status = launch(kernels.scan[width],
                        LaunchShape{static_cast<unsigned>(count), 1, sort_threads_for(part.all), 0}, stream,
                        tiles, part.all, states, k);
    if (status != 0) return status;
    return in_pieces(pieces, part.all, count * part.size, [&](std::uint64_t first, std::uint64_t some) {
        const LaunchShape shape = shape_of(first, some);
        return launch(kernels.move[width], shape, stream, data, part,
                      static_cast<const std::uint64_t*>(tiles));
    });
}

// write_sorted: pairs [begin, end) of the first k.
// in:    keys, origins sorted, indices             out: values, indices
// grid:  x strides over the entries, y = segments  block: 256
// shared: none                                      result valid in: the output, after the launch
// moves: reads k (sizeof(U) + 12) B, writes k (sizeof(U) + 8) B      order: any
// why:   the last step of the sort would have to know that it is the last
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    write_sorted(Segments in, const SelectState* states, const void* sorted_keys,
                 const std::uint32_t* origins, std::uint64_t capacity, const std::uint64_t* indices,
                 std::uint64_t begin, std::uint64_t end, SelectionOutput output) {
    const U* const keys = static_cast<const U*>(sorted_keys);
    const std::uint64_t number = block_y();
    // Elements that have changed: what was in the memory before is nobody's business.
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

// write_missing: value 0 and index -1 behind the last result, and the counts.
// in:    states                                     out: values, indices, counts
// grid:  x strides over the entries, y = segments  block: 256
// shared: none                                      result valid in: the output, after the launch
// moves: writes (k - found) (sizeof(U) + 8) B       order: any
// why:   how many there are is known when all runs are counted
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

LaunchStatus launch_rank_all(const Segments& in, const SortBuffers& buffers, const Pieces& pieces,
                             const DeviceLimits& limits, Stream stream) {
    return in_pieces(pieces, in.n, in.count, [&](std::uint64_t begin, std::uint64_t some) {
        return launch(kRankAll[width_index(in.width)], entries_shape(some, in.count, limits), stream, in,
                      begin, begin + some, buffers.keys[0], buffers.capacity);
    });
}

LaunchStatus launch_compact_survivors(const Segments& in, SelectState* states, const SortBuffers& buffers,
                                      std::uint64_t* indices, std::uint64_t* tiles, const Pieces& pieces,
                                      const DeviceLimits& limits, Stream stream) {
    const SurvivorLists lists{in, states, buffers.keys[0], indices, buffers.capacity};
    return launch_compact(kOfSurvivors, lists, states, 0, tiles, pieces, limits, stream);
}

LaunchStatus launch_write_sorted(const Segments& in, const SelectState* states, const SortBuffers& buffers,
                                 const std::uint64_t* indices, const SelectionOutput& output,
                                 const Pieces& pieces, const DeviceLimits& limits, Stream stream) {
    const unsigned sorted = sorted_in(in.width);
    return in_pieces(pieces, output.k, in.count, [&](std::uint64_t begin, std::uint64_t some) {
        return launch(kWriteSorted[width_index(in.width)], entries_shape(some, in.count, limits), stream, in,
                      states, buffers.keys[sorted], buffers.origins[sorted], buffers.capacity, indices, begin,
                      begin + some, output);
    });
}

LaunchStatus launch_write_distinct(const Segments& in, SelectState* states, const SortBuffers& buffers,
                                   const SelectionOutput& output, std::uint64_t* tiles, const Pieces& pieces,
                                   const DeviceLimits& limits, Stream stream) {
    const unsigned sorted = sorted_in(in.width);
    const SortedPairs pairs{in, buffers.keys[sorted], buffers.origins[sorted], output};
    const LaunchStatus status =
        launch_compact(kOfRuns, pairs, states, output.k, tiles, pieces, limits, stream);
    if (status != 0) return status;
    return launch(kWriteMissing[width_index(in.width)], entries_shape(output.k, in.count, limits), stream,
                  static_cast<const SelectState*>(states), output);
}

void list_sort_pairs_kernels(KernelLister& to) {
    const BlockSize block{kSortThreads, 0};
    to.add(4, listed(kRankAll, block), listed(kOfSurvivors.count, block), listed(kOfSurvivors.scan, block),
           listed(kOfSurvivors.move, block), listed(kOfRuns.count, block), listed(kOfRuns.scan, block),
           listed(kOfRuns.move, block), listed(kWriteSorted, block), listed(kWriteMissing, block));
}

}  // namespace cuda
}  // namespace tegu
