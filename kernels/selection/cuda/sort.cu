// SPDX-License-Identifier: Apache-2.0
// The passes of a sort: each reads and writes every pair once. A block sorts a tile by one digit and adds the
// counts of the tiles before it, which their blocks publish meanwhile.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/block.cuh"
#include "kernels/selection/cuda/look_back.cuh"
#include "kernels/selection/cuda/sort_data.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kMaxSortThreads = 512;

// The number of pairs of a tile, or of it and all tiles before, with one value of a digit. Each pass marks
// its words, so old ones count as missing.
struct TileCount {
    std::uint64_t word;
    TEGU_DEVICE TileCount(std::uint32_t count, unsigned pass, bool with_all_before)
        : word(std::uint64_t{2 * pass + 2 + (with_all_before ? 1 : 0)} << 32 | count) {}
    TEGU_DEVICE explicit TileCount(std::uint64_t loaded) : word(loaded) {}
    TEGU_DEVICE std::uint32_t count() const { return static_cast<std::uint32_t>(word); }
    TEGU_DEVICE bool is_of(unsigned pass) const { return word >> 33 == pass + 1; }
    TEGU_DEVICE bool has_all_before() const { return (word >> 32 & 1) != 0; }
};

// The pairs with one value of a digit in all tiles before `tile`. column: the words of this value. Loads the
// words of `TilesAhead` tiles at once.
template <unsigned TilesAhead>
TEGU_DEVICE std::uint32_t count_before(const std::uint64_t* column, unsigned tile, unsigned pass) {
    std::uint32_t before = 0;
    while (tile > 0) {
        std::uint64_t words[TilesAhead];
        TEGU_UNROLL
        for (unsigned j = 0; j < TilesAhead; ++j)
            words[j] = load_published(column + std::uint64_t{tile > j ? tile - 1 - j : 0} * kSortDigits);
        TEGU_UNROLL
        for (unsigned j = 0; j < TilesAhead; ++j) {
            const TileCount found(words[j]);
            if (tile == 0 || !found.is_of(pass)) break;
            before += found.count();
            tile = found.has_all_before() ? 0 : tile - 1;
        }
    }
    return before;
}

// The place of a tile's pairs in the result: values and indices, or the next pass's input.
template <class U>
struct SortedTo {
    const SortData& data;
    U* keys;
    std::uint32_t* origins;
    bool is_output;

    TEGU_DEVICE SortedTo(const SortData& of, unsigned pass)
        : data(of),
          keys(of.keys<U>(1 - pass % 2)),
          origins(of.origins(1 - pass % 2)),
          is_output(pass + 1 == of.plan()->passes && !of.output.distinct) {}

    // Whether the elements have changed, so that there is no result.
    TEGU_DEVICE bool is_missing() const {
        if (!is_output || !data.of_survivors()) return false;
        const std::uint64_t kept = data.states[block_y()].survivors;
        return kept < data.output.k || kept > data.buffers.capacity;
    }
    // Replaces the old content of the memory.
    TEGU_DEVICE void put_none(std::uint64_t to) const {
        static_cast<U*>(data.output.values)[block_y() * data.output.k + to] = 0;
        data.output.indices[block_y() * data.output.k + to] = ~std::uint64_t{0};
    }
    TEGU_DEVICE void put(std::uint32_t to, U key, std::uint32_t origin) const {
        if (!is_output) {
            keys[to] = key;
            origins[to] = origin;
            return;
        }
        if (to >= data.output.k) return;
        const std::uint64_t at = block_y() * data.output.k + to;
        static_cast<U*>(data.output.values)[at] =
            decode_key(key, static_cast<U>(data.in.flip), data.in.is_float);
        data.output.indices[at] =
            data.of_survivors() ? data.survivors.indices[block_y() * data.buffers.capacity + origin] : origin;
    }
};

// The lanes with the same digit. Ballots take less time than the instruction that matches words.
TEGU_DEVICE std::uint32_t same_digit(unsigned digit) {
    std::uint32_t same = kAllLanes;
    TEGU_UNROLL
    for (unsigned bit = 0; bit < 8; ++bit) {
        const bool is_set = (digit >> bit & 1u) != 0;
        const std::uint32_t set = warp_ballot(is_set);
        same &= is_set ? set : ~set;
    }
    return same;
}

// sort_pass: moves every pair to its position by one digit.
// in:    keys, origins [size], plan                 out: keys, origins [size]; at last the output
// grid:  x = some of the tiles, y = segments       block: 256 or 512
// shared: threads * (Items * (sizeof(U) + 4) + 32) B dynamic, 2 KB static
// result valid in: the output, after the launch
// moves: reads and writes size * (sizeof(U) + 4) B; the first pass reads no origins, the last writes k pairs
// order: of the digits, else as the input
// why:   the counts of a tile are published before its pairs are ranked, so later tiles seldom wait; shared
//        memory orders the pairs, so that adjacent threads write adjacent pairs
template <class U, unsigned Items>
TEGU_KERNEL TEGU_BOUNDS2((kMaxSortThreads / kBlocksForRegisters), 2) sort_pass(SortData data, unsigned pass) {
    constexpr unsigned kAhead = Items == kFewSortItems ? 16 : 1;  // few tiles all start at once
    TEGU_DYNAMIC_SHARED(shared);
    TEGU_SHARED_ARRAY(std::uint32_t, offsets, kSortDigits);  // from an index in the tile to one in the output
    const unsigned tile_pairs = Items * block_threads();
    U* const tile_keys = reinterpret_cast<U*>(shared);
    std::uint32_t* const tile_origins = reinterpret_cast<std::uint32_t*>(tile_keys + tile_pairs);
    std::uint32_t* const warp_counts = tile_origins + tile_pairs;  // [warps, kSortDigits]
    std::uint32_t* const own_counts = warp_counts + warp_index() * kSortDigits;
    TEGU_UNROLL
    for (unsigned j = 0; j < kSortDigits / kWarpLanes; ++j) own_counts[j * kWarpLanes + lane_index()] = 0;
    // Nothing that the launch before writes is read before the wait.
    pdl_trigger();
    const unsigned tile = take_ticket(data.tickets() + pass, data.tiles - 1);
    const std::uint64_t begin = std::uint64_t{tile} * tile_pairs;
    const U* const keys = data.keys<U>(pass % 2) + begin;
    const std::uint32_t* const origins = data.origins(pass % 2) + begin;
    const unsigned first = warp_index() * (Items * kWarpLanes) + lane_index();
    await_launch_before();
    const SortPlan* const plan = data.plan();
    const std::uint64_t size = pass < plan->passes ? data.size() : 0;
    const std::uint64_t there = begin < size ? size - begin : 0;
    const unsigned count = there < tile_pairs ? static_cast<unsigned>(there) : tile_pairs;
    U key[Items];
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j) {
        const unsigned i = first + j * kWarpLanes;
        key[j] = i < count ? keys[i] : static_cast<U>(~U{0});
    }
    if (pass >= plan->passes) return;
    if (SortedTo<U>(data, pass).is_missing()) {
        for (std::uint64_t i = begin + thread_index(); i < begin + tile_pairs; i += block_threads())
            if (i < data.output.k) SortedTo<U>(data, pass).put_none(i);
        return;
    }
    if (count == 0) return;
    const unsigned digit = plan->digits[pass];

    // A tile that is not full ends with pairs that sort last.
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j) atomic_add(&own_counts[digit_of(key[j], digit)], 1u);
    std::uint32_t origin[Items];
    const auto load_origins = [&] {
        TEGU_UNROLL
        for (unsigned j = 0; j < Items; ++j) {
            const unsigned i = first + j * kWarpLanes;
            origin[j] = pass == 0 || i >= count ? static_cast<std::uint32_t>(begin + i) : origins[i];
        }
    };
    if (Items == kFewSortItems) load_origins();
    block_barrier();
    const unsigned value = thread_index();  // of the digit
    std::uint64_t* const column =
        data.buffers.tiles + std::uint64_t{block_y()} * data.tiles * kSortDigits + value;
    std::uint64_t* const own_word = column + std::uint64_t{tile} * kSortDigits;
    std::uint32_t in_tile = 0, offset = 0;
    if (value < kSortDigits) {
        offset = plan->starts[digit * kSortDigits + value];
        for (unsigned warp = 0; warp < block_warps(); ++warp)
            in_tile += warp_counts[warp * kSortDigits + value];
    }
    std::uint32_t total = in_tile;
    if (value == kSortDigits - 1) in_tile -= tile_pairs - count;
    if (value < kSortDigits) publish(own_word, TileCount(in_tile, pass, tile == 0).word);
    std::uint32_t next = block_sum_before<std::uint32_t>(total, &total);
    if (value < kSortDigits) {
        offset -= next;
        for (unsigned warp = 0; warp < block_warps(); ++warp) {
            const std::uint32_t own = warp_counts[warp * kSortDigits + value];
            warp_counts[warp * kSortDigits + value] = next;
            next += own;
        }
    }
    block_barrier();
    std::uint32_t ranks[Items];
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j) {
        const unsigned own = digit_of(key[j], digit);
        const std::uint32_t same = same_digit(own);
        const std::uint32_t start = own_counts[own];
        const std::uint32_t rank = start + count_bits(same & lanes_before());
        warp_barrier();
        if ((same & lanes_before()) == 0) own_counts[own] = start + count_bits(same);
        warp_barrier();
        tile_keys[rank] = key[j];
        ranks[j] = rank;
    }
    // Of many items, these loads end while the counts of other tiles arrive: registers are scarce before.
    if (Items != kFewSortItems) load_origins();
    if (value < kSortDigits) {
        const std::uint32_t before = count_before<kAhead>(column, tile, pass);
        if (tile != 0) publish(own_word, TileCount(before + in_tile, pass, true).word);
        offsets[value] = offset + before;
    }
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j) tile_origins[ranks[j]] = origin[j];
    block_barrier();
    const SortedTo<U> to(data, pass);
    for (unsigned i = thread_index(); i < count; i += block_threads()) {
        const U moved = tile_keys[i];
        to.put(offsets[digit_of(moved, digit)] + i, moved, tile_origins[i]);
    }
}

// Rows: widths; columns: few items, many items.
constexpr KernelTable<void (*)(SortData, unsigned), 8> kSortPass = {
    "sort_pass",
    "reads and writes n ranks and 4 B of origin each",
    {numbered(sort_pass<std::uint8_t, kFewSortItems>, "u8", kFewSortItems),
     numbered(sort_pass<std::uint8_t, many_sort_items(1)>, "u8", many_sort_items(1)),
     numbered(sort_pass<std::uint16_t, kFewSortItems>, "u16", kFewSortItems),
     numbered(sort_pass<std::uint16_t, many_sort_items(2)>, "u16", many_sort_items(2)),
     numbered(sort_pass<std::uint32_t, kFewSortItems>, "u32", kFewSortItems),
     numbered(sort_pass<std::uint32_t, many_sort_items(4)>, "u32", many_sort_items(4)),
     numbered(sort_pass<std::uint64_t, kFewSortItems>, "u64", kFewSortItems),
     numbered(sort_pass<std::uint64_t, many_sort_items(8)>, "u64", many_sort_items(8))}};

constexpr std::size_t sort_shared_bytes(unsigned width, SortTile tile) {
    return tile.pairs() * (width + sizeof(std::uint32_t)) +
           tile.threads / kWarpLanes * kSortDigits * sizeof(std::uint32_t);
}
constexpr std::size_t kSortStaticBytes = 4 << 10;  // more than a block has

}  // namespace

SortTile sort_tile_for(unsigned width, std::uint64_t pairs, unsigned max, const DeviceLimits& limits) {
    const unsigned many = many_sort_items(width);
    const SortTile tiles[] = {
        {kMaxSortThreads, many}, {kSortThreads, many}, {kMaxSortThreads, kFewSortItems}};
    for (const SortTile& tile : tiles)
        if (tile.pairs() <= max && tile.threads <= limits.max_threads(kMaxSortThreads) &&
            pairs / tile.pairs() >= limits.multiprocessors &&
            sort_shared_bytes(width, tile) + kSortStaticBytes <= limits.shared_bytes_per_block)
            return tile;
    return SortTile{kSortThreads, kFewSortItems};
}

LaunchStatus launch_sort(const SortJob& job, const SelectionConfig& config) {
    const SortBuffers& buffers = job.buffers;
    const std::uint64_t pairs = buffers.tile.pairs();
    const unsigned width = job.in.width, segments = static_cast<unsigned>(job.in.count);
    const unsigned tiles = static_cast<unsigned>((buffers.capacity + pairs - 1) / pairs);
    const SortData data{job.in,
                        buffers,
                        job.survivors,
                        job.states,
                        job.output,
                        tiles,
                        static_cast<unsigned>(sort_counter_words(width))};
    LaunchStatus status = launch_sort_count(job, data, config);
    const auto kernel = kSortPass[2 * width_index(width) + (buffers.tile.items == kFewSortItems ? 0 : 1)];
    for (unsigned pass = 0; pass < width && status == 0; ++pass)
        status = in_pieces(job.pieces, tiles, job.in.count * pairs, [&](std::uint64_t, std::uint64_t some) {
            const LaunchShape shape{static_cast<unsigned>(some), segments, buffers.tile.threads,
                                    sort_shared_bytes(width, buffers.tile)};
            return launch_pdl(kernel, shape, config.limits, config.stream, data, pass);
        });
    return status;
}

void list_selection_sort_kernels(KernelLister& to) {
    to.add(4, listed(kSortPass, [&](unsigned index) {
               const unsigned width = width_of_index(index / 2);
               const std::uint64_t pairs = index % 2 == 0 ? 1 : kMaxSortPairs;
               const SortTile tile =
                   sort_tile_for(width, pairs, kDefaultSelectionPolicy.sort_tile, to.limits());
               return BlockSize{tile.threads, sort_shared_bytes(width, tile)};
           }));
}

}  // namespace cuda
}  // namespace tegu
