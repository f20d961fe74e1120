// SPDX-License-Identifier: Apache-2.0
// Selects the best k different values of long segments. The k-th different key of a sample is a cut that
// leaves at least k of them. One pass drops values already seen at a smaller index, so few pairs remain for
// one block to sort.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/block_sort.cuh"
#include "kernels/selection/cuda/sample.cuh"
#include "kernels/topk/cuda/tile.cuh"
#include "kernels/topk/cuda/topk.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kSeenBits = 11;
constexpr unsigned kSeenSlots = 1u << kSeenBits;
constexpr unsigned kSeenProbes = 8;
constexpr std::uint32_t kNotSeen = 0xffffffffu;

// A table of the keys that a block has seen: each slot holds the number of a kept pair, or none. A pair that
// finds no slot is kept, too.
struct SeenKeys {
    std::uint32_t* slots;  // [kSeenSlots] shared

    TEGU_DEVICE void clear() const {
        for (unsigned i = thread_index(); i < kSeenSlots; i += block_threads()) slots[i] = kNotSeen;
        block_barrier();
    }
    TEGU_DEVICE static unsigned slot_of(std::uint64_t key) {
        return static_cast<unsigned>(key * 0x9e3779b97f4a7c15u >> (64 - kSeenBits));
    }
    // Returns whether pair i must be kept: no earlier kept pair is known to have its key.
    template <class U, class Source>
    TEGU_DEVICE bool add(const Source& source, U key, std::uint32_t i) const {
        for (unsigned probe = 0; probe < kSeenProbes; ++probe) {
            std::uint32_t* const slot = slots + (slot_of(key) + probe) % kSeenSlots;
            const std::uint32_t seen = atomic_or(slot, 0);
            if (seen != kNotSeen) {
                if (source.key_of(source.bits(seen)) != key) continue;
                if (source.index(seen) < source.index(i)) return false;
            }
            atomic_min(slot, i);
            return true;
        }
        return true;
    }
};

// Takes a pair from each lane with `taken`, lower lanes first. Returns true in the lanes whose pair is kept:
// mostly one for each new key.
template <class U, class Source>
TEGU_DEVICE bool keep_of_warp(const SeenKeys& seen, const Source& source, bool taken, U key,
                              std::uint32_t i) {
    const std::uint32_t same = warp_match(taken ? SeenKeys::slot_of(key) : kSeenSlots, kSeenBits + 1);
    const unsigned first = trailing_zeros(same);
    const bool repeated = shuffle(std::uint64_t{key}, first) == key && first != lane_index();
    return taken && !repeated && seen.add(source, key, i);
}

// Reserves an index from a counter for each lane in `lanes`. All lanes call it.
template <class T>
TEGU_DEVICE T warp_take(T* counter, std::uint32_t lanes) {
    const unsigned first = trailing_zeros(lanes);
    T slot = 0;
    if (lane_index() == first) slot = atomic_add(counter, T{count_bits(lanes)});
    return shuffle(slot, first) + count_bits(lanes & lanes_before());
}

// The number of different keys among sorted ones. If there are k, one thread sets *last to the k-th. All
// threads call it.
template <class U>
TEGU_DEVICE std::uint64_t block_count_distinct(const U* keys, unsigned count, std::uint64_t k,
                                               std::uint64_t* last) {
    std::uint64_t found = 0;
    for (unsigned base = 0; base < count; base += block_threads()) {
        const unsigned i = base + thread_index();
        const bool is_new = i < count && (i == 0 || keys[i] != keys[i - 1]);
        std::uint32_t total;
        const std::uint64_t before = found + block_sum_before<std::uint32_t>(is_new ? 1 : 0, &total);
        if (is_new && before + 1 == k) *last = keys[i];
        found += total;
    }
    return found;
}

// sample_distinct: a cut at the k-th different key of a sample; behind all keys if that is not among the
// best of the sample.
// in:    elements [n]                                       out: states, all of it
// grid:  x = segments
// block: policy.block_threads, fewer for small samples
// shared: capacity * (8 + sizeof(U)) B dynamic, 9 KB static     result valid in: states, after the launch
// moves: reads `sample` sectors of memory, all at once      order: any
// why:   after the sort, equal keys are adjacent; the best of the sample are few
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
    sample_distinct(KeySegments in, std::uint64_t sample, std::uint64_t k, unsigned capacity,
                    SelectState* states) {
    TEGU_DYNAMIC_SHARED(shared);
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSelectBins);
    TEGU_SHARED(std::uint64_t, cut);
    std::uint64_t* const indices = reinterpret_cast<std::uint64_t*>(shared);
    U* const keys = reinterpret_cast<U*>(indices + capacity);
    const HeldSample<U> held(KeyedSegment<U>(in, block_x()), sample);
    if (thread_index() == 0) cut = static_cast<U>(~U{0});
    const SelectRange range = block_narrow<U>(held, sample, capacity / 2, capacity, in.n - 1, bins);
    const unsigned collected =
        block_collect(held, sample, keys, indices, capacity,
                      [&](std::uint64_t i, U key) { return range.reaches(held, i, key); });
    block_sort<U, true>(keys, indices, block_fill(keys, indices, collected));
    block_count_distinct(keys, collected, k, &cut);
    block_barrier();
    if (thread_index() == 0) states[block_x()] = SelectState{cut, ~std::uint64_t{0}, 0, 0, 0};
}

// filter_distinct: lists pairs with keys up to the cut, and drops most repeated keys.
// in:    elements [n]                                       out: lists, state.survivors
// grid:  x strides over tiles, y = segments                block: policy.filter_threads
// shared: 8 KB static
// result valid in: lists and states, after the launch
// moves: reads n sizeof(U) B, and an element that was seen for each that may repeat it      order: any
// why:   a table in the block finds a repeated value, nearly always in the first slot
template <class U>
TEGU_KERNEL TEGU_BOUNDS2(kFilterThreads, (2 * kBlocksForRegisters))
    filter_distinct(KeySegments in, std::uint64_t begin, std::uint64_t end, SelectState* states,
                    PairLists lists) {
    TEGU_SHARED_ARRAY(std::uint32_t, slots, kSeenSlots);
    const SeenKeys seen{slots};
    seen.clear();
    pdl_trigger();
    await_launch_before();
    const std::uint64_t number = block_y();
    const KeyedSegment<U> segment(in, number);
    const bool is_dense = segment.reciprocal == 0;
    const U cut = static_cast<U>(states[number].key);
    const std::uint64_t tile = std::uint64_t{block_threads()} * kSelectBatch;
    for (std::uint64_t base = begin + block_x() * tile; base < end; base += grid_x() * tile) {
        U keys[kSelectBatch];
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j) {
            const std::uint64_t at = base + j * block_threads() + thread_index();
            const std::uint64_t i = at < end ? at : begin;
            keys[j] = is_dense ? segment.elements[i] : segment.bits(i);
        }
        U min = static_cast<U>(~U{0});
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j) {
            keys[j] = segment.key_of(keys[j]);
            min = keys[j] < min ? keys[j] : min;
        }
        if (!warp_any(min <= cut)) continue;
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j) {
            const std::uint64_t i = base + j * block_threads() + thread_index();
            const bool taken = i < end && keys[j] <= cut;
            if (!warp_any(taken)) continue;
            const bool kept = keep_of_warp(seen, segment, taken, keys[j], static_cast<std::uint32_t>(i));
            const std::uint32_t lanes = warp_ballot(kept);
            if (lanes == 0) continue;
            const std::uint64_t slot = warp_take(&states[number].survivors, lanes);
            if (!kept || slot >= lists.capacity) continue;
            static_cast<U*>(lists.keys)[number * lists.capacity + slot] = keys[j];
            lists.indices[number * lists.capacity + slot] = i;
        }
    }
}

// A list as a source of kernels/selection/cuda/block.cuh.
template <class U>
struct ListSource {
    U* keys;
    std::uint64_t* indices;
    TEGU_DEVICE ListSource(const PairLists& lists, std::uint64_t number)
        : keys(static_cast<U*>(lists.keys) + number * lists.capacity),
          indices(lists.indices + number * lists.capacity) {}
    TEGU_DEVICE U bits(std::uint64_t i) const { return keys[i]; }
    TEGU_DEVICE U key_of(U key) const { return key; }
    TEGU_DEVICE std::uint64_t index(std::uint64_t i) const { return indices[i]; }
};

// Copies pairs from one list to another and drops most repeated keys. Returns their number.
template <class U>
TEGU_DEVICE unsigned block_drop_repeated(const ListSource<U>& from, unsigned count, const ListSource<U>& to,
                                         std::uint32_t* slots) {
    TEGU_SHARED(std::uint32_t, used);
    const SeenKeys seen{slots};
    if (thread_index() == 0) used = 0;
    seen.clear();
    for_each_pair<U>(from, count, [&](std::uint64_t i, U key, bool valid) {
        const bool kept = valid && seen.add(from, key, static_cast<std::uint32_t>(i));
        const std::uint32_t lanes = warp_ballot(kept);
        if (lanes == 0) return;
        const std::uint32_t slot = warp_take(&used, lanes);
        if (!kept) return;
        to.keys[slot] = key;
        to.indices[slot] = from.indices[i];
    });
    block_barrier();
    return used;
}

// select_distinct_survivors: the best k different keys of a list, each with its first index.
// in:    lists, states
// out:   the output; state.found, all ones where the block cannot determine them
// grid:  x = segments                                      block: policy.block_threads
// shared: capacity * (8 + sizeof(U)) B dynamic, 17 KB static    result valid in: the output, after the launch
// moves: reads the survivors a few times, from L2           order: any
// why:   repeats that several blocks of the previous pass kept are dropped first; then few keys are equal,
//        and the sort is small
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
    select_distinct_survivors(KeySegments in, SelectState* states, PairLists lists, PairLists kept,
                              SelectionOutput output, std::uint64_t* seen, unsigned capacity) {
    TEGU_DYNAMIC_SHARED(shared);
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSelectBins);
    TEGU_SHARED_ARRAY(std::uint32_t, slots, kSeenSlots);
    TEGU_SHARED(std::uint64_t, unused);
    std::uint64_t* const indices = reinterpret_cast<std::uint64_t*>(shared);
    U* const keys = reinterpret_cast<U*>(indices + capacity);
    const std::uint64_t number = block_x();
    const std::uint64_t survivors = states[number].survivors;
    if (thread_index() == 0) {
        states[number].found = ~std::uint64_t{0};
        if (seen != nullptr) seen[number] = ~std::uint64_t{0};
    }
    if (survivors > lists.capacity) return;
    const ListSource<U> source(kept, number);
    const unsigned count =
        block_drop_repeated(ListSource<U>(lists, number), static_cast<unsigned>(survivors), source, slots);
    std::uint64_t enough = 512;
    while (enough < 4 * output.k) enough *= 2;
    for (;; enough *= 4) {
        if (enough > capacity) enough = capacity;
        const SelectRange range = block_narrow<U>(source, count, enough / 2, enough, in.n - 1, bins);
        const bool all = count <= enough;
        const unsigned collected =
            block_collect(source, count, keys, indices, capacity,
                          [&](std::uint64_t i, U key) { return range.reaches(source, i, key); });
        block_sort<U, true>(keys, indices, block_fill(keys, indices, collected));
        if (all || block_count_distinct(keys, collected, output.k, &unused) >= output.k) {
            block_write_distinct(keys, indices, collected, in, output, number);
            break;
        }
        if (enough == capacity) return;
        block_barrier();  // the pairs have been read
    }
    if (thread_index() != 0) return;
    states[number].found = 0;
    if (seen != nullptr) seen[number] = output.counts[number];
}

constexpr KernelTable<decltype(&sample_distinct<std::uint8_t>), 4> kSampleDistinct = {
    "sample_distinct", "reads a sector of 32 B an element of the sample", {TEGU_BY_WIDTH(sample_distinct)}};
constexpr KernelTable<decltype(&filter_distinct<std::uint8_t>), 4> kFilterDistinct = {
    "filter_distinct", "reads n elements, writes those that survive", {TEGU_BY_WIDTH(filter_distinct)}};
constexpr KernelTable<decltype(&select_distinct_survivors<std::uint8_t>), 4> kSelectDistinctSurvivors = {
    "select_distinct_survivors",
    "reads the survivors a few times, from the L2 cache",
    {TEGU_BY_WIDTH(select_distinct_survivors)}};

constexpr unsigned kSortedPairs = 1024;  // of a sample, at least

}  // namespace

unsigned distinct_capacity(unsigned width, const SelectionPolicy& policy, const DeviceLimits& limits) {
    return capacity_of_block(policy.capacity, pair_bytes(width), 18 << 10, limits);
}

LaunchStatus launch_distinct_cut(const KeySegments& in, std::uint64_t k, SelectState* states,
                                 const SelectionConfig& config) {
    const std::uint64_t sample = sample_size(in.n, in.width, config.policy, config.limits);
    const unsigned threads =
        whole_warps(sample, block_threads_of(config.policy.block_threads, config.limits));
    const unsigned capacity = distinct_capacity(in.width, config.policy, config.limits);
    unsigned best = 1;
    while (best < capacity && (best < 4 * k || best < kSortedPairs)) best *= 2;
    const LaunchShape shape{static_cast<unsigned>(in.count), 1, threads, best * pair_bytes(in.width)};
    return launch(kSampleDistinct[width_index(in.width)], shape, config.stream, in, sample, k, best, states);
}

LaunchStatus launch_distinct_filter(const KeySegments& in, const ElementRange& range,
                                    const FilteredSegments& filtered, const SelectionConfig& config) {
    const unsigned threads = filter_threads_of(config.policy, config.limits);
    const unsigned blocks =
        blocks_for((range.end - range.begin) / kSelectBatch + 1, threads, config.policy.waves, config.limits);
    return launch_pdl(kFilterDistinct[width_index(in.width)],
                      LaunchShape{blocks, static_cast<unsigned>(in.count), threads, 0}, config.limits,
                      config.stream, in, range.begin, range.end, filtered.states, filtered.lists);
}

LaunchStatus launch_distinct_survivors(const KeySegments& in, const FilteredSegments& filtered,
                                       const SelectionOutput& output, const SelectionConfig& config) {
    const unsigned capacity = distinct_capacity(in.width, config.policy, config.limits);
    const unsigned threads = block_threads_of(config.policy.block_threads, config.limits);
    const LaunchShape shape{static_cast<unsigned>(in.count), 1, threads, capacity * pair_bytes(in.width)};
    return launch(kSelectDistinctSurvivors[width_index(in.width)], shape, config.stream, in, filtered.states,
                  filtered.lists, filtered.spare, output, filtered.seen, capacity);
}

void list_topk_distinct_kernels(KernelLister& to) {
    const SelectionPolicy policy = kDefaultSelectionPolicy;
    const auto with_pairs = [&](unsigned index, unsigned pairs) {
        return BlockSize{block_threads_of(policy.block_threads, to.limits()),
                         pairs * pair_bytes(width_of_index(index))};
    };
    to.add(4, listed(kSampleDistinct, [&](unsigned index) { return with_pairs(index, kSortedPairs); }),
           listed(kFilterDistinct, BlockSize{filter_threads_of(policy, to.limits()), 0}),
           listed(kSelectDistinctSurvivors, [&](unsigned index) {
               return with_pairs(index, distinct_capacity(width_of_index(index), policy, to.limits()));
           }));
}

}  // namespace cuda
}  // namespace tegu
