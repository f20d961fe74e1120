// SPDX-License-Identifier: Apache-2.0
// Selects very few different keys in one pass. Each warp holds the best of its elements, a key for each lane.
// Blocks and the whole device then merge these lists.
#include <type_traits>

#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/selection/cuda/block.cuh"
#include "kernels/topk/cuda/topk.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kFewThreads = 512;
constexpr std::uint32_t kNoIndex = 0xffffffffu;

// Words of a list in memory: of each key and its index, and the first index of the key ~0.
constexpr unsigned kListIndices = kFewDistinct + 1;

// The smallest different keys of a warp, each with its first index: lane l has the l-th. The key ~0 marks a
// lane without one; elements with this key are not in the list.
template <class U>
struct WarpBest {
    static constexpr U kNone = static_cast<U>(~U{0});
    // shuffles move words
    using Word = typename std::conditional<(sizeof(U) > 4), std::uint64_t, std::uint32_t>::type;

    U key = kNone;
    std::uint32_t index = kNoIndex;

    TEGU_DEVICE U last(unsigned k) const { return static_cast<U>(shuffle(Word{key}, k - 1)); }

    // Adds a key to the k best. Returns false if it is behind them.
    TEGU_DEVICE bool add(U added, std::uint32_t at, unsigned k) {
        if (warp_any(key == added)) {
            if (key == added && at < index) index = at;
            return true;
        }
        const unsigned position = count_bits(warp_ballot(key < added));
        if (position >= k) return false;
        const U lower_key = static_cast<U>(shuffle_up(Word{key}, 1));
        const std::uint32_t lower_index = shuffle_up(index, 1);
        if (lane_index() > position) {
            key = lower_key;
            index = lower_index;
        }
        if (lane_index() == position) {
            key = added;
            index = at;
        }
        return true;
    }

    // Adds the keys of all lanes; index_of(j) is the index of a lane's key j. Clears the keys.
    template <unsigned Count, class IndexOf>
    TEGU_DEVICE void add_all(U (&keys)[Count], unsigned k, IndexOf index_of) {
        for (;;) {
            U own = kNone;
            TEGU_UNROLL
            for (unsigned j = 0; j < Count; ++j) own = keys[j] < own ? keys[j] : own;
            const U best = warp_min_key(own);
            if (best == kNone) return;
            std::uint32_t at = kNoIndex;
            TEGU_UNROLL
            for (unsigned j = 0; j < Count; ++j) {
                if (keys[j] != best) continue;
                at = index_of(j) < at ? index_of(j) : at;
                keys[j] = kNone;
            }
            if (!add(best, warp_min(at), k)) return;
        }
    }

    // Merges up to 32 sorted lists: lane l has that of keys and indices. Keys that are none end a list.
    TEGU_DEVICE void merge(const U* keys, const std::uint32_t* indices, bool has_list, unsigned k) {
        unsigned at = 0;
        key = kNone;
        index = kNoIndex;
        for (unsigned t = 0; t < k; ++t) {
            const bool has_more = has_list && at < k;
            const U own = has_more ? keys[at] : U{kNone};
            const U best = warp_min_key(own);
            if (best == kNone) return;
            const std::uint32_t first = warp_min(own == best ? indices[at] : kNoIndex);
            if (own == best) ++at;
            if (lane_index() != t) continue;
            key = best;
            index = first;
        }
    }
};

// The lists of a block's warps, in shared memory.
template <class U>
struct BlockLists {
    U* keys;                 // [kFewThreads / 32, 32]
    std::uint32_t* indices;  // likewise

    TEGU_DEVICE void put(const WarpBest<U>& best) const {
        keys[thread_index()] = best.key;
        indices[thread_index()] = best.index;
    }
    // All lanes of one warp call it, after a barrier.
    TEGU_DEVICE WarpBest<U> merged(unsigned k) const {
        WarpBest<U> best;
        const unsigned list = lane_index() < block_warps() ? lane_index() : 0;
        best.merge(keys + list * kWarpLanes, indices + list * kWarpLanes, lane_index() < block_warps(), k);
        return best;
    }
};

// Gives all lanes the k-th of the different keys of a block's warps, one each; ~0 if they are fewer. All
// threads call it. keys: [block_warps()] shared.
template <class U>
TEGU_DEVICE U block_kth_of_warps(U own, unsigned k, U* keys) {
    using Word = typename WarpBest<U>::Word;
    if (lane_index() == 0) keys[warp_index()] = own;
    block_barrier();
    const U key = lane_index() < block_warps() ? keys[lane_index()] : WarpBest<U>::kNone;
    unsigned smaller = 0;
    bool repeats = false;
    TEGU_UNROLL
    for (unsigned lane = 0; lane < kFewThreads / kWarpLanes; ++lane) {
        const U other = static_cast<U>(shuffle(Word{key}, lane));
        const bool is_first = !warp_any(key == other && lane_index() < lane);
        if (is_first && other < key) ++smaller;
        repeats = repeats || (key == other && lane_index() > lane);
    }
    const bool is_kth = !repeats && smaller == k - 1 && key != WarpBest<U>::kNone;
    return warp_min_key(is_kth ? key : U{WarpBest<U>::kNone});
}

// few_distinct: the best k different keys, each with its first index, k up to 32.
// in:    elements [begin, end); the result of the piece before
// out:   the output and seen; before the last piece, the result so far
// grid:  x = blocks, y = segments                          block: 512, fewer where a block has few registers
// shared: 3 to 6 KB static
// result valid in: the output, after the last launch
// moves: reads n sizeof(U) B                                order: any
// why:   keys beyond a block's k-th best are dropped after one comparison, repeated keys after two; so any
//        values take the same time
template <class U>
TEGU_KERNEL TEGU_BOUNDS2((kFewThreads / kBlocksForRegisters), 2)
    few_distinct(KeySegments in, std::uint64_t begin, std::uint64_t end, FewDistinct lists,
                 SelectionOutput output, std::uint64_t* seen) {
    constexpr U kNone = WarpBest<U>::kNone;
    constexpr unsigned kStep = kSelectBatch * kWarpLanes;
    TEGU_SHARED_ARRAY(U, shared_keys, kFewThreads);
    TEGU_SHARED_ARRAY(std::uint32_t, shared_indices, kFewThreads);
    TEGU_SHARED(std::uint32_t, first_none);  // index of the key ~0
    TEGU_SHARED(std::uint64_t, shared_bound);
    if (thread_index() == 0) first_none = kNoIndex;
    const BlockLists<U> of_block{shared_keys, shared_indices};
    const unsigned k = static_cast<unsigned>(output.k);
    const KeyedSegment<U> segment(in, block_y());
    const bool is_dense = segment.reciprocal == 0;
    const std::uint64_t warps = std::uint64_t{grid_x()} * block_warps();
    const std::uint64_t part = ((end - begin + warps - 1) / warps + kStep - 1) / kStep * kStep;
    const std::uint64_t own_begin = begin + (std::uint64_t{block_x()} * block_warps() + warp_index()) * part;
    const std::uint64_t own_end = own_begin + part < end ? own_begin + part : end;

    WarpBest<U> best;
    U limit = kNone;         // the first key that is not needed, or ~0
    bool wants_none = true;  // fewer than k keys are known: the key ~0 may be among the results
    std::uint32_t none = kNoIndex;
    for (std::uint64_t done = 0; done < part; done += kStep) {
        const std::uint64_t base = own_begin + done;
        const bool is_whole = base + kStep <= own_end;
        U keys[kSelectBatch];
        if (is_whole && is_dense) {
            TEGU_UNROLL
            for (unsigned j = 0; j < kSelectBatch; ++j)
                keys[j] = segment.elements[base + lane_index() + j * kWarpLanes];
        } else {
            TEGU_UNROLL
            for (unsigned j = 0; j < kSelectBatch; ++j) {
                const std::uint64_t at = base + j * kWarpLanes + lane_index();
                keys[j] = segment.bits(at < own_end ? at : begin);
            }
        }
        U smallest = kNone;
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j) {
            keys[j] = segment.key_of(keys[j]);
            smallest = keys[j] < smallest ? keys[j] : smallest;
        }
        if (done == 0 && k <= block_warps()) {
            const U bound = block_kth_of_warps(warp_min_key(is_whole ? smallest : U{kNone}), k, shared_keys);
            wants_none = bound == kNone;
            if (bound < limit) limit = static_cast<U>(bound + 1);
            block_barrier();  // the keys have been read
        }
        if (wants_none || warp_any(smallest < limit)) {
            TEGU_UNROLL
            for (unsigned j = 0; j < kSelectBatch; ++j) {
                const std::uint64_t at = base + j * kWarpLanes + lane_index();
                const bool is_there = is_whole || at < own_end;
                if (is_there && keys[j] == kNone && at < none) none = static_cast<std::uint32_t>(at);
                if (!is_there || keys[j] >= limit) keys[j] = kNone;
            }
            const std::uint32_t own_first = static_cast<std::uint32_t>(base) + lane_index();
            best.add_all(keys, k, [&](unsigned j) { return own_first + j * kWarpLanes; });
            const U last = best.last(k);
            limit = last < limit ? last : limit;
        }
        if (done == 0 && part > kStep) {
            of_block.put(best);
            block_barrier();
            if (warp_index() == 0) {
                const U last = of_block.merged(k).last(k);
                if (lane_index() == 0) shared_bound = last;
            }
            block_barrier();
            const U bound = static_cast<U>(shared_bound);
            wants_none = bound == kNone;
            // The block's k-th key itself is needed, but not by the warp whose k-th it is.
            if (bound < limit) limit = static_cast<U>(bound + 1);
        }
    }
    block_barrier();  // first_none is set
    if (none != kNoIndex) atomic_min(&first_none, none);
    of_block.put(best);
    block_barrier();

    U* const all_keys =
        static_cast<U*>(lists.keys) + std::uint64_t{block_y()} * (lists.blocks + 1) * kFewDistinct;
    std::uint32_t* const all_indices =
        lists.indices + std::uint64_t{block_y()} * (lists.blocks + 1) * kListIndices;
    // List 0 is the result of the piece before.
    const auto write_list = [&](unsigned list, const WarpBest<U>& from, std::uint32_t of_none) {
        all_keys[list * kFewDistinct + lane_index()] = from.key;
        all_indices[list * kListIndices + lane_index()] = from.index;
        if (lane_index() == 0) all_indices[list * kListIndices + kFewDistinct] = of_none;
    };
    if (warp_index() == 0) write_list(block_x() + 1, of_block.merged(k), first_none);
    if (!last_block(lists.tickets + block_y(), grid_x())) return;

    const unsigned first = begin == 0 ? 1 : 0, list_end = grid_x() + 1;
    const unsigned entries = (list_end - first) * k;
    best = WarpBest<U>();
    for (unsigned list = first + thread_index(); list < list_end; list += block_threads())
        atomic_min(&first_none, all_indices[list * kListIndices + kFewDistinct]);
    if (list_end - first <= kWarpLanes && entries <= block_threads()) {
        // Few lists: a warp merges them, each in a lane.
        if (thread_index() < entries) {
            const unsigned list = first + thread_index() / k, at = thread_index() % k;
            shared_keys[thread_index()] = all_keys[list * kFewDistinct + at];
            shared_indices[thread_index()] = all_indices[list * kListIndices + at];
        }
        block_barrier();
        if (warp_index() != 0) return;
        const unsigned list = lane_index() < list_end - first ? lane_index() : 0;
        best.merge(shared_keys + list * k, shared_indices + list * k, lane_index() < list_end - first, k);
    } else {
        // All loads of a batch at once.
        for (unsigned base = 0; base < entries; base += kSelectBatch * block_threads()) {
            U keys[kSelectBatch];
            std::uint32_t indices[kSelectBatch];
            TEGU_UNROLL
            for (unsigned j = 0; j < kSelectBatch; ++j) {
                const unsigned entry = base + j * block_threads() + thread_index();
                const unsigned list = first + (entry < entries ? entry / k : 0), at = entry % k;
                keys[j] = all_keys[list * kFewDistinct + at];
                indices[j] = all_indices[list * kListIndices + at];
                if (entry >= entries) keys[j] = kNone;
            }
            best.add_all(keys, k, [&](unsigned j) { return indices[j]; });
        }
        of_block.put(best);
        block_barrier();
        if (warp_index() != 0) return;
        best = of_block.merged(k);
    }
    if (end < in.n) {
        write_list(0, best, first_none);
        return;
    }
    unsigned found = count_bits(warp_ballot(best.key != kNone));
    if (found < k && first_none != kNoIndex) {
        if (lane_index() == found) best.index = first_none;
        ++found;
    }
    if (lane_index() < k) {
        const std::uint64_t at = std::uint64_t{block_y()} * k + lane_index();
        const bool is_there = lane_index() < found;
        static_cast<U*>(output.values)[at] =
            is_there ? decode_key(best.key, static_cast<U>(in.flip), in.is_float) : U{0};
        output.indices[at] = is_there ? std::uint64_t{best.index} : ~std::uint64_t{0};
    }
    if (lane_index() != 0) return;
    output.counts[block_y()] = found;
    if (seen != nullptr) seen[block_y()] = found;
}

constexpr KernelTable<decltype(&few_distinct<std::uint8_t>), 4> kFewDistinctKernels = {
    "few_distinct", "reads n elements", {TEGU_BY_WIDTH(few_distinct)}};

}  // namespace

unsigned few_distinct_blocks(std::uint64_t n, std::uint64_t count, const DeviceLimits& limits) {
    const unsigned threads = limits.max_threads(kFewThreads);
    const std::uint64_t at_once = std::uint64_t{limits.multiprocessors} * (1024 / threads);
    const std::uint64_t wanted = ceil_divide(n, std::uint64_t{threads} * kSelectBatch);
    const std::uint64_t max = at_once / count < threads ? at_once / count : threads - 1;
    const std::uint64_t blocks = wanted < max ? wanted : max;
    return blocks > 1 ? static_cast<unsigned>(blocks) : 1;
}

LaunchStatus launch_few_distinct(const KeySegments& in, const ElementRange& range, const FewDistinct& lists,
                                 const SelectionOutput& output, std::uint64_t* seen,
                                 const SelectionConfig& config) {
    return launch(
        kFewDistinctKernels[width_index(in.width)],
        LaunchShape{lists.blocks, static_cast<unsigned>(in.count), config.limits.max_threads(kFewThreads), 0},
        config.stream, in, range.begin, range.end, lists, output, seen);
}

void list_topk_distinct_few_kernels(KernelLister& to) {
    to.add(4, listed(kFewDistinctKernels, BlockSize{to.limits().max_threads(kFewThreads), 0}));
}

}  // namespace cuda
}  // namespace tegu
