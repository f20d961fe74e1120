// SPDX-License-Identifier: Apache-2.0
// A pass of the sort is three launches: count digits per tile, sum the counts, move. In a tile each warp takes a part in order, and lanes with the same digit
// find each other, so the order within a digit is kept without a sort in shared memory.
#include "kernels/cuda/sort.h"

#include "kernels/cuda/kernel_list.h"
#include "kernels/cuda/select_block.cuh"
#include "kernels/cuda/topk.h"  // its policy has the tile

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kSortWarps = kSortThreads / kWarpLanes;
constexpr unsigned kSortItems = 16;  // pairs of a thread at most
constexpr unsigned kCompactItems = 8;

// --- ranks ------------------------------------------------------------------------------------------------------------------

// rank_all: the rank of every element.
// in:    elements [n]                               out: ranks [n]
// grid:  x strides over the elements, y = sequences block: 256
// shared: none                                      result valid in: ranks, after the launch
// moves: reads n sizeof(U) B, writes as much        order: any
// why:   the passes of the sort then read one kind of input
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) rank_all(Sequences in, U* ranks, std::uint64_t room) {
    const RankedSequence<U> sequence(in, block_y());
    U* const out = ranks + block_y() * room;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = std::uint64_t{block_x()} * block_threads() + thread_index(); i < in.n; i += stride)
        out[i] = sequence.rank(i);
}

// --- what is kept, in order -------------------------------------------------------------------------------------------------

// Elements up to the cut.
template <class U>
struct Survivors {
    Sequences in;
    const SelectState* states;
    U* ranks;
    std::uint64_t* indices;
    std::uint64_t room;

    TEGU_DEVICE std::uint64_t size(std::uint64_t) const { return in.n; }
    TEGU_DEVICE bool takes(std::uint64_t number, std::uint64_t i) const {
        const RankedSequence<U> sequence(in, number);
        return !is_behind(sequence.rank(i), i, static_cast<U>(states[number].rank), states[number].index);
    }
    TEGU_DEVICE void put(std::uint64_t number, std::uint64_t i, std::uint64_t place) const {
        if (place >= room) return;
        ranks[number * room + place] = RankedSequence<U>(in, number).rank(i);
        indices[number * room + place] = i;
    }
    TEGU_DEVICE static void set_total(SelectState* state, std::uint64_t total, std::uint64_t) {
        state->survivors = total;
    }
};

// The first of each run of equal ones among sorted ranks.
template <class U>
struct FirstOfRuns {
    Sequences in;
    const U* ranks;
    const std::uint32_t* origins;
    TopkOutput output;

    TEGU_DEVICE std::uint64_t size(std::uint64_t) const { return in.n; }
    TEGU_DEVICE bool takes(std::uint64_t number, std::uint64_t i) const {
        const U* const sorted = ranks + number * in.n;
        return i == 0 || sorted[i] != sorted[i - 1];
    }
    TEGU_DEVICE void put(std::uint64_t number, std::uint64_t i, std::uint64_t place) const {
        if (place >= output.k) return;
        const std::uint64_t at = number * output.k + place;
        static_cast<U*>(output.values)[at] =
            decode_rank(ranks[number * in.n + i], static_cast<U>(in.flip), in.is_float);
        output.indices[at] = origins[number * in.n + i];
    }
    TEGU_DEVICE static void set_total(SelectState* state, std::uint64_t total, std::uint64_t k) {
        state->found = total < k ? total : k;
    }
};

// A block's part of a sequence, in order.
struct TilePart {
    std::uint64_t begin;
    std::uint64_t end;
    TEGU_DEVICE explicit TilePart(std::uint64_t n) {
        const std::uint64_t step = kSortThreads * kCompactItems;
        const std::uint64_t size = ((n + grid_x() - 1) / grid_x() + step - 1) / step * step;
        begin = size * block_x() < n ? size * block_x() : n;
        end = begin + size < n ? begin + size : n;
    }
};

// compact_count: how many each tile keeps.
// in:    what the source reads                      out: tiles [count, kMaxCompactTiles]
// grid:  x = tiles, y = sequences                   block: 256
// shared: 128 B static                              result valid in: tiles, after the launch
// moves: reads the input once                       order: any
// why:   places in order need the counts of what comes before
template <class Source>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) compact_count(Source source, std::uint64_t* tiles) {
    const std::uint64_t number = block_y();
    const TilePart part(source.size(number));
    std::uint32_t own = 0;
    for (std::uint64_t i = part.begin + thread_index(); i < part.end; i += kSortThreads)
        own += source.takes(number, i) ? 1 : 0;
    std::uint64_t total;
    block_sum_before<std::uint64_t>(own, &total);
    if (thread_index() == 0) tiles[number * kMaxCompactTiles + block_x()] = total;
}

// compact_scan: what all tiles before keep, and the total.
// in/out: tiles                                     out: states
// grid:  x = sequences                              block: 256, fewer where there are fewer tiles
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
        const std::uint64_t place = before + block_sum_before<std::uint64_t>(i < tile_count ? own[i] : 0, &total);
        if (i < tile_count) own[i] = place;
        before += total;
    }
    if (thread_index() == 0) Source::set_total(&states[block_x()], before, k);
}

// compact_move: what is kept goes to its place.
// in:    what the source reads, tiles               out: what the source writes
// grid:  x = tiles, y = sequences                   block: 256
// shared: 128 B static                              result valid in: the output, after the launch
// moves: reads the input once, writes what is kept  order: as the input
// why:   eight neighbours a thread: the places of a thread's elements follow from one sum over the block
template <class Source>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) compact_move(Source source, const std::uint64_t* tiles) {
    const std::uint64_t number = block_y();
    const TilePart part(source.size(number));
    std::uint64_t place = tiles[number * kMaxCompactTiles + block_x()];
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
}

// Of a block that takes `items`, one a thread at a time.
unsigned threads_for(unsigned items) {
    return items < kSortThreads ? (items + kWarpLanes - 1) / kWarpLanes * kWarpLanes : kSortThreads;
}

template <class Source>
LaunchStatus launch_compact(const Source& source, std::uint64_t n, std::uint64_t count, SelectState* states,
                            std::uint64_t k, std::uint64_t* tiles, const DeviceLimits& limits, Stream stream) {
    unsigned tile_count = blocks_for((n + kCompactItems - 1) / kCompactItems, kSortThreads, 2, limits);
    if (tile_count > kMaxCompactTiles) tile_count = kMaxCompactTiles;
    const LaunchShape shape{tile_count, static_cast<unsigned>(count), kSortThreads, 0};
    LaunchStatus status = launch(compact_count<Source>, shape, stream, source, tiles);
    if (status == 0)
        status = launch(compact_scan<Source>, LaunchShape{static_cast<unsigned>(count), 1, threads_for(tile_count), 0},
                        stream, tiles, tile_count, states, k);
    if (status == 0)
        status = launch(compact_move<Source>, shape, stream, source, static_cast<const std::uint64_t*>(tiles));
    return status;
}

// --- the sort ---------------------------------------------------------------------------------------------------------------

template <class U>
struct SortPass {
    const U* ranks;
    const std::uint32_t* origins;  // null: in their order
    U* ranks_out;
    std::uint32_t* origins_out;
    std::uint32_t* counts;
    std::uint32_t* totals;
    const SelectState* states;  // null: room pairs
    std::uint64_t room;
    unsigned tile;
    unsigned tiles;  // for `room` pairs
    unsigned shift;

    TEGU_DEVICE std::uint64_t size() const {
        if (states == nullptr) return room;
        const std::uint64_t survivors = states[block_y()].survivors;
        return survivors < room ? survivors : room;
    }
    TEGU_DEVICE unsigned digit(U rank) const { return static_cast<unsigned>(rank >> shift) % kSortDigits; }
    TEGU_DEVICE std::uint32_t* counts_of(unsigned digit) const {
        return counts + (std::uint64_t{block_y()} * kSortDigits + digit) * tiles;
    }
};

// sort_count: the digits of each tile.
// in:    ranks [size]                               out: counts [digit, tile]
// grid:  x = tiles, y = sequences                   block: 256
// shared: 1 KB static                               result valid in: counts, after the launch
// moves: reads size * sizeof(U) B                   order: any
// why:   the counts say where each tile's digits begin
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) sort_count(SortPass<U> pass) {
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSortDigits);
    const std::uint64_t size = pass.size();
    const std::uint64_t begin = std::uint64_t{block_x()} * pass.tile;
    if (begin >= size) return;
    const std::uint64_t end = begin + pass.tile < size ? begin + pass.tile : size;
    const U* const ranks = pass.ranks + block_y() * pass.room;
    bins[thread_index()] = 0;
    block_barrier();
    for (std::uint64_t i = begin + thread_index(); i < end; i += kSortThreads)
        atomic_add(&bins[pass.digit(ranks[i])], 1u);
    block_barrier();
    pass.counts_of(thread_index())[block_x()] = bins[thread_index()];
}

// sort_scan: of each digit, what all tiles before have, and the total.
// in/out: counts [digit, tile]                      out: totals [digit]
// grid:  x = digits, y = sequences                  block: 256, fewer where there are fewer tiles
// shared: 128 B static                              result valid in: counts and totals, after the launch
// moves: 8 B a tile                                 order: any
// why:   a block for each digit: all are summed at once
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) sort_scan(SortPass<U> pass) {
    std::uint32_t* const counts = pass.counts_of(block_x());
    const unsigned tiles = static_cast<unsigned>((pass.size() + pass.tile - 1) / pass.tile);
    std::uint32_t before = 0;
    for (unsigned base = 0; base < tiles; base += block_threads()) {
        const unsigned i = base + thread_index();
        std::uint32_t total;
        const std::uint32_t place = before + block_sum_before<std::uint32_t>(i < tiles ? counts[i] : 0, &total);
        if (i < tiles) counts[i] = place;
        before += total;
    }
    if (thread_index() == 0) pass.totals[block_y() * kSortDigits + block_x()] = before;
}

// sort_move: every pair goes to its place.
// in:    ranks, origins [size], counts, totals      out: ranks, origins [size]
// grid:  x = tiles, y = sequences                   block: 256
// shared: tile * (sizeof(U) + 4) B dynamic, 10 KB static      result valid in: the output, after the launch
// moves: reads and writes size * (sizeof(U) + 4) B  order: of the digits, else as the input
// why:   pairs are put in order in shared memory first, so that what is written lies side by side
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads) sort_move(SortPass<U> pass) {
    TEGU_DYNAMIC_SHARED(shared);
    TEGU_SHARED_ARRAY(std::uint32_t, warp_counts, kSortWarps * kSortDigits);
    TEGU_SHARED_ARRAY(std::uint32_t, starts, kSortDigits);   // of a digit in the tile
    TEGU_SHARED_ARRAY(std::uint32_t, offsets, kSortDigits);  // from a place in the tile to one in the output
    const std::uint64_t size = pass.size();
    const std::uint64_t begin = std::uint64_t{block_x()} * pass.tile;
    if (begin >= size) return;
    const unsigned count = static_cast<unsigned>(begin + pass.tile < size ? pass.tile : size - begin);
    const U* const ranks = pass.ranks + block_y() * pass.room + begin;
    U* const tile_ranks = reinterpret_cast<U*>(shared);
    std::uint32_t* const tile_origins = reinterpret_cast<std::uint32_t*>(tile_ranks + pass.tile);

    for (unsigned i = thread_index(); i < kSortWarps * kSortDigits; i += kSortThreads) warp_counts[i] = 0;
    block_barrier();
    std::uint32_t* const own_counts = warp_counts + warp_index() * kSortDigits;
    const unsigned part = pass.tile / kSortWarps;  // of a warp
    U rank[kSortItems];
    std::uint32_t place[kSortItems];
    TEGU_UNROLL
    for (unsigned j = 0; j < kSortItems; ++j) {
        if (j * kWarpLanes >= part) break;
        const unsigned i = warp_index() * part + j * kWarpLanes + lane_index();
        rank[j] = i < count ? ranks[i] : U{0};
    }
    TEGU_UNROLL
    for (unsigned j = 0; j < kSortItems; ++j) {
        if (j * kWarpLanes >= part) break;
        const unsigned i = warp_index() * part + j * kWarpLanes + lane_index();
        const unsigned digit = i < count ? pass.digit(rank[j]) : kSortDigits;
        const std::uint32_t same = warp_match(digit, 9);
        place[j] = i < count ? own_counts[digit] + count_bits(same & lanes_before()) : 0;
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
    offsets[thread_index()] = base + pass.counts_of(thread_index())[block_x()] - start;
    block_barrier();
    TEGU_UNROLL
    for (unsigned j = 0; j < kSortItems; ++j) {
        if (j * kWarpLanes >= part) break;
        const unsigned i = warp_index() * part + j * kWarpLanes + lane_index();
        if (i >= count) continue;
        const unsigned digit = pass.digit(rank[j]);
        const std::uint32_t to = starts[digit] + own_counts[digit] + place[j];
        tile_ranks[to] = rank[j];
        tile_origins[to] = pass.origins == nullptr ? static_cast<std::uint32_t>(begin + i)
                                                   : pass.origins[block_y() * pass.room + begin + i];
    }
    block_barrier();
    for (unsigned i = thread_index(); i < count; i += kSortThreads) {
        const U moved = tile_ranks[i];
        const std::uint64_t to = block_y() * pass.room + static_cast<std::uint32_t>(offsets[pass.digit(moved)] + i);
        pass.ranks_out[to] = moved;
        pass.origins_out[to] = tile_origins[i];
    }
}

template <class U>
LaunchStatus launch_sort_typed(std::uint64_t count, const SelectState* states, const SortBuffers& buffers,
                               Stream stream) {
    const unsigned tiles = static_cast<unsigned>((buffers.room + buffers.tile - 1) / buffers.tile);
    const LaunchShape per_tile{tiles, static_cast<unsigned>(count), kSortThreads, 0};
    const LaunchShape per_digit{kSortDigits, static_cast<unsigned>(count), threads_for(tiles), 0};
    for (unsigned number = 0; number < sizeof(U); ++number) {
        const unsigned from = number % 2;
        const SortPass<U> pass{static_cast<const U*>(buffers.ranks[from]),
                               number == 0 ? nullptr : buffers.origins[from],
                               static_cast<U*>(buffers.ranks[1 - from]),
                               buffers.origins[1 - from],
                               buffers.counts,
                               buffers.totals,
                               states,
                               buffers.room,
                               buffers.tile,
                               tiles,
                               8 * number};
        LaunchStatus status = launch(sort_count<U>, per_tile, stream, pass);
        if (status == 0) status = launch(sort_scan<U>, per_digit, stream, pass);
        LaunchShape move = per_tile;
        move.shared_bytes = buffers.tile * (sizeof(U) + sizeof(std::uint32_t));
        if (status == 0) status = launch(sort_move<U>, move, stream, pass);
        if (status != 0) return status;
    }
    return 0;
}

// --- results ----------------------------------------------------------------------------------------------------------------

// write_sorted: the first k pairs.
// in:    ranks, origins sorted, indices             out: values, indices
// grid:  x strides over the entries, y = sequences  block: 256
// shared: none                                      result valid in: the output, after the launch
// moves: reads k (sizeof(U) + 12) B, writes k (sizeof(U) + 8) B      order: any
// why:   the last step of the sort would have to know that it is the last
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    write_sorted(Sequences in, const SelectState* states, const U* ranks, const std::uint32_t* origins,
                 std::uint64_t room, const std::uint64_t* indices, TopkOutput output) {
    const std::uint64_t number = block_y();
    if (states != nullptr && (states[number].survivors < output.k || states[number].survivors > room)) return;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = std::uint64_t{block_x()} * block_threads() + thread_index(); i < output.k; i += stride) {
        const std::uint32_t origin = origins[number * room + i];
        static_cast<U*>(output.values)[number * output.k + i] =
            decode_rank(ranks[number * room + i], static_cast<U>(in.flip), in.is_float);
        output.indices[number * output.k + i] = indices == nullptr ? origin : indices[number * room + origin];
    }
}

// write_missing: value 0 and index -1 behind the last result, and the counts.
// in:    states                                     out: values, indices, counts
// grid:  x strides over the entries, y = sequences  block: 256
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
    return LaunchShape{blocks_for(entries, kSortThreads, 4, limits), static_cast<unsigned>(count), kSortThreads, 0};
}

template <class U>
struct Typed {
    static LaunchStatus rank_all_of(const Sequences& in, const SortBuffers& buffers, const DeviceLimits& limits,
                                    Stream stream) {
        return launch(rank_all<U>, entries_shape(in.n, in.count, limits), stream, in, static_cast<U*>(buffers.ranks[0]),
                      buffers.room);
    }
    static LaunchStatus survivors(const Sequences& in, SelectState* states, const SortBuffers& buffers,
                                  std::uint64_t* indices, std::uint64_t* tiles, const DeviceLimits& limits,
                                  Stream stream) {
        const Survivors<U> source{in, states, static_cast<U*>(buffers.ranks[0]), indices, buffers.room};
        return launch_compact(source, in.n, in.count, states, 0, tiles, limits, stream);
    }
    static LaunchStatus write(const Sequences& in, const SelectState* states, const SortBuffers& buffers,
                              const std::uint64_t* indices, const TopkOutput& output, const DeviceLimits& limits,
                              Stream stream) {
        return launch(write_sorted<U>, entries_shape(output.k, in.count, limits), stream, in, states,
                      static_cast<const U*>(buffers.ranks[sorted_in(sizeof(U))]),
                      static_cast<const std::uint32_t*>(buffers.origins[sorted_in(sizeof(U))]), buffers.room, indices,
                      output);
    }
    static LaunchStatus distinct(const Sequences& in, SelectState* states, const SortBuffers& buffers,
                                 const TopkOutput& output, std::uint64_t* tiles, const DeviceLimits& limits,
                                 Stream stream) {
        const FirstOfRuns<U> source{in, static_cast<const U*>(buffers.ranks[sorted_in(sizeof(U))]),
                                    buffers.origins[sorted_in(sizeof(U))], output};
        const LaunchStatus status = launch_compact(source, in.n, in.count, states, output.k, tiles, limits, stream);
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

LaunchStatus launch_rank_all(const Sequences& in, const SortBuffers& buffers, const DeviceLimits& limits,
                             Stream stream){TEGU_FOR_WIDTH(in.width, rank_all_of(in, buffers, limits, stream))}

LaunchStatus
    launch_compact_survivors(const Sequences& in, SelectState* states, const SortBuffers& buffers,
                             std::uint64_t* indices, std::uint64_t* tiles, const DeviceLimits& limits, Stream stream){
        TEGU_FOR_WIDTH(in.width, survivors(in, states, buffers, indices, tiles, limits, stream))}

LaunchStatus launch_sort(unsigned width, std::uint64_t count, const SelectState* states, const SortBuffers& buffers,
                         Stream stream) {
    switch (width) {
        case 1: return launch_sort_typed<std::uint8_t>(count, states, buffers, stream);
        case 2: return launch_sort_typed<std::uint16_t>(count, states, buffers, stream);
        case 4: return launch_sort_typed<std::uint32_t>(count, states, buffers, stream);
        default: return launch_sort_typed<std::uint64_t>(count, states, buffers, stream);
    }
}

LaunchStatus launch_write_sorted(const Sequences& in, const SelectState* states, const SortBuffers& buffers,
                                 const std::uint64_t* indices, const TopkOutput& output, const DeviceLimits& limits,
                                 Stream stream){
    TEGU_FOR_WIDTH(in.width, write(in, states, buffers, indices, output, limits, stream))}

LaunchStatus
    launch_write_distinct(const Sequences& in, SelectState* states, const SortBuffers& buffers,
                          const TopkOutput& output, std::uint64_t* tiles, const DeviceLimits& limits, Stream stream) {
    TEGU_FOR_WIDTH(in.width, distinct(in, states, buffers, output, tiles, limits, stream))
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
    const std::size_t tile = sort_tile_for(sizeof(U), kDefaultTopkPolicy.sort_tile);
    to.add("rank_all", {word}, rank_all<U>, kSortThreads, 0, "reads and writes n elements");
    list_compact<Survivors<U>>(to, (std::string("survivors ") + word).c_str(), "reads n elements", "reads n elements, writes those kept and their indices");
    list_compact<FirstOfRuns<U>>(to, (std::string("first_of_runs ") + word).c_str(), "reads n sorted ranks", "reads n sorted ranks, writes k values and indices");
    to.add("sort_count", {word}, sort_count<U>, kSortThreads, 0, "reads n ranks");
    to.add("sort_scan", {word}, sort_scan<U>, kSortThreads, 0, "reads and writes 1 KiB a tile");
    to.add("sort_move", {word}, sort_move<U>, kSortThreads, tile * (sizeof(U) + sizeof(std::uint32_t)), "reads and writes n ranks and 4 B of origin each");
    to.add("write_sorted", {word}, write_sorted<U>, kSortThreads, 0, "reads k ranks, 12 B each besides; writes k values and indices");
    to.add("write_missing", {word}, write_missing<U>, kSortThreads, 0, "writes what is missing of k values and indices");
}

}  // namespace

void list_sort_kernels(KernelLister& to) {
    list_width<std::uint8_t>(to, "u8");
    list_width<std::uint16_t>(to, "u16");
    list_width<std::uint32_t>(to, "u32");
    list_width<std::uint64_t>(to, "u64");
}

}  // namespace cuda
}  // namespace tegu
