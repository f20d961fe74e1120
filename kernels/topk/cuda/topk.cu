// SPDX-License-Identifier: Apache-2.0
// Kernels whose blocks sort what they select, from elements or from lists of survivors. Each block sorts its
// slice of the results, so that several blocks share many results.
#include "kernels/topk/cuda/topk.h"

#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/topk/cuda/slice.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kFewPairs = 512;
constexpr std::size_t kStaticBytes = 10 << 10;  // at most, of shared memory

// select_slices: results [block * slice, (block + 1) * slice) of each segment, sorted.
// in:    elements [n], or the survivors' lists              out: those entries of the output
// grid:  x = slices, y = segments; or x = segments        block: policy.block_threads, fewer for few pairs
// shared: capacity * (8 + sizeof(U)) B dynamic, 9 KB static     result valid in: the output, after the launch
// moves: reads the pairs 1 to 4 times, mostly from L2       order: any
// why:   every block finds its slice by counting, sorts only that, and does not depend on other blocks
template <class U, bool Survivors>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters) select_slices(SliceJob job) {
    TEGU_DYNAMIC_SHARED(shared);
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSelectBins);
    TEGU_SHARED(std::uint32_t, used);
    const std::uint64_t number = job.is_sliced() ? block_y() : block_x();
    const std::uint64_t begin = job.is_sliced() ? std::uint64_t{block_x()} * job.slice : 0;
    const std::uint64_t end = begin + job.slice < job.output.k ? begin + job.slice : job.output.k;
    if (Survivors) {
        for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads()) bins[bin] = 0;
        if (thread_index() == 0) used = 0;
        block_barrier();
        await_launch_before();
    }
    block_select_slice<U, Survivors>(job, number, begin, end, shared, bins, &used);
    if (Survivors && job.boards != nullptr) block_clear_board(job, number, begin == 0);
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
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
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
    return whole_warps(pairs / each + 1, block_threads_of(policy.block_threads, limits));
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
        return launch_slices(SliceJob{in, nullptr, {}, output, 0, 0, nullptr, nullptr, 0}, in.n, config);
    const unsigned pairs = static_cast<unsigned>(up_to_power_of_two(in.n));
    const LaunchShape shape{static_cast<unsigned>(in.count), 1,
                            threads_for(in.n, in.count, config.policy, config.limits),
                            pairs * pair_bytes(in.width)};
    return launch(kSelectDistinct[width_index(in.width)], shape, config.stream, in, output, pairs);
}

LaunchStatus launch_select_survivors(const KeySegments& in, const FilteredSegments& filtered,
                                     const SelectionOutput& output, const SelectionConfig& config) {
    return launch_slices(SliceJob{in, filtered.states, filtered.lists, output, 0, 0, filtered.seen,
                                  filtered.minima.boards, filtered.minima.board_words},
                         filtered.lists.capacity, config);
}

void list_topk_kernels(KernelLister& to) {
    const SelectionPolicy policy = kDefaultSelectionPolicy;
    const unsigned threads = block_threads_of(policy.block_threads, to.limits());
    const auto few = [&](unsigned index) {
        return BlockSize{threads, kFewPairs * pair_bytes(width_of_index(index))};
    };
    to.add(4, listed(kSelectElements, few), listed(kSelectSurvivors, few),
           listed(kSelectDistinct, [&](unsigned index) {
               const unsigned width = width_of_index(index);
               return BlockSize{threads, block_capacity(width, policy, to.limits()) * pair_bytes(width)};
           }));
}

}  // namespace cuda
}  // namespace tegu
