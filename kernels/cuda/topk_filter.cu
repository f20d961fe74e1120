// SPDX-License-Identifier: Apache-2.0
// What survives a cut: one pass over the elements. Nearly all of them do not, so a warp asks of many at once whether the best of them does, and looks at
// single ones only then.
#include "kernels/cuda/kernel_list.h"
#include "kernels/cuda/topk.h"
#include "kernels/cuda/topk_tile.cuh"
#include "kernels/cuda/words.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kFilterBuffer = 512;  // survivors of a block that need no place of their own in the list

// Survivors that a block has found. What does not fit goes to the list at once: where survivors are dense, warps bring many at a time.
template <class U>
struct SurvivorBuffer {
    U* ranks;
    std::uint64_t* indices;
    std::uint32_t* used;  // goes beyond the buffer's end
    SelectState* state;
    U* list_ranks;
    std::uint64_t* list_indices;
    std::uint64_t room;

    TEGU_DEVICE void store(std::uint64_t at, U rank, std::uint64_t index) const {
        if (at >= room) return;
        list_ranks[at] = rank;
        list_indices[at] = index;
    }
};

// What the lanes of a warp bring at once: each its `own` pairs.
template <class U>
struct WarpPlaces {
    std::uint32_t next;      // of this lane, in the buffer
    std::uint64_t overflow;  // in the list, of the pair that would come first behind the buffer
    std::uint32_t limit;     // the place, counted as `next`, that `overflow` stands for

    TEGU_DEVICE WarpPlaces(const SurvivorBuffer<U>& buffer, std::uint32_t own) {
        std::uint32_t sum = own;
        TEGU_UNROLL
        for (unsigned delta = 1; delta < kWarpLanes; delta *= 2) {
            const std::uint32_t lower = shuffle_up(sum, delta);
            if (lane_index() >= delta) sum += lower;
        }
        std::uint32_t first = 0;
        overflow = 0;
        if (lane_index() == kWarpLanes - 1) {
            first = atomic_add(buffer.used, sum);
            const std::uint32_t begin = first < kFilterBuffer ? kFilterBuffer : first;
            if (first + sum > begin)
                overflow = atomic_add(&buffer.state->survivors, std::uint64_t{first + sum - begin});
        }
        first = shuffle(first, kWarpLanes - 1);
        overflow = shuffle(overflow, kWarpLanes - 1);
        limit = first < kFilterBuffer ? kFilterBuffer : first;
        next = first + sum - own;
    }
    TEGU_DEVICE void take(const SurvivorBuffer<U>& buffer, U rank, std::uint64_t index) {
        if (next < kFilterBuffer) {
            buffer.ranks[next] = rank;
            buffer.indices[next] = index;
        } else {
            buffer.store(overflow + (next - limit), rank, index);
        }
        ++next;
    }
};

// filter_packs: the pairs up to the cut.
// in:    elements [n], dense                                out: lists, state.survivors, state.best
// grid:  x strides over tiles of packs of 16 bytes, y = sequences      block: policy.filter_threads
// shared: 512 * (8 + sizeof(U)) B static                    result valid in: lists and states, after the launch
// moves: reads n sizeof(U) B, writes survivors * (8 + sizeof(U)) B      order: any
// why:   where no element of a warp's packs survives, each costs its rank and one comparison; a survivor is read again, from L1
template <class U, bool Float>
TEGU_KERNEL TEGU_BOUNDS2(kFilterThreads, kFilterBlocks<U>)
    filter_packs(Sequences in, std::uint64_t begin, std::uint64_t end, SelectState* states, PairLists lists) {
    constexpr unsigned kWidth = FilterTile<U>::kWidth;
    TEGU_SHARED_ARRAY(U, ranks, kFilterBuffer);
    TEGU_SHARED_ARRAY(std::uint64_t, indices, kFilterBuffer);
    TEGU_SHARED(std::uint32_t, used);
    TEGU_SHARED(std::uint64_t, block_best);
    TEGU_SHARED(std::uint64_t, place);
    if (thread_index() == 0) {
        used = 0;
        block_best = ~std::uint64_t{0};
    }
    block_barrier();
    const std::uint64_t number = block_y();
    const U flip = static_cast<U>(in.flip);
    const U cut_rank = static_cast<U>(states[number].rank);
    const std::uint64_t cut_index = states[number].index;
    const SurvivorBuffer<U> buffer{ranks,
                                   indices,
                                   &used,
                                   states + number,
                                   static_cast<U*>(lists.ranks) + number * lists.room,
                                   lists.indices + number * lists.room,
                                   lists.room};
    FilterTile<U> tile;
    tile.elements = static_cast<const U*>(in.data) + number * in.step;
    tile.begin = begin;
    tile.end = end;
    tile.skew = reinterpret_cast<std::uintptr_t>(tile.elements) % 16 / sizeof(U);
    const std::uint64_t packs = (end + tile.skew + kWidth - 1) / kWidth;
    U best = static_cast<U>(~U{0});
    for (tile.base = (begin + tile.skew) / kWidth + block_x() * tile.size(); tile.base < packs;
         tile.base += grid_x() * tile.size()) {
        const bool inside = tile.inside();
        // Behind the cut's index only what is better survives.
        const bool behind = tile.base * kWidth > cut_index && tile.base * kWidth - cut_index > tile.skew;
        if (behind && cut_rank == 0) break;
        const U limit = static_cast<U>(behind ? cut_rank - 1 : cut_rank);
        tile.load(inside);
        const U least = tile.template encode<Float>(flip, inside);
        if (!warp_any(least <= limit)) continue;
        const bool plain = inside && (behind || (tile.base + tile.size()) * kWidth - tile.skew <= cut_index);
        std::uint32_t masks[tile.kPacks];
        std::uint32_t own = 0;
        TEGU_UNROLL
        for (unsigned j = 0; j < tile.kPacks; ++j) {
            masks[j] = 0;
            TEGU_UNROLL
            for (unsigned e = 0; e < kWidth; ++e)
                if (tile.pack[j].at[e] <= limit) masks[j] |= 1u << e;
            if (!plain) {
                const std::uint64_t first = tile.first(j);
                TEGU_UNROLL
                for (unsigned e = 0; e < kWidth; ++e)
                    if (!tile.holds(first + e) || (tile.pack[j].at[e] == cut_rank && first + e > cut_index))
                        masks[j] &= ~(1u << e);
            }
            own += count_bits(masks[j]);
        }
        if (!warp_any(own != 0)) continue;
        WarpPlaces<U> places(buffer, own);
        best = least < best && own != 0 ? least : best;
        TEGU_UNROLL
        for (unsigned j = 0; j < tile.kPacks; ++j) {
            for (std::uint32_t mask = masks[j]; mask != 0; mask &= mask - 1) {
                const std::uint64_t index = tile.first(j) + trailing_zeros(mask);
                places.take(buffer, encode_rank(tile.elements[index], flip, Float), index);
            }
        }
    }
    if (best != static_cast<U>(~U{0})) atomic_min(&block_best, std::uint64_t{best});
    block_barrier();
    const std::uint32_t kept = used < kFilterBuffer ? used : kFilterBuffer;
    if (thread_index() == 0 && used != 0) {
        place = atomic_add(&states[number].survivors, std::uint64_t{kept});
        atomic_min(&states[number].best, block_best);
    }
    block_barrier();
    for (std::uint32_t i = thread_index(); i < kept; i += block_threads())
        buffer.store(place + i, ranks[i], indices[i]);
}

// filter_rows: the same where the sequence has gaps.
// in:    elements [n] with gaps                             out: lists, state.survivors, state.best
// grid:  x strides over the elements, y = sequences         block: policy.filter_threads
// shared: none                                              result valid in: lists and states, after the launch
// moves: reads n sizeof(U) B, writes survivors * (8 + sizeof(U)) B      order: any
// why:   the general case; one division an element is hidden behind memory
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    filter_rows(Sequences in, std::uint64_t begin, std::uint64_t end, SelectState* states, PairLists lists) {
    const std::uint64_t number = block_y();
    const RankedSequence<U> sequence(in, number);
    const U cut_rank = static_cast<U>(states[number].rank);
    const std::uint64_t cut_index = states[number].index;
    U* const ranks = static_cast<U*>(lists.ranks) + number * lists.room;
    std::uint64_t* const indices = lists.indices + number * lists.room;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t base = begin + std::uint64_t{block_x()} * block_threads() + warp_index() * kWarpLanes;
         base < end; base += stride) {
        const std::uint64_t index = base + lane_index();
        const U rank = index < end ? sequence.rank(index) : U{0};
        const bool taken = index < end && !is_behind(rank, index, cut_rank, cut_index);
        const std::uint32_t lanes = warp_ballot(taken);
        if (lanes == 0) continue;
        const unsigned first = trailing_zeros(lanes);
        std::uint64_t slot = 0;
        if (lane_index() == first) slot = atomic_add(&states[number].survivors, std::uint64_t{count_bits(lanes)});
        slot = shuffle(slot, first) + count_bits(lanes & lanes_before());
        std::uint64_t best = taken ? std::uint64_t{rank} : ~std::uint64_t{0};
        for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2) {
            const std::uint64_t other = shuffle_xor(best, mask);
            best = other < best ? other : best;
        }
        if (lane_index() == first) atomic_min(&states[number].best, best);
        if (!taken || slot >= lists.room) continue;
        ranks[slot] = rank;
        indices[slot] = index;
    }
}

template <class U, bool Float>
LaunchStatus launch_filter_packs(const Sequences& in, std::uint64_t begin, std::uint64_t end, SelectState* states,
                                 const PairLists& lists, const TopkPolicy& policy, const DeviceLimits& limits,
                                 Stream stream) {
    const std::uint64_t tiles =
        (end - begin) * sizeof(U) / 16 / (std::uint64_t{policy.filter_threads} * kFilterPacks<U>)+1;
    const std::uint64_t most = std::uint64_t{limits.multiprocessors} * kFilterBlocks<U> * policy.waves;
    const unsigned blocks = static_cast<unsigned>(tiles < most ? tiles : most);
    return launch(filter_packs<U, Float>,
                  LaunchShape{blocks, static_cast<unsigned>(in.count), policy.filter_threads, 0}, stream, in, begin,
                  end, states, lists);
}

template <class U>
LaunchStatus launch_filter_typed(const Sequences& in, std::uint64_t begin, std::uint64_t end, SelectState* states,
                                 const PairLists& lists, const TopkPolicy& policy, const DeviceLimits& limits,
                                 Stream stream) {
    if (in.cols < in.n) {
        const unsigned blocks = blocks_for(end - begin, policy.filter_threads, policy.waves, limits);
        return launch(filter_rows<U>, LaunchShape{blocks, static_cast<unsigned>(in.count), policy.filter_threads, 0},
                      stream, in, begin, end, states, lists);
    }
    if (sizeof(U) > 1 && in.is_float)
        return launch_filter_packs<U, (sizeof(U) > 1)>(in, begin, end, states, lists, policy, limits, stream);
    return launch_filter_packs<U, false>(in, begin, end, states, lists, policy, limits, stream);
}

}  // namespace

LaunchStatus launch_filter(const Sequences& in, std::uint64_t begin, std::uint64_t end, SelectState* states,
                           const PairLists& lists, const TopkPolicy& policy, const DeviceLimits& limits,
                           Stream stream) {
    switch (in.width) {
        case 1: return launch_filter_typed<std::uint8_t>(in, begin, end, states, lists, policy, limits, stream);
        case 2: return launch_filter_typed<std::uint16_t>(in, begin, end, states, lists, policy, limits, stream);
        case 4: return launch_filter_typed<std::uint32_t>(in, begin, end, states, lists, policy, limits, stream);
        default: return launch_filter_typed<std::uint64_t>(in, begin, end, states, lists, policy, limits, stream);
    }
}

namespace {

template <class U>
void list_width(KernelLister& to, const char* word) {
    const unsigned threads = kDefaultTopkPolicy.filter_threads;
    const char* const moves = "reads n elements, writes those that survive";
    to.add("filter_packs", {word, "integer"}, filter_packs<U, false>, threads, 0, moves);
    if (sizeof(U) > 1) to.add("filter_packs", {word, "float"}, filter_packs<U, (sizeof(U) > 1)>, threads, 0, moves);
    to.add("filter_rows", {word}, filter_rows<U>, threads, 0, moves);
}

}  // namespace

void list_topk_filter_kernels(KernelLister& to) {
    list_width<std::uint8_t>(to, "u8");
    list_width<std::uint16_t>(to, "u16");
    list_width<std::uint32_t>(to, "u32");
    list_width<std::uint64_t>(to, "u64");
}

}  // namespace cuda
}  // namespace tegu
