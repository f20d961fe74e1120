// SPDX-License-Identifier: Apache-2.0
// Kernels whose blocks sort what they select, from elements or from lists of survivors. Each block sorts its
// slice of the results, so that several blocks share many results.
#include "kernels/topk/cuda/topk.h"

#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/selection/cuda/block_sort.cuh"
#include "kernels/selection/cuda/order.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kFewPairs = 512;
constexpr std::uint64_t kMaxAtOnce = 1u << 30;  // survivors
constexpr std::size_t kStaticBytes = 10 << 10;  // at most, of shared memory

struct SliceJob {
    KeySegments in;
    const SelectState* states;  // null: the elements; else the survivors
    PairLists lists;
    SelectionOutput output;
    unsigned slice;       // results of a block
    unsigned capacity;    // pairs in shared memory: a power of two
    std::uint64_t* seen;  // [segments] gets the numbers of survivors, or null
};

// A source of elements, or of survivors.
template <class U>
struct SliceSource {
    KeyedSegment<U> segment;
    const U* keys;  // null: elements
    const std::uint64_t* indices;

    TEGU_DEVICE std::uint64_t index(std::uint64_t i) const { return keys == nullptr ? i : indices[i]; }
    TEGU_DEVICE U bits(std::uint64_t i) const {
        const U* const at = keys == nullptr ? segment.elements + segment.offset(i) : keys + i;
        return *at;
    }
    TEGU_DEVICE U key_of(U bits) const { return keys == nullptr ? segment.key_of(bits) : bits; }
};

// Fills entries without a pair, because the elements have changed. It replaces the old content of the memory.
template <class U>
TEGU_DEVICE void fill_entries(const SelectionOutput& output, std::uint64_t number, std::uint64_t begin,
                              std::uint64_t end) {
    for (std::uint64_t i = begin + thread_index(); i < end; i += block_threads()) {
        static_cast<U*>(output.values)[number * output.k + i] = 0;
        output.indices[number * output.k + i] = ~std::uint64_t{0};
    }
}

// The output of a block of select_slices, and the range that it searches.
template <class U>
struct Slice {
    const SliceJob& job;
    const KeyedSegment<U>& segment;
    std::uint64_t number;  // of the segment
    std::uint64_t begin;   // of the results
    std::uint64_t end;
    SelectRange whole;         // of all pairs
    std::uint64_t last_index;  // of the pairs

    // Writes a pair to rank `to` of the results.
    TEGU_DEVICE void write(std::uint64_t to, U key, std::uint64_t index) const {
        static_cast<U*>(job.output.values)[number * job.output.k + to] =
            decode_key(key, segment.flip, segment.is_float);
        job.output.indices[number * job.output.k + to] = index;
    }
    TEGU_DEVICE void fill(std::uint64_t first) const { fill_entries<U>(job.output, number, first, end); }
};

// The survivors of a segment.
template <class U>
struct KeyList {
    const U* keys;
    const std::uint64_t* indices;
    std::uint32_t count;
};

// Collects the pairs of a slice, and few others, in one pass over the survivors, and narrows the range to
// them. False, to all threads, if one pass is not enough. bins: zero; *used: 0.
template <class U>
TEGU_DEVICE bool block_collect_slice(const KeyList<U>& list, const Slice<U>& slice, U* keys,
                                     std::uint64_t* indices, std::uint32_t* bins, std::uint32_t* used,
                                     SelectRange* range, unsigned* collected) {
    const unsigned capacity = slice.job.capacity;
    const std::uint32_t begin = static_cast<std::uint32_t>(slice.begin);
    const std::uint32_t end = static_cast<std::uint32_t>(slice.end);
    if (list.count <= kCountedPairs && list.count <= capacity) {
        for (unsigned i = thread_index(); i < list.count; i += block_threads()) {
            keys[i] = list.keys[i];
            indices[i] = list.indices[i];
        }
        *collected = list.count;
    } else if (range->low < range->high) {
        ValueList<U> values(list.keys, list.count);
        if (!block_narrow_list(values, begin, end, capacity, bins, range)) return false;
        *collected = block_collect_list(values, *range, capacity, used,
                                        [&](std::uint32_t slot, std::uint32_t i, U key) {
                                            keys[slot] = key;
                                            indices[slot] = i;
                                        });
        // Loads all at once, because single loads would be waited for one by one.
        for (unsigned slot = thread_index(); slot < *collected; slot += block_threads())
            indices[slot] = list.indices[indices[slot]];
    } else {
        const U key = static_cast<U>(range->low);
        range->go_by_index(slice.last_index);
        ValueList<std::uint64_t> values(list.indices, list.count);
        if (!block_narrow_list(values, begin, end, capacity, bins, range)) return false;
        *collected = block_collect_list(values, *range, capacity, used,
                                        [&](std::uint32_t slot, std::uint32_t, std::uint64_t index) {
                                            keys[slot] = key;
                                            indices[slot] = index;
                                        });
    }
    block_barrier();
    return true;
}

// Selects a slice in one pass over the survivors. Returns false, to all threads, if one pass is not enough;
// then nothing is written. bins: zero; *used: 0.
template <class U>
TEGU_DEVICE bool block_slice_at_once(const KeyList<U>& list, const Slice<U>& slice, U* keys,
                                     std::uint64_t* indices, std::uint32_t* bins, std::uint32_t* used) {
    SelectRange range = slice.whole;
    unsigned collected;
    if (!block_collect_slice(list, slice, keys, indices, bins, used, &range, &collected)) return false;
    const auto write = [&](unsigned i, unsigned rank) {
        const std::uint64_t to = range.before + rank;
        if (to >= slice.begin && to < slice.end) slice.write(to, keys[i], indices[i]);
    };
    if (collected <= kCountedPairs && collected <= block_threads()) {
        block_order(keys, indices, collected, bins, write);
    } else {
        block_sort<U, true>(keys, indices, block_fill(keys, indices, collected));
        for (unsigned i = thread_index(); i < collected; i += block_threads()) write(i, i);
    }
    const std::uint64_t known = range.before + collected;
    if (known < slice.end) slice.fill(known > slice.begin ? known : slice.begin);
    return true;
}

// Selects a slice in as many passes as necessary.
template <class U>
TEGU_DEVICE void block_slice(const SliceSource<U>& source, std::uint64_t count, const Slice<U>& slice,
                             U* keys, std::uint64_t* indices, std::uint32_t* bins) {
    for (std::uint64_t rank = slice.begin; rank < slice.end;) {
        SelectRange range = slice.whole;
        if (!block_window<U>(source, count, rank, slice.end, slice.job.capacity, slice.last_index, bins,
                             &range))
            return slice.fill(rank);
        const unsigned collected =
            block_collect(source, count, keys, indices, slice.job.capacity,
                          [&](std::uint64_t i, U key) { return range.takes(source, i, key); });
        block_sort<U, true>(keys, indices, block_fill(keys, indices, collected));
        for (unsigned i = thread_index(); i < collected; i += block_threads()) {
            const std::uint64_t to = range.before + i;
            if (to >= rank && to < slice.end) slice.write(to, keys[i], indices[i]);
        }
        if (range.before + collected <= rank) return slice.fill(rank);
        rank = range.before + collected;
        block_barrier();  // the pairs have been read
    }
}

// select_slices: results [block * slice, (block + 1) * slice) of each segment, sorted.
// in:    elements [n], or the survivors' lists              out: those entries of the output
// grid:  x = slices, y = segments; or x = segments        block: policy.block_threads, fewer for few pairs
// shared: capacity * (8 + sizeof(U)) B dynamic, 9 KB static     result valid in: the output, after the launch
// moves: reads the pairs 1 to 4 times, mostly from L2       order: any
// why:   every block finds its slice by counting, sorts only that, and does not depend on other blocks
template <class U, bool Survivors>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) select_slices(SliceJob job) {
    TEGU_DYNAMIC_SHARED(shared);
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSelectBins);
    TEGU_SHARED(std::uint32_t, used);
    std::uint64_t* const indices = reinterpret_cast<std::uint64_t*>(shared);
    U* const keys = reinterpret_cast<U*>(indices + job.capacity);
    const bool sliced = job.slice < job.output.k;
    const std::uint64_t number = sliced ? block_y() : block_x();
    const std::uint64_t begin = sliced ? std::uint64_t{block_x()} * job.slice : 0;
    const std::uint64_t end = begin + job.slice < job.output.k ? begin + job.slice : job.output.k;
    const KeyedSegment<U> segment(job.in, number);
    std::uint64_t count = job.in.n;
    std::uint64_t last_index = job.in.n - 1;
    SliceSource<U> source{segment, nullptr, nullptr};
    SelectRange whole{0, ~std::uint64_t{0}, 0, count, 0, false};
    if (Survivors) {
        for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads()) bins[bin] = 0;
        if (thread_index() == 0) used = 0;
        block_barrier();
        await_launch_before();
        const SelectState state = job.states[number];
        count = state.survivors;
        if (job.seen != nullptr && begin == 0 && thread_index() == 0) job.seen[number] = count;
        if (count < job.output.k || count > job.lists.capacity)
            return fill_entries<U>(job.output, number, begin, end);
        source.keys = static_cast<const U*>(job.lists.keys) + number * job.lists.capacity;
        source.indices = job.lists.indices + number * job.lists.capacity;
        whole.low = state.best < state.key ? state.best : state.key;
        whole.high = state.key;
        whole.inside = count;
        // If all keys are equal, the last index is at most that of the cut.
        if (whole.low == whole.high && state.index < last_index) last_index = state.index;
    } else if (count > job.capacity) {
        block_extent<U>(source, count, &whole.low, &whole.high);
    }
    const Slice<U> slice{job, segment, number, begin, end, whole, last_index};
    if (Survivors && count <= kMaxAtOnce) {
        const KeyList<U> list{source.keys, source.indices, static_cast<std::uint32_t>(count)};
        if (block_slice_at_once(list, slice, keys, indices, bins, &used)) return;
    }
    block_slice(source, count, slice, keys, indices, bins);
}

// select_distinct: the best k different keys of a segment that fits in shared memory, each with its first
// index.
// in:    elements [n]                                       out: k entries, counts
// grid:  x = segments
// block: policy.block_threads, fewer for short segments
// shared: capacity * (8 + sizeof(U)) B dynamic, 256 B static    result valid in: the output, after the launch
// moves: reads n sizeof(U) B, writes k (8 + sizeof(U)) B    order: any
// why:   after the sort, equal keys are adjacent
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    select_distinct(KeySegments in, SelectionOutput output, unsigned capacity) {
    TEGU_DYNAMIC_SHARED(shared);
    std::uint64_t* const indices = reinterpret_cast<std::uint64_t*>(shared);
    U* const keys = reinterpret_cast<U*>(indices + capacity);
    const KeyedSegment<U> segment(in, block_x());
    for_each_pair<U>(segment, in.n, [&](std::uint64_t i, U key, bool valid) {
        if (!valid) return;
        keys[i] = key;
        indices[i] = i;
    });
    const unsigned count = static_cast<unsigned>(in.n);
    block_sort<U, true>(keys, indices, block_fill(keys, indices, count));
    block_write_distinct(keys, indices, count, in, output, block_x());
}

// Threads of a block that reads or sorts `pairs`: few pairs for each thread if there are few blocks.
// Otherwise more pairs, because many blocks wait at barriers.
unsigned threads_for(std::uint64_t pairs, std::uint64_t blocks, const SelectionPolicy& policy,
                     const DeviceLimits& limits) {
    const unsigned each = blocks > 2 * std::uint64_t{limits.multiprocessors} ? 16 : 4;
    return whole_warps(pairs / each + 1, policy.block_threads);
}

constexpr KernelTable<void (*)(SliceJob), 4> kSelectElements = {
    "select_slices",
    "reads the elements 1 to 4 times, mostly from the L2 cache; writes k values and indices",
#define TEGU_X(U, word) variant(select_slices<U, false>, word)
    {TEGU_WIDTHS(TEGU_X)}};
#undef TEGU_X
constexpr KernelTable<void (*)(SliceJob), 4> kSelectSurvivors = {
    "select_slices",
    "reads the survivors, mostly once and from the L2 cache; writes k values and indices",
#define TEGU_X(U, word) variant(select_slices<U, true>, word, "survivors")
    {TEGU_WIDTHS(TEGU_X)}};
#undef TEGU_X
constexpr KernelTable<decltype(&select_distinct<std::uint8_t>), 4> kSelectDistinct = {
    "select_distinct", "reads n elements, writes k values and indices", {TEGU_BY_WIDTH(select_distinct)}};

// `pairs`: the approximate number of pairs of a segment.
LaunchStatus launch_slices(SliceJob job, std::uint64_t pairs, const SelectionConfig& config) {
    const SelectionPolicy& policy = config.policy;
    const DeviceLimits& limits = config.limits;
    const unsigned capacity = block_capacity(job.in.width, policy, limits);
    // The device could not run more blocks at once, and each block reads all pairs.
    const std::uint64_t max = 1 + 2 * std::uint64_t{limits.multiprocessors} / job.in.count;
    const std::uint64_t min = (job.output.k + max - 1) / max;
    const bool one = job.in.count > 65535 || job.output.k <= policy.slice;
    job.slice = static_cast<unsigned>(one ? job.output.k : policy.slice > min ? policy.slice : min);
    // With four times as many pairs as a slice needs, the bins at both ends mostly fit. Few pairs are sorted
    // directly, without counting keys.
    const unsigned wanted = static_cast<unsigned>(up_to_power_of_two(4 * std::uint64_t{job.slice}));
    const unsigned sorted = wanted < kFewPairs ? kFewPairs : wanted;
    const unsigned needed = pairs < sorted ? static_cast<unsigned>(up_to_power_of_two(pairs)) : sorted;
    job.capacity = needed < capacity ? needed : capacity;
    const std::uint64_t slices = (job.output.k + job.slice - 1) / job.slice;
    const unsigned segments = static_cast<unsigned>(job.in.count);
    LaunchShape shape{segments, 1, threads_for(pairs, job.in.count, policy, limits),
                      job.capacity * pair_bytes(job.in.width)};
    if (slices > 1) {
        shape.blocks_x = static_cast<unsigned>(slices);
        shape.blocks_y = segments;
    }
    const unsigned index = width_index(job.in.width);
    if (job.states != nullptr)
        return shape.shared_bytes + kStaticBytes <= kPlainSharedBytes
                   ? launch_pdl_plain(kSelectSurvivors[index], shape, limits, config.stream, job)
                   : launch_pdl(kSelectSurvivors[index], shape, limits, config.stream, job);
    return launch(kSelectElements[index], shape, config.stream, job);
}

}  // namespace

unsigned block_capacity(unsigned width, const SelectionPolicy& policy, const DeviceLimits& limits) {
    return capacity_of_block(policy.capacity, pair_bytes(width), kStaticBytes, limits);
}

LaunchStatus launch_select_blocks(const KeySegments& in, const SelectionOutput& output,
                                  const SelectionConfig& config) {
    if (!output.distinct)
        return launch_slices(SliceJob{in, nullptr, {}, output, 0, 0, nullptr}, in.n, config);
    const unsigned pairs = static_cast<unsigned>(up_to_power_of_two(in.n));
    const LaunchShape shape{static_cast<unsigned>(in.count), 1,
                            threads_for(in.n, in.count, config.policy, config.limits),
                            pairs * pair_bytes(in.width)};
    return launch(kSelectDistinct[width_index(in.width)], shape, config.stream, in, output, pairs);
}

LaunchStatus launch_select_survivors(const KeySegments& in, const FilteredSegments& filtered,
                                     const SelectionOutput& output, const SelectionConfig& config) {
    return launch_slices(SliceJob{in, filtered.states, filtered.lists, output, 0, 0, filtered.seen},
                         filtered.lists.capacity, config);
}

void list_topk_kernels(KernelLister& to) {
    const SelectionPolicy policy = kDefaultSelectionPolicy;
    const auto few = [&](unsigned index) {
        return BlockSize{policy.block_threads, kFewPairs * pair_bytes(width_of_index(index))};
    };
    to.add(4, listed(kSelectElements, few), listed(kSelectSurvivors, few),
           listed(kSelectDistinct, [&](unsigned index) {
               const unsigned width = width_of_index(index);
               return BlockSize{policy.block_threads,
                                block_capacity(width, policy, to.limits()) * pair_bytes(width)};
           }));
}

}  // namespace cuda
}  // namespace tegu
