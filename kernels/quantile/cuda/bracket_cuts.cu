// SPDX-License-Identifier: Apache-2.0
// The start of the search for few quantiles of a long segment: a sample gives each a range of keys that
// almost surely holds it. Then bracket.cu reads the segment, and bracket_finish.cu ends the search.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/quantile/cuda/finish.cuh"
#include "kernels/quantile/cuda/window.cuh"
#include "kernels/selection/cuda/sample_position.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kCutThreads = 1024;
constexpr unsigned kCutKeys = 16;  // of the sample, for each thread
constexpr unsigned kSampleThreads = 256;

// bracket_sample_keys: gathers a sample and zeroes the numbers of a search.
// in:    elements [n]                                       out: bracket.sampled; the numbers in memory
// grid:  x = sample / 256                                   block: 256
// shared: none                                              result valid in: out, after the launch
// moves: reads a sector of memory for each key of the sample, all at once      order: any
// why:   one multiprocessor takes longer for so many sectors than all take for all elements
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSampleThreads) bracket_sample_keys(KeySegments in, Bracket bracket) {
    pdl_trigger();
    const std::uint32_t first = block_x() * block_threads() + thread_index();
    const KeyedSegment<U> segment(in, 0);
    if (first < bracket.sample)
        static_cast<U*>(bracket.sampled)[first] = segment.key(sample_index(first, in.n, bracket.sample));
    const std::uint32_t stride = grid_x() * block_threads();
    BracketMemory* const memory = bracket.memory;
    for (std::uint32_t i = first; i < kBracketQuantiles * kSelectBins; i += stride)
        memory->group[i / kSelectBins].bins[i % kSelectBins] = 0;
    for (std::uint32_t i = first; i < kBracketClasses; i += stride) memory->counts[i] = 0;
    if (first != 0) return;
    memory->listed = memory->nans = 0;
    memory->ticket = 0;
}

template <class U>
struct SampledKeys {
    U keys[kCutKeys];
};
template <class U, class Body>
TEGU_DEVICE void for_each_pair(const SampledKeys<U>& source, std::uint64_t count, Body body) {
    TEGU_UNROLL
    for (unsigned j = 0; j < kCutKeys; ++j) {
        const std::uint64_t i = j * block_threads() + thread_index();
        body(i, source.keys[j], i < count);
    }
}

// Counts the keys of the sample in the bins of a range.
template <class U>
TEGU_DEVICE void count_sample(const SampledKeys<U>& sample, std::uint32_t count, const KeyRange<U>& range,
                              unsigned shift, ThreadBins* bins) {
    zero_bins(bins);
    block_barrier();
    for_each_pair<U>(sample, count, [&](std::uint64_t, U key, bool valid) {
        if (valid && range.holds(key))
            atomic_add(count_of(bins, static_cast<U>(key - range.low) >> shift), 1u);
    });
    block_barrier();
}

// Narrows a range around rank `rank` of the sample until it has at most `enough` keys or is a single key.
template <class U>
TEGU_DEVICE KeyRange<U> narrow_sample(const SampledKeys<U>& sample, std::uint32_t count, KeyRange<U> range,
                                      std::uint32_t rank, std::uint32_t enough, ThreadBins* bins) {
    while (range.low != range.high && range.inside > enough) {
        // Where keys repeat, few differ: often there is just one.
        U low = static_cast<U>(~U{0}), high = 0;
        for_each_pair<U>(sample, count, [&](std::uint64_t, U key, bool valid) {
            const bool in = valid && range.holds(key);
            low = in && key < low ? key : low;
            high = in && key > high ? key : high;
        });
        block_barrier();
        block_ends(low, high, &range.low, &range.high);
        if (range.low >= range.high) break;
        const unsigned shift = bin_shift(static_cast<U>(range.high - range.low));
        count_sample(sample, count, range, shift, bins);
        RankBins run;
        if (!block_find_ranks(bins, rank - range.before, rank - range.before, &run)) break;
        range.enter(run, shift);
    }
    return range;
}

// Narrows the range of all keys around two ranks, with one count for both.
template <class U>
TEGU_DEVICE void narrow_both(const SampledKeys<U>& sample, std::uint32_t count, const RankBins& ranks,
                             std::uint32_t enough, ThreadBins* bins, KeyRange<U>* low, KeyRange<U>* high) {
    if (low->low == low->high) return;
    const unsigned shift = bin_shift(static_cast<U>(low->high - low->low));
    count_sample(sample, count, *low, shift, bins);
    RankBins run;
    if (!block_find_ranks(bins, ranks.first, ranks.last, &run)) return;
    const std::uint32_t in_first = *count_of(bins, run.first), in_last = *count_of(bins, run.last);
    low->enter(RankBins{run.first, run.first, run.before, in_first}, shift);
    high->enter(RankBins{run.last, run.last, run.before + run.inside - in_last, in_last}, shift);
    *low = narrow_sample(sample, count, *low, ranks.first, enough, bins);
    *high = narrow_sample(sample, count, *high, ranks.last, enough, bins);
}

// Joins ranges that overlap to groups, in ascending order. One warp calls it.
TEGU_DEVICE void join_ranges(BracketMemory* memory, unsigned quantiles) {
    TEGU_SHARED_ARRAY(BracketRange, joined, kBracketQuantiles);
    const unsigned own = lane_index() < quantiles ? lane_index() : 0;
    const BracketRange range = memory->quantiles[own].range;
    // A range that no earlier one reaches leads a group.
    const auto is_earlier = [&](unsigned other, const BracketRange& that) {
        return that.low < range.low || (that.low == range.low && other < own);
    };
    bool leads = lane_index() < quantiles;
    for (unsigned other = 0; other < quantiles; ++other) {
        const BracketRange that = memory->quantiles[other].range;
        if (is_earlier(other, that) && that.high >= range.low) leads = false;
    }
    const std::uint32_t leaders = warp_ballot(leads);
    unsigned group = 0;
    for (unsigned other = 0; other < quantiles; ++other)
        if ((leaders >> other & 1u) != 0 && is_earlier(other, memory->quantiles[other].range)) ++group;
    if (!leads && group != 0) --group;
    if (leads) joined[group] = range;
    warp_barrier();
    if (lane_index() < quantiles) {
        memory->quantiles[own].group = group;
        atomic_max(&joined[group].high, range.high);
        atomic_max(&joined[group].last, range.last);
    }
    warp_barrier();
    if (leads) memory->group[group].range = joined[group];
    if (lane_index() == 0) memory->groups = count_bits(leaders);
}

// bracket_cuts: a range of keys around each quantile, from the sample, and the groups.
// in:    bracket.sampled                                    out: ranges and groups in memory
// grid:  x = quantiles                                      block: 1024, 512 before sm_70
// shared: 16 KB static                                      result valid in: memory, after the launch
// moves: reads the sample, from L2                          order: any
// why:   each quantile has its own block, so many take as long as one
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kCutThreads / kBlocksForRegisters)
    bracket_cuts(KeySegments in, QuantileOutput output, Bracket bracket) {
    TEGU_SHARED_ARRAY(ThreadBins, bins, kCutThreads);
    pdl_trigger();
    const unsigned number = block_x();
    const KeyedSegment<U> segment(in, 0);
    const QuantileResults<U> results(output, segment, 0);
    const std::uint32_t count = bracket.sample;
    // Some standard deviations on both sides of the expected rank.
    const double part = static_cast<double>(count) / static_cast<double>(in.n);
    const double middle = part * static_cast<double>(results.position(number, in.n).rank);
    const double sigma = sqrt(middle * (1 - middle / count)) + 1;
    const double first = middle - kCutSigmas * sigma - 1, last = middle + part + kCutSigmas * sigma + 1;
    const double slack = 8 * kCutSigmas;
    const auto enough = static_cast<std::uint32_t>(sigma < slack ? slack : sigma);
    await_launch_before();
    const U* const sampled = static_cast<const U*>(bracket.sampled);
    SampledKeys<U> sample;
    TEGU_UNROLL
    for (unsigned j = 0; j < kCutKeys; ++j) {
        const std::uint32_t i = j * block_threads() + thread_index();
        sample.keys[j] = sampled[i < count ? i : 0];
    }
    const KeyRange<U> whole = block_range<U>(sample, count);
    // At an end of the sample the range has no end.
    const bool begins = first >= 0, ends = last < count;
    const RankBins ranks{begins ? static_cast<std::uint32_t>(first) : 0,
                         ends ? static_cast<std::uint32_t>(last) : count - 1, 0, 0};
    KeyRange<U> low = whole, high = whole;
    narrow_both(sample, count, ranks, enough, bins, &low, &high);
    const BracketRange range{begins ? low.low : U{0}, ends ? high.high : static_cast<U>(~U{0}),
                             begins ? low.low : whole.low, ends ? high.high : whole.high};
    BracketMemory* const memory = bracket.memory;
    if (thread_index() == 0) {
        BracketQuantile* const to = &memory->quantiles[number];
        to->range = range;
        to->near = 0;
    }
    block_barrier();
    if ((grid_x() == 1 || last_block(&memory->ticket, grid_x())) && warp_index() == 0)
        join_ranges(memory, grid_x());
}

using CutsKernel = void (*)(KeySegments, QuantileOutput, Bracket);
constexpr KernelTable<decltype(&bracket_sample_keys<std::uint8_t>), 4> kBracketSample = {
    "bracket_sample_keys",
    "reads a sector of 32 B a key of the sample",
    {TEGU_BY_WIDTH(bracket_sample_keys)}};
constexpr KernelTable<CutsKernel, 4> kBracketCuts = {
    "bracket_cuts", "reads the sample", {TEGU_BY_WIDTH(bracket_cuts)}};

unsigned cut_threads(const QuantilePolicy& policy, const DeviceLimits& limits) {
    const unsigned max = limits.max_threads(kCutThreads);
    return policy.block_threads < max ? policy.block_threads : max;
}

}  // namespace

std::uint32_t bracket_sample(std::uint64_t n, unsigned wanted, const QuantileConfig& config) {
    const unsigned max = kCutKeys * cut_threads(config.policy, config.limits);
    const unsigned sample = wanted < max ? wanted : max;
    return sample < n ? sample : static_cast<std::uint32_t>(n);
}

LaunchStatus launch_bracket_cuts(const KeySegments& in, const QuantileOutput& output, const Bracket& bracket,
                                 const QuantileConfig& config) {
    const unsigned width = width_index(in.width);
    const LaunchShape sample{static_cast<unsigned>(ceil_divide(bracket.sample, kSampleThreads)), 1,
                             kSampleThreads, 0};
    const LaunchStatus status = launch(kBracketSample[width], sample, config.stream, in, bracket);
    if (status != 0) return status;
    const LaunchShape shape{static_cast<unsigned>(output.quantiles), 1,
                            cut_threads(config.policy, config.limits), 0};
    return launch_pdl(kBracketCuts[width], shape, config.limits, config.stream, in, output, bracket);
}

void list_quantile_bracket_cuts_kernels(KernelLister& to) {
    to.add(4, listed(kBracketSample, BlockSize{kSampleThreads, 0}),
           listed(kBracketCuts, BlockSize{cut_threads(kDefaultQuantilePolicy, to.limits()), 0}));
}

}  // namespace cuda
}  // namespace tegu
