// SPDX-License-Identifier: Apache-2.0
// Keeps the elements that survive a cut, in one pass. Nearly all elements are dropped. So a warp first tests
// many elements at once, and tests single elements only if one may survive.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/cut_minima.cuh"
#include "kernels/topk/cuda/limit.cuh"
#include "kernels/topk/cuda/tile.cuh"
#include "kernels/topk/cuda/topk.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kFilterBuffer = 512;  // survivors of a block that are buffered in shared memory
constexpr unsigned kFewLanes = 4;        // up to this many lanes reserve entries individually

// The survivors that a block has found. If the buffer is full, they go directly to the list; a warp then adds
// many at a time.
template <class U>
struct SurvivorBuffer {
    U* keys;
    std::uint64_t* indices;
    std::uint32_t* used;  // may exceed the buffer's capacity
    std::uint64_t* survivors;
    const PairLists& lists;  // a parameter of the kernel, for segment block_y(): it takes no registers

    TEGU_DEVICE void store(std::uint64_t at, U key, std::uint64_t index) const {
        if (at >= lists.capacity) return;
        at += block_y() * lists.capacity;
        static_cast<U*>(lists.keys)[at] = key;
        lists.indices[at] = index;
    }
};

// Entries for the pairs of a warp's lanes; each lane adds `own` pairs.
template <class U>
struct WarpSlots {
    std::uint32_t next;      // the lane's next entry, counted from the buffer's start
    std::uint64_t overflow;  // the list index of the first pair beyond the buffer
    std::uint32_t limit;     // the value of `next` that `overflow` corresponds to

    TEGU_DEVICE WarpSlots(const SurvivorBuffer<U>& buffer, std::uint32_t own)
        : next(0), overflow(0), limit(0) {
        if (count_bits(warp_ballot(own != 0)) <= kFewLanes) {
            if (own != 0) reserve(buffer, own);
            return;
        }
        std::uint32_t sum = own;
        TEGU_UNROLL
        for (unsigned delta = 1; delta < kWarpLanes; delta *= 2) {
            const std::uint32_t lower = shuffle_up(sum, delta);
            if (lane_index() >= delta) sum += lower;
        }
        if (lane_index() == kWarpLanes - 1) reserve(buffer, sum);
        overflow = shuffle(overflow, kWarpLanes - 1);
        limit = shuffle(limit, kWarpLanes - 1);
        next = shuffle(next, kWarpLanes - 1) + sum - own;
    }
    TEGU_DEVICE void take(const SurvivorBuffer<U>& buffer, U key, std::uint64_t index) {
        if (next < kFilterBuffer) {
            buffer.keys[next] = key;
            buffer.indices[next] = index;
        } else {
            buffer.store(overflow + (next - limit), key, index);
        }
        ++next;
    }

  private:
    TEGU_DEVICE void reserve(const SurvivorBuffer<U>& buffer, std::uint32_t count) {
        next = atomic_add(buffer.used, count);
        limit = next < kFilterBuffer ? kFilterBuffer : next;
        if (next + count > limit)
            overflow = atomic_add(buffer.survivors, std::uint64_t{next + count - limit});
    }
};

// The mask of the surviving elements of a tile, with bits as in FilterTile::position_of().
template <class U, bool Float>
TEGU_DEVICE std::uint32_t survivors_of(const FilterTile<U>& tile, const FilterPacks<U>& packs,
                                       std::uint32_t base, const FilterCut<U, Float>& cut, U flip) {
    constexpr unsigned kWidth = FilterTile<U>::kWidth;
    bool any = false;
    TEGU_UNROLL
    for (unsigned j = 0; j < tile.kPacks; ++j) {
        const KeyLimit<U, Float> limit = cut.limit(packs.run(base, j) * kWidth);
        TEGU_UNROLL
        for (unsigned e = 0; e < kWidth; ++e) any |= limit.admits(tile.pack[j].at[e], flip);
    }
    std::uint32_t mask = 0;
    if (!warp_any(any)) return mask;
    bool exact = tile.is_whole(packs, base);
    TEGU_UNROLL
    for (unsigned j = 0; j < tile.kPacks; ++j) {
        const std::uint32_t begin = packs.run(base, j) * kWidth;
        const std::uint32_t end = begin + block_threads() * kWidth;
        const KeyLimit<U, Float> limit = cut.limit(begin);
        // Behind a cut at the best key nothing survives. A limit cannot express that.
        exact = exact && limit.exact && (begin >= cut.behind ? !cut.none_behind : end <= cut.behind);
        TEGU_UNROLL
        for (unsigned e = 0; e < kWidth; ++e)
            if (limit.admits(tile.pack[j].at[e], flip)) mask |= 1u << (j * kWidth + e);
    }
    if (exact) return mask;
    std::uint32_t kept = 0;
    TEGU_NO_UNROLL
    for (; mask != 0; mask &= mask - 1) {
        const std::uint32_t at = tile.position_of(packs, base, trailing_zeros(mask));
        if (packs.holds(at) && cut.keeps(encode_key(packs.origin[at], flip, Float), at))
            kept |= mask & (0u - mask);
    }
    return kept;
}

// The cut of a segment: found among the minima of a sample, or that of the state. Stores a found one. own:
// the thread's entry, without a board. board: of the segment, or null.
template <class U, bool Float>
TEGU_DEVICE FilterCut<U, Float> block_cut(const GroupMinima& minima, const MinimaEntry<U>& own,
                                          std::uint64_t* board, SelectState* state, const U* elements,
                                          const FilterPacks<U>& packs, U flip) {
    if (board == nullptr && minima.keys == nullptr)
        return FilterCut<U, Float>(static_cast<U>(state->key), packs.behind(state->index), flip);
    U key;
    std::uint64_t index;
    if (board != nullptr) {
        std::uint64_t entry = 0;
        if (thread_index() < minima.sample.groups)
            entry = wait_for_entry(minima, board, elements, flip, Float);
        block_cut_among(minima, static_cast<U>(entry >> 32), static_cast<std::uint32_t>(entry) - 1, &key,
                        &index);
    } else {
        block_cut_among(minima, own.key, own.number, &key, &index);
    }
    if (block_x() == 0 && thread_index() == 0) {
        state->key = key;
        state->index = index;
    }
    return FilterCut<U, Float>(key, packs.behind(index), flip);
}

// filter_packs: lists the pairs up to the cut.
// in:    elements [n], dense; a board, minima or states
// out:   lists, the cut; survivors and best of the board, or else of the state
// grid:  x strides over runs of packs of 16 bytes, y = segments      block: policy.filter_threads
// shared: 512 * (8 + sizeof(U)) B static
// result valid in: lists and states, after the launch
// moves: reads n sizeof(U) B, writes survivors * (8 + sizeof(U)) B      order: any
// why:   the next packs load while the current ones are tested, the first ones before the cut is known. With
//        boards no launch before takes the sample: the second of two launches reaches the device
//        microseconds later. A survivor is read again, from L1
template <class U, bool Float>
TEGU_KERNEL TEGU_BOUNDS2(kFilterThreads, (kFilterBlocks<U> * kBlocksForRegisters))
    filter_packs(KeySegments in, std::uint64_t begin, std::uint64_t end, SelectState* states, PairLists lists,
                 GroupMinima minima) {
    TEGU_SHARED_ARRAY(U, keys, kFilterBuffer);
    TEGU_SHARED_ARRAY(std::uint64_t, indices, kFilterBuffer);
    TEGU_SHARED(std::uint32_t, used);
    TEGU_SHARED(std::uint64_t, block_best);
    TEGU_SHARED(std::uint64_t, first_slot);
    if (thread_index() == 0) {
        used = 0;
        block_best = ~std::uint64_t{0};
    }
    const std::uint64_t number = block_y();
    const U flip = static_cast<U>(in.flip);
    const U worst = KeyLimit<U, Float>::worst(flip);
    const U* const elements = static_cast<const U*>(in.data) + number * in.step;
    const FilterPacks<U> packs(elements, begin, end);
    const std::uint32_t count = packs.count();
    std::uint64_t* const board =
        sizeof(U) > 4 || minima.boards == nullptr ? nullptr : minima.boards + number * minima.board_words;
    const bool samples = board != nullptr && block_x() < minima.shares;
    const ShareSpot spot = samples ? ShareSpot(minima.sample, block_x()) : ShareSpot();
    U sampled = 0;
    if (spot.valid) sampled = elements[sampled_index(minima, spot.number)];
    pdl_trigger();
    // The launch of a sample has mostly ended. Behind the packs, its entries would arrive much later.
    const bool has_entries = board == nullptr && minima.keys != nullptr;
    MinimaEntry<U> own;
    if (has_entries) {
        await_launch_before();
        own = MinimaEntry<U>(minima, number);
    }
    FilterTile<U> next;
    next.load(packs, packs.first(), worst);
    block_barrier();
    if (!has_entries) await_launch_before();
    if (samples) {
        const std::uint64_t entry =
            board_entry(static_cast<std::uint32_t>(encode_key(sampled, flip, Float)), spot.number);
        block_post_share(board, minima.sample, block_x(), spot.valid ? entry : ~std::uint64_t{0}, indices);
    }
    const FilterCut<U, Float> cut =
        block_cut<U, Float>(minima, own, board, states + number, elements, packs, flip);
    std::uint64_t* const survivors = board != nullptr ? board + kBoardSurvivors : &states[number].survivors;
    const SurvivorBuffer<U> buffer{keys, indices, &used, survivors, lists};
    U best = static_cast<U>(~U{0});
    TEGU_NO_UNROLL
    for (std::uint32_t base = packs.first(); base < count; base = packs.run(base, next.kPacks)) {
        if (!kFilterAhead<U> && base != packs.first()) next.load(packs, base, worst);
        const FilterTile<U> tile = next;
        if (kFilterAhead<U>) next.load(packs, packs.run(base, next.kPacks), worst);
        if (cut.none_behind && base * tile.kWidth >= cut.behind) break;
        std::uint32_t mask = survivors_of(tile, packs, base, cut, flip);
        if (!warp_any(mask != 0)) continue;
        WarpSlots<U> slots(buffer, count_bits(mask));
        TEGU_NO_UNROLL
        for (; mask != 0; mask &= mask - 1) {
            const std::uint32_t at = tile.position_of(packs, base, trailing_zeros(mask));
            const U key = encode_key(packs.origin[at], flip, Float);
            best = key < best ? key : best;
            slots.take(buffer, key, packs.index + at);
        }
    }
    if (best != static_cast<U>(~U{0})) atomic_min(&block_best, std::uint64_t{best});
    block_barrier();
    const std::uint32_t kept = used < kFilterBuffer ? used : kFilterBuffer;
    if (thread_index() == 0 && used != 0) {
        first_slot = atomic_add(survivors, std::uint64_t{kept});
        if (board != nullptr)
            atomic_max(&board[kBoardBest], ~block_best);
        else
            atomic_min(&states[number].best, block_best);
    }
    block_barrier();
    for (std::uint32_t i = thread_index(); i < kept; i += block_threads())
        buffer.store(first_slot + i, keys[i], indices[i]);
}

// filter_rows: as filter_packs, for a segment with gaps.
// in:    elements [n] with gaps                             out: lists, state.survivors, state.best
// grid:  x strides over the elements, y = segments         block: policy.filter_threads
// shared: none
// result valid in: lists and states, after the launch
// moves: reads n sizeof(U) B, writes survivors * (8 + sizeof(U)) B      order: any
// why:   the general case; the latency of memory hides one division for each element
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
    filter_rows(KeySegments in, std::uint64_t begin, std::uint64_t end, SelectState* states,
                PairLists lists) {
    const std::uint64_t number = block_y();
    const KeyedSegment<U> segment(in, number);
    const U cut_key = static_cast<U>(states[number].key);
    const std::uint64_t cut_index = states[number].index;
    U* const keys = static_cast<U*>(lists.keys) + number * lists.capacity;
    std::uint64_t* const indices = lists.indices + number * lists.capacity;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t base = begin + std::uint64_t{block_x()} * block_threads() + warp_index() * kWarpLanes;
         base < end; base += stride) {
        const std::uint64_t index = base + lane_index();
        const U key = index < end ? segment.key(index) : U{0};
        const bool taken = index < end && !is_behind(key, index, cut_key, cut_index);
        const std::uint32_t lanes = warp_ballot(taken);
        if (lanes == 0) continue;
        const unsigned first = trailing_zeros(lanes);
        std::uint64_t slot = 0;
        if (lane_index() == first)
            slot = atomic_add(&states[number].survivors, std::uint64_t{count_bits(lanes)});
        slot = shuffle(slot, first) + count_bits(lanes & lanes_before());
        std::uint64_t best = taken ? std::uint64_t{key} : ~std::uint64_t{0};
        for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2) {
            const std::uint64_t other = shuffle_xor(best, mask);
            best = other < best ? other : best;
        }
        if (lane_index() == first) atomic_min(&states[number].best, best);
        if (!taken || slot >= lists.capacity) continue;
        keys[slot] = key;
        indices[slot] = index;
    }
}

using PacksKernel = void (*)(KeySegments, std::uint64_t, std::uint64_t, SelectState*, PairLists, GroupMinima);
using RowsKernel = void (*)(KeySegments, std::uint64_t, std::uint64_t, SelectState*, PairLists);
constexpr const char* kMoves = "reads n elements, writes those that survive";
// Rows: widths; columns: integers, floats.
constexpr KernelTable<PacksKernel, 8> kFilterPacks = {
    "filter_packs",
    kMoves,
    {variant(filter_packs<std::uint8_t, false>, "u8", "integer"),
     {},
     variant(filter_packs<std::uint16_t, false>, "u16", "integer"),
     variant(filter_packs<std::uint16_t, true>, "u16", "float"),
     variant(filter_packs<std::uint32_t, false>, "u32", "integer"),
     variant(filter_packs<std::uint32_t, true>, "u32", "float"),
     variant(filter_packs<std::uint64_t, false>, "u64", "integer"),
     variant(filter_packs<std::uint64_t, true>, "u64", "float")}};
constexpr KernelTable<RowsKernel, 4> kFilterRows = {"filter_rows", kMoves, {TEGU_BY_WIDTH(filter_rows)}};

// Blocks that pass over some elements of each dense segment.
unsigned packs_blocks(const KeySegments& in, std::uint64_t elements, const SelectionConfig& config) {
    const unsigned threads = filter_threads_of(config.policy, config.limits);
    // Half a tile: twice as many blocks take less time where there are few.
    const std::uint64_t tile = std::uint64_t{threads} * (filter_tile_packs(in.width) / 2);
    const std::uint64_t tiles = elements * in.width / 16 / tile + 1;
    const unsigned resident = filter_blocks(in.width) * (kFilterMaxThreads / threads > 1 ? 2 : 1);
    const std::uint64_t max = std::uint64_t{config.limits.multiprocessors} * resident * config.policy.waves;
    return static_cast<unsigned>(tiles < max ? tiles : max);
}
// Blocks that a sample occupies: a thread samples one pair.
std::uint32_t shares_of(const GroupedSample& sample, unsigned threads) {
    return sample.groups == 0 ? 0
                              : static_cast<std::uint32_t>(ceil_divide(sample.groups, threads / sample.each));
}

}  // namespace

LaunchStatus launch_filter(const KeySegments& in, const ElementRange& range, const FilteredSegments& filtered,
                           const SelectionConfig& config) {
    const DeviceLimits& limits = config.limits;
    const unsigned waves = config.policy.waves;
    const unsigned width = width_index(in.width), threads = filter_threads_of(config.policy, limits);
    const unsigned segments = static_cast<unsigned>(in.count);
    if (in.cols < in.n) {
        const unsigned blocks = blocks_for(range.end - range.begin, threads, waves, limits);
        return launch(kFilterRows[width], LaunchShape{blocks, segments, threads, 0}, config.stream, in,
                      range.begin, range.end, filtered.states, filtered.lists);
    }
    GroupMinima minima = filtered.minima;
    // Without boards a group may be larger than a block.
    const bool samples = minima.boards != nullptr && range.begin == 0;
    minima.shares = samples ? shares_of(minima.sample, threads) : 0;
    const LaunchShape shape{packs_blocks(in, range.end - range.begin, config), segments, threads, 0};
    return launch_pdl(kFilterPacks[2 * width + (in.is_float ? 1 : 0)], shape, limits, config.stream, in,
                      range.begin, range.end, filtered.states, filtered.lists, minima);
}

bool filter_samples(const KeySegments& in, const GroupedSample& sample, const SelectionConfig& config) {
    const unsigned threads = filter_threads_of(config.policy, config.limits);
    if (in.width > 4 || in.cols < in.n || sample.groups == 0 || sample.each > threads) return false;
    // With more blocks the sample waits for the first packs of all: then a launch of its own takes less time.
    const std::uint64_t blocks = packs_blocks(in, in.n, config);
    return shares_of(sample, threads) <= blocks && 2 * blocks * in.count <= config.limits.multiprocessors;
}

void list_topk_filter_kernels(KernelLister& to) {
    const BlockSize block{filter_threads_of(kDefaultSelectionPolicy, to.limits()), 0};
    to.add(4, listed(kFilterPacks, block), listed(kFilterRows, block));
}

}  // namespace cuda
}  // namespace tegu
