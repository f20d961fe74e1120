// SPDX-License-Identifier: Apache-2.0
// Keeps the survivors of cuts in index order, in one pass over the elements.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/block.cuh"
#include "kernels/selection/cuda/look_back.cuh"
#include "kernels/selection/cuda/sort.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kSurvivorThreads = 512;
constexpr unsigned kSurvivorBatch = 8;    // loads in flight per thread
constexpr unsigned kSurvivorsHeld = 128;  // that a warp holds in shared memory

// Calls body(taken, key, index) for a warp's part of a segment, in index order, in all lanes at once. Skips
// runs of elements without a survivor.
template <class U, class Body>
TEGU_DEVICE void for_each_survivor(const KeyedSegment<U>& segment, std::uint64_t begin, std::uint64_t end,
                                   const SelectState& state, Body body) {
    const U cut = static_cast<U>(state.key);
    const std::uint64_t cut_index = state.index;
    const bool is_dense = segment.reciprocal == 0;
    TEGU_NO_UNROLL
    for (std::uint64_t base = begin; base < end; base += kSurvivorBatch * kWarpLanes) {
        U keys[kSurvivorBatch];
        TEGU_UNROLL
        for (unsigned j = 0; j < kSurvivorBatch; ++j) {
            const std::uint64_t at = base + j * kWarpLanes + lane_index();
            const std::uint64_t i = at < end ? at : begin;
            keys[j] = is_dense ? segment.elements[i] : segment.bits(i);
        }
        U best = static_cast<U>(~U{0});
        TEGU_UNROLL
        for (unsigned j = 0; j < kSurvivorBatch; ++j) {
            keys[j] = segment.key_of(keys[j]);
            best = keys[j] < best ? keys[j] : best;
        }
        if (!warp_any(best <= cut)) continue;
        TEGU_UNROLL
        for (unsigned j = 0; j < kSurvivorBatch; ++j) {
            const std::uint64_t i = base + j * kWarpLanes + lane_index();
            body(i < end && !is_behind(keys[j], i, cut, cut_index), keys[j], i);
        }
    }
}

// keep_survivors: lists the pairs up to the cut in index order.
// in:    elements [n], states                       out: keys, indices, state.survivors
// grid:  x = some of the blocks, y = segments      block: 256 or 512
// shared: 16 * 128 * (sizeof(U) + 4) B static
// result valid in: the lists, when all pieces are done
// moves: reads n sizeof(U) B, writes survivors * (sizeof(U) + 8) B      order: as the input
// why:   a block has a part of the elements in one piece, so it needs the counts of others only once. Warps
//        hold their survivors meanwhile; a warp with too many reads its part again, from L2
template <class U>
TEGU_KERNEL TEGU_BOUNDS2((kSurvivorThreads / kBlocksForRegisters), 2)
    keep_survivors(KeySegments in, SelectState* states, SurvivorBuffers kept, void* kept_keys,
                   std::uint64_t capacity) {
    TEGU_SHARED_ARRAY(U, held_keys, kSurvivorThreads / kWarpLanes * kSurvivorsHeld);
    TEGU_SHARED_ARRAY(std::uint32_t, held_offsets, kSurvivorThreads / kWarpLanes * kSurvivorsHeld);
    TEGU_SHARED_ARRAY(std::uint32_t, counts, kSurvivorThreads / kWarpLanes);
    pdl_trigger();
    await_launch_before();
    const std::uint64_t number = block_y();
    const unsigned block = take_ticket(kept.tickets + number, kept.blocks - 1);
    const SelectState state = states[number];
    const KeyedSegment<U> segment(in, number);
    const std::uint64_t first = (std::uint64_t{block} * block_warps() + warp_index()) * kept.part;
    const std::uint64_t begin = first < in.n ? first : in.n;
    const std::uint64_t end = in.n - begin < kept.part ? in.n : begin + kept.part;
    U* const own_keys = held_keys + warp_index() * kSurvivorsHeld;
    std::uint32_t* const own_offsets = held_offsets + warp_index() * kSurvivorsHeld;
    std::uint32_t used = 0;
    for_each_survivor<U>(segment, begin, end, state, [&](bool taken, U key, std::uint64_t i) {
        const std::uint32_t lanes = warp_ballot(taken);
        const std::uint32_t slot = used + count_bits(lanes & lanes_before());
        if (taken && slot < kSurvivorsHeld) {
            own_keys[slot] = key;
            own_offsets[slot] = static_cast<std::uint32_t>(i - begin);
        }
        used += count_bits(lanes);
    });
    if (lane_index() == 0) counts[warp_index()] = used;
    block_barrier();
    std::uint64_t in_block = 0, to = 0;
    for (unsigned warp = 0; warp < block_warps(); ++warp) {
        if (warp < warp_index()) to += counts[warp];
        in_block += counts[warp];
    }
    std::uint64_t* const words = kept.counts + number * kept.blocks;
    if (thread_index() == 0) publish(words + block, in_block << 1 | 1);
    std::uint64_t own = 0;
    for (unsigned other = thread_index(); other < block; other += block_threads()) {
        std::uint64_t word = 0;
        while (word == 0) word = load_published(words + other);
        own += word >> 1;
    }
    std::uint64_t before;
    block_sum_before<std::uint64_t>(own, &before);
    if (block + 1 == kept.blocks && thread_index() == 0) {
        states[number].survivors = before + in_block;
        if (kept.seen != nullptr) kept.seen[number] = before + in_block;
    }

    to += before;
    U* const keys = static_cast<U*>(kept_keys) + number * capacity;
    std::uint64_t* const indices = kept.indices + number * capacity;
    if (used <= kSurvivorsHeld) {
        for (std::uint32_t slot = lane_index(); slot < used; slot += kWarpLanes) {
            if (to + slot >= capacity) break;
            keys[to + slot] = own_keys[slot];
            indices[to + slot] = begin + own_offsets[slot];
        }
        return;
    }
    const std::uint64_t last = to + used < capacity ? to + used : capacity;
    for_each_survivor<U>(segment, begin, end, state, [&](bool taken, U key, std::uint64_t i) {
        const std::uint32_t lanes = warp_ballot(taken);
        const std::uint64_t slot = to + count_bits(lanes & lanes_before());
        if (taken && slot < last) {
            keys[slot] = key;
            indices[slot] = i;
        }
        to += count_bits(lanes);
    });
    // Elements that have changed leave entries. These replace the old content of the memory.
    for (to += lane_index(); to < last; to += kWarpLanes) {
        keys[to] = 0;
        indices[to] = ~std::uint64_t{0};
    }
}

constexpr KernelTable<decltype(&keep_survivors<std::uint8_t>), 4> kKeepSurvivors = {
    "keep_survivors",
    "reads n elements, writes those kept and their indices",
    {TEGU_BY_WIDTH(keep_survivors)}};

}  // namespace

void choose_survivor_blocks(std::uint64_t n, std::uint64_t count, std::uint64_t piece,
                            const DeviceLimits& limits, SurvivorBuffers* buffers) {
    const unsigned threads = limits.max_threads(kSurvivorThreads);
    const std::uint64_t warps = threads / kWarpLanes;
    const std::uint64_t at_once = blocks_for(ceil_divide(n, kSurvivorBatch), threads, 1, limits);
    const std::uint64_t in_pieces = ceil_divide(n, piece / count + 1);
    const std::uint64_t wanted = at_once / 2 > in_pieces ? at_once / 2 : in_pieces;
    buffers->part = ceil_divide(n, wanted * warps * kWarpLanes) * kWarpLanes;
    buffers->blocks = static_cast<unsigned>(ceil_divide(n, buffers->part * warps));
}

LaunchStatus launch_keep_survivors(const SortJob& job, const SelectionConfig& config) {
    const SurvivorBuffers& kept = job.survivors;
    const unsigned threads = config.limits.max_threads(kSurvivorThreads);
    const std::uint64_t in_block = job.in.count * kept.part * (threads / kWarpLanes);
    return in_pieces(job.pieces, kept.blocks, in_block, [&](std::uint64_t, std::uint64_t some) {
        const LaunchShape shape{static_cast<unsigned>(some), static_cast<unsigned>(job.in.count), threads, 0};
        return launch_pdl(kKeepSurvivors[width_index(job.in.width)], shape, config.limits, config.stream,
                          job.in, job.states, kept, job.buffers.keys[0], job.buffers.capacity);
    });
}

void list_selection_survivors_kernels(KernelLister& to) {
    to.add(4, listed(kKeepSurvivors, BlockSize{to.limits().max_threads(kSurvivorThreads), 0}));
}

}  // namespace cuda
}  // namespace tegu
