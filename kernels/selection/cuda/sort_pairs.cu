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
    rank_all(Segments in, std::uint64_t begin, std::uint64_t end, U* keys, std::uint64_t room) {
    const KeyedSegment<U> segment(in, block_y());
    U* const out = keys + block_y() * room;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = begin + std::uint64_t{block_x()} * block_threads() + thread_index(); i < end;
         i += stride)
        out[i] = segment.key(i);
}

// Elements up to the cut.
template <class U>
struct Survivors {
    Segments in;
    const SelectState* states;
    U* keys;
    std::uint64_t* indices;
    std::uint64_t room;

    TEGU_DEVICE std::uint64_t size(std::uint64_t) const { return in.n; }
    TEGU_DEVICE bool takes(std::uint64_t number, std::uint64_t i) const {
        const KeyedSegment<U> segment(in, number);
        return !is_behind(segment.key(i), i, static_cast<U>(states[number].key), states[number].index);
    }
    TEGU_DEVICE void put(std::uint64_t number, std::uint64_t i, std::uint64_t place) const {
        if (place >= room) return;
        keys[number * room + place] = KeyedSegment<U>(in, number).key(i);
        indices[number * room + place] = i;
    }
    // Fewer are kept than were counted: the elements have changed, and what was in the memory before is
    // nobody's business.
    TEGU_DEVICE void put_none(std::uint64_t number, std::uint64_t place) const {
        if (place >= room) return;
        keys[number * room + place] = 0;
        indices[number * room + place] = ~std::uint64_t{0};
    }
    TEGU_DEVICE std::uint64_t total(std::uint64_t number) const { return states[number].survivors; }
    TEGU_DEVICE static void set_total(SelectState* state, std::uint64_t total, std::uint64_t) {
        state->survivors = total;
    }
};

// The first of each run of equal ones among sorted keys.
template <class U>
struct FirstOfRuns {
    Segments in;
    const U* keys;
    const std::uint32_t* origins;
    TopkOutput output;

    TEGU_DEVICE std::uint64_t size(std::uint64_t) const { return in.n; }
    TEGU_DEVICE bool takes(std::uint64_t number, std::uint64_t i) const {
        const U* const sorted = keys + number * in.n;
        return i == 0 || sorted[i] != sorted[i - 1];
    }
    TEGU_DEVICE void put(std::uint64_t number, std::uint64_t i, std::uint64_t place) const {
        if (place >= output.k) return;
        const std::uint64_t at = number * output.k + place;
        static_cast<U*>(output.values)[at] =
            decode_key(keys[number * in.n + i], static_cast<U>(in.flip), in.is_float);
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
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) compact_count(Source source, Tiles part_of, std::uint64_t* tiles) {
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
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) compact_move(Source source, Tiles part_of, const std::uint64_t* tiles) {
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

template <class Source>
LaunchStatus launch_compact(const Source& source, std::uint64_t n, std::uint64_t count, SelectState* states,
                            std::uint64_t k, std::uint64_t* tiles, const Pieces& pieces,
                            const DeviceLimits& limits, Stream stream) {
    const std::uint64_t step = kSortThreads * kCompactItems;
    const unsigned wanted = blocks_for((n + kCompactItems - 1) / kCompactItems, kSortThreads, 2, limits);
    const std::uint64_t most = wanted < kMaxCompactTiles ? wanted : kMaxCompactTiles;
    Tiles part{((n + most - 1) / most + step - 1) / step * step, 0, 0};
    // A tile must not be more than a launch may take.
    if (part.size * count > pieces.most && n / kMaxCompactTiles < part.size)
        part.size = (n / kMaxCompactTiles + step) / step * step;
    part.all = static_cast<unsigned>((n + part.size - 1) / part.size);
    const auto shape_of = [&](std::uint64_t first, std::uint64_t some) {
        part.first = static_cast<unsigned>(first);
        return LaunchShape{static_cast<unsigned>(some), static_cast<unsigned>(count), kSortThreads, 0};
    };
    LaunchStatus status =
        in_pieces(pieces, part.all, count * part.size, [&](std::uint64_t first, std::uint64_t some) {
            const LaunchShape shape = shape_of(first, some);
            return launch(compact_count<Source>, shape, stream, source, part, tiles);
        });
    if (status == 0)
        status = launch(compact_scan<Source>,
                        LaunchShape{static_cast<unsigned>(count), 1, sort_threads_for(part.all), 0}, stream,
                        tiles, part.all, states, k);
    if (status != 0) return status;
    return in_pieces(pieces, part.all, count * part.size, [&](std::uint64_t first, std::uint64_t some) {
        const LaunchShape shape = shape_of(first, some);
        return launch(compact_move<Source>, shape, stream, source, part,
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
    write_sorted(Segments in, const SelectState* states, const U* keys, const std::uint32_t* origins,
                 std::uint64_t room, const std::uint64_t* indices, std::uint64_t begin, std::uint64_t end,
                 TopkOutput output) {
    const std::uint64_t number = block_y();
    // Elements that have changed: what was in the memory before is nobody's business.
    const bool none =
        states != nullptr && (states[number].survivors < output.k || states[number].survivors > room);
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
        const std::uint32_t origin = origins[number * room + i];
        *value = decode_key(keys[number * room + i], static_cast<U>(in.flip), in.is_float);
        *index = indices == nullptr ? origin : indices[number * room + origin];
    }
}

// write_missing: value 0 and index -1 behind the last result, and the counts.
// in:    states                                     out: values, indices, counts
// grid:  x strides over the entries, y = segments  block: 256
// shared: none                                      result valid in: the output, after the launch
// moves: writes (k - found) (sizeof(U) + 8) B       order: any
// why:   how many there are is known when all runs are counted
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) write_missing(const SelectState* states, TopkOutput output) {
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

template <class U>
struct Typed {
    static const U* sorted_keys(const SortBuffers& buffers) {
        return static_cast<const U*>(buffers.keys[sorted_in(sizeof(U))]);
    }
    static const std::uint32_t* sorted_origins(const SortBuffers& buffers) {
        return buffers.origins[sorted_in(sizeof(U))];
    }
    static LaunchStatus key_all_of(const Segments& in, const SortBuffers& buffers, const Pieces& pieces,
                                   const DeviceLimits& limits, Stream stream) {
        return in_pieces(pieces, in.n, in.count, [&](std::uint64_t begin, std::uint64_t some) {
            return launch(rank_all<U>, entries_shape(some, in.count, limits), stream, in, begin, begin + some,
                          static_cast<U*>(buffers.keys[0]), buffers.room);
        });
    }
    static LaunchStatus survivors(const Segments& in, SelectState* states, const SortBuffers& buffers,
                                  std::uint64_t* indices, std::uint64_t* tiles, const Pieces& pieces,
                                  const DeviceLimits& limits, Stream stream) {
        const Survivors<U> source{in, states, static_cast<U*>(buffers.keys[0]), indices, buffers.room};
        return launch_compact(source, in.n, in.count, states, 0, tiles, pieces, limits, stream);
    }
    static LaunchStatus write(const Segments& in, const SelectState* states, const SortBuffers& buffers,
                              const std::uint64_t* indices, const TopkOutput& output, const Pieces& pieces,
                              const DeviceLimits& limits, Stream stream) {
        return in_pieces(pieces, output.k, in.count, [&](std::uint64_t begin, std::uint64_t some) {
            return launch(write_sorted<U>, entries_shape(some, in.count, limits), stream, in, states,
                          sorted_keys(buffers), sorted_origins(buffers), buffers.room, indices, begin,
                          begin + some, output);
        });
    }
    static LaunchStatus distinct(const Segments& in, SelectState* states, const SortBuffers& buffers,
                                 const TopkOutput& output, std::uint64_t* tiles, const Pieces& pieces,
                                 const DeviceLimits& limits, Stream stream) {
        const FirstOfRuns<U> source{in, sorted_keys(buffers), sorted_origins(buffers), output};
        const LaunchStatus status =
            launch_compact(source, in.n, in.count, states, output.k, tiles, pieces, limits, stream);
        if (status != 0) return status;
        return launch(write_missing<U>, entries_shape(output.k, in.count, limits), stream,
                      static_cast<const SelectState*>(states), output);
    }
};

}  // namespace

// The member of Typed for the width.
#define TEGU_FOR_WIDTH(width, call)                 \
    switch (width) {                                \
        case 1: return Typed<std::uint8_t>::call;   \
        case 2: return Typed<std::uint16_t>::call;  \
        case 4: return Typed<std::uint32_t>::call;  \
        default: return Typed<std::uint64_t>::call; \
    }

LaunchStatus launch_rank_all(const Segments& in, const SortBuffers& buffers, const Pieces& pieces,
                             const DeviceLimits& limits, Stream stream){
    TEGU_FOR_WIDTH(in.width, key_all_of(in, buffers, pieces, limits, stream))}

LaunchStatus launch_compact_survivors(const Segments& in, SelectState* states, const SortBuffers& buffers,
                                      std::uint64_t* indices, std::uint64_t* tiles, const Pieces& pieces,
                                      const DeviceLimits& limits, Stream stream){
    TEGU_FOR_WIDTH(in.width, survivors(in, states, buffers, indices, tiles, pieces, limits, stream))}

LaunchStatus launch_write_sorted(const Segments& in, const SelectState* states, const SortBuffers& buffers,
                                 const std::uint64_t* indices, const TopkOutput& output, const Pieces& pieces,
                                 const DeviceLimits& limits, Stream stream){
    TEGU_FOR_WIDTH(in.width, write(in, states, buffers, indices, output, pieces, limits, stream))}

LaunchStatus launch_write_distinct(const Segments& in, SelectState* states, const SortBuffers& buffers,
                                   const TopkOutput& output, std::uint64_t* tiles, const Pieces& pieces,
                                   const DeviceLimits& limits, Stream stream) {
    TEGU_FOR_WIDTH(in.width, distinct(in, states, buffers, output, tiles, pieces, limits, stream))
}

namespace {

template <class Source>
void list_compact(KernelLister& to, const char* source, const char* reads, const char* writes) {
    to.add("compact_count", {source}, compact_count<Source>, kSortThreads, 0, reads);
    to.add("compact_scan", {source}, compact_scan<Source>, kSortThreads, 0, "reads and writes 8 B a tile");
    to.add("compact_move", {source}, compact_move<Source>, kSortThreads, 0, writes);
}

template <class U>
void list_width(KernelLister& to, const char* word) {
    to.add("rank_all", {word}, rank_all<U>, kSortThreads, 0, "reads and writes n elements");
    list_compact<Survivors<U>>(to, (std::string("survivors ") + word).c_str(), "reads n elements",
                               "reads n elements, writes those kept and their indices");
    list_compact<FirstOfRuns<U>>(to, (std::string("first_of_runs ") + word).c_str(), "reads n sorted ranks",
                                 "reads n sorted ranks, writes k values and indices");
    to.add("write_sorted", {word}, write_sorted<U>, kSortThreads, 0,
           "reads k ranks, 12 B each besides; writes k values and indices");
    to.add("write_missing", {word}, write_missing<U>, kSortThreads, 0,
           "writes what is missing of k values and indices");
}

}  // namespace

void list_sort_pairs_kernels(KernelLister& to) {
    list_width<std::uint8_t>(to, "u8");
    list_width<std::uint16_t>(to, "u16");
    list_width<std::uint32_t>(to, "u32");
    list_width<std::uint64_t>(to, "u64");
}

}  // namespace cuda
}  // namespace tegu
