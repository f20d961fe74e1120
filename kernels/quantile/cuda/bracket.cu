// SPDX-License-Identifier: Apache-2.0
// Finds few quantiles of a long segment with one read and no decision of the host. A sample gives each a range
// of keys that almost surely holds it. One pass counts keys below each range and lists keys inside.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/quantile/cuda/bracket_bins.cuh"
#include "kernels/quantile/cuda/finish.cuh"
#include "kernels/quantile/cuda/window.cuh"
#include "kernels/selection/cuda/sample_position.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kCutThreads = 1024;
constexpr unsigned kCutKeys = 16;          // of the sample, for each thread
constexpr unsigned kBracketThreads = 512;  // of a block at most
constexpr unsigned kTileKeys = 8;          // of a thread at a time
constexpr unsigned kKeptKeys = 64;         // above this number a warp writes its keys to the list
constexpr unsigned kKeptCapacity = kKeptKeys + kWarpLanes * kTileKeys;

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

// Narrows a range around rank `rank` of the sample until it has at most `enough` keys or is a single key.
template <class U>
TEGU_DEVICE KeyRange<U> narrow_sample(const SampledKeys<U>& sample, std::uint32_t count, KeyRange<U> range,
                                      std::uint32_t rank, std::uint32_t enough, ThreadBins* bins) {
    while (range.low != range.high && range.inside > enough) {
        const unsigned shift = bin_shift(static_cast<U>(range.high - range.low));
        zero_bins(bins);
        block_barrier();
        for_each_pair<U>(sample, count, [&](std::uint64_t, U key, bool valid) {
            if (valid && range.holds(key))
                atomic_add(count_of(bins, static_cast<U>(key - range.low) >> shift), 1u);
        });
        block_barrier();
        RankBins run;
        if (!block_find_ranks(bins, rank - range.before, rank - range.before, &run)) break;
        range.enter(run, shift);
    }
    return range;
}

// bracket_cuts: a range of keys around each quantile, from a sample.
// in:    elements [n]                                       out: memory, all of it
// grid:  x = quantiles                                      block: 1024, 512 before sm_70
// shared: 16 KB static                                      result valid in: memory, after the launch
// moves: reads a sector of memory for each key of the sample, all at once      order: any
// why:   each quantile has its own block, so many take as long as one
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kCutThreads / kBlocksForRegisters)
    bracket_cuts(KeySegments in, QuantileOutput output, std::uint32_t count, BracketMemory* memory) {
    TEGU_SHARED_ARRAY(ThreadBins, bins, kCutThreads);
    pdl_trigger();
    const unsigned number = block_x();
    BracketQuantile* const to = &memory->quantiles[number];
    for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads()) to->bins[bin] = 0;
    const KeyedSegment<U> segment(in, 0);
    const SampleSpread spread(in.n, count);
    SampledKeys<U> sample;
    TEGU_UNROLL
    for (unsigned j = 0; j < kCutKeys; ++j) {
        const std::uint32_t i = j * block_threads() + thread_index();
        sample.keys[j] = segment.bits(spread.index(i < count ? i : 0));
    }
    TEGU_UNROLL
    for (unsigned j = 0; j < kCutKeys; ++j) sample.keys[j] = segment.key_of(sample.keys[j]);
    const KeyRange<U> whole = block_range<U>(sample, count);
    const QuantileResults<U> results(output, segment, 0);
    const double part = static_cast<double>(count) / static_cast<double>(in.n);
    const double middle = part * static_cast<double>(results.position(number, in.n).rank);
    const double sigma = sqrt(middle * (1 - middle / count)) + 1;
    const double first = middle - kCutSigmas * sigma - 1, last = middle + part + kCutSigmas * sigma + 1;
    const auto enough = static_cast<std::uint32_t>(sigma / 2) + 1;
    BracketRange range{0, static_cast<U>(~U{0}), whole.low, whole.high};
    if (first >= 0) {
        const auto low = narrow_sample(sample, count, whole, static_cast<std::uint32_t>(first), enough, bins);
        range.low = range.first = low.low;
    }
    block_barrier();
    if (last < count) {
        const auto high = narrow_sample(sample, count, whole, static_cast<std::uint32_t>(last), enough, bins);
        range.high = range.last = high.high;
    }
    if (thread_index() != 0) return;
    to->range = range;
    to->below = to->at_low = to->at_high = to->inside = 0;
    to->near = to->ticket = 0;
    if (number == 0) {
        memory->listed = 0;
        memory->nans = 0;
    }
}

// A thread's keys of a tile, in any order.
template <class U>
struct KeyTile {
    static constexpr unsigned kWidth = 16 / sizeof(U) < kTileKeys ? 16 / sizeof(U) : kTileKeys;
    U keys[kTileKeys];
    std::uint32_t valid;  // bit j: key j is an element

    TEGU_DEVICE void load(const KeyedSegment<U>& segment, std::uint64_t base, std::uint64_t end,
                          bool packed) {
        valid = 0;
        if (packed && base + kTileKeys * block_threads() <= end) {
            valid = (1u << kTileKeys) - 1;
            const U* const first = segment.elements + base + thread_index() * kWidth;
            TEGU_UNROLL
            for (unsigned p = 0; p < kTileKeys / kWidth; ++p) {
                const auto pack =
                    *reinterpret_cast<const Pack<U, kWidth>*>(first + p * block_threads() * kWidth);
                TEGU_UNROLL
                for (unsigned e = 0; e < kWidth; ++e) keys[p * kWidth + e] = pack.at[e];
            }
            return;
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kTileKeys; ++j) {
            const std::uint64_t i = base + j * block_threads() + thread_index();
            keys[j] = 0;
            if (i >= end) continue;
            keys[j] = segment.bits(i);
            valid |= 1u << j;
        }
    }
};

// The keys that a warp has found for the list.
template <class U>
struct WarpKept {
    U* keys;  // [kKeptCapacity] shared
    std::uint32_t used;

    TEGU_DEVICE void add(U key, bool own) {
        const std::uint32_t lanes = warp_ballot(own);
        if (own) keys[used + count_bits(lanes & lanes_before())] = key;
        used += count_bits(lanes);
    }
    TEGU_DEVICE void flush(const Bracket& bracket) {
        warp_barrier();
        std::uint64_t slot = 0;
        if (lane_index() == 0) slot = atomic_add(&bracket.memory->listed, std::uint64_t{used});
        slot = shuffle(slot, 0) + lane_index();
        for (std::uint32_t i = lane_index(); i < used; i += kWarpLanes, slot += kWarpLanes)
            if (slot < bracket.capacity) static_cast<U*>(bracket.list)[slot] = keys[i];
        used = 0;
        warp_barrier();
    }
};

// bracket_filter: counts the keys below each range and at its ends, lists the keys inside, and counts these
// in bins.
// in:    elements [begin, end), the ranges                  out: list; the numbers and bins in memory
// grid:  x strides over tiles                               block: policy.count_threads
// shared: 21 KB static at most, 41 KB for 64-bit keys       result valid in: list, memory, after the launch
// moves: reads n sizeof(U) B, writes what is listed         order: any
// why:   the next tile loads while this one is compared; a warp reserves entries for dozens of keys at once
template <class U, unsigned Quantiles>
TEGU_KERNEL TEGU_BOUNDS2(kBracketThreads, Quantiles == 1 ? 2 : 1)
    bracket_filter(KeySegments in, std::uint64_t begin, std::uint64_t end, unsigned quantiles,
                   Bracket bracket) {
    TEGU_SHARED_ARRAY(U, shared_keys, kBracketThreads / kWarpLanes * kKeptCapacity);
    TEGU_SHARED_ARRAY(BracketBins<U>, bins, Quantiles);
    TEGU_SHARED_ARRAY(std::uint32_t, counts, 3 * Quantiles);  // at the lower end, at the upper end, inside
    const KeyedSegment<U> segment(in, 0);
    const U nan = nan_key(segment);
    const bool packed =
        in.cols >= in.n && reinterpret_cast<std::uintptr_t>(segment.elements + begin) % 16 == 0;
    const std::uint64_t tile = std::uint64_t{block_threads()} * kTileKeys;
    const std::uint64_t first = begin + block_x() * tile, stride = grid_x() * tile;
    KeyTile<U> next;
    next.load(segment, first, end, packed);
    for (unsigned i = thread_index(); i < 3 * Quantiles; i += block_threads()) counts[i] = 0;
    pdl_trigger();
    await_launch_before();
    BracketMemory* const memory = bracket.memory;
    if (thread_index() < quantiles) bins[thread_index()].set(memory->quantiles[thread_index()].range);
    block_barrier();
    U low[Quantiles], span[Quantiles];
    std::uint32_t below[Quantiles];
    TEGU_UNROLL
    for (unsigned q = 0; q < Quantiles; ++q) {
        const BracketRange range = memory->quantiles[q < quantiles ? q : 0].range;
        low[q] = static_cast<U>(range.low);
        span[q] = static_cast<U>(range.high - range.low);
        below[q] = 0;
    }
    WarpKept<U> kept{shared_keys + warp_index() * kKeptCapacity, 0};
    U largest = 0;
    TEGU_NO_UNROLL
    for (std::uint64_t base = first; base < end; base += stride) {
        KeyTile<U> own = next;
        if (base + stride < end) next.load(segment, base + stride, end, packed);
        TEGU_UNROLL
        for (unsigned j = 0; j < kTileKeys; ++j) {
            const bool valid = (own.valid >> j & 1u) != 0;
            const U key = segment.key_of(own.keys[j]);
            if (valid && key > largest) largest = key;
            bool listed = false;
            TEGU_UNROLL
            for (unsigned q = 0; q < Quantiles; ++q) {
                below[q] += valid && key < low[q] ? 1 : 0;
                const U offset = static_cast<U>(key - low[q]);
                const bool reaches = valid && offset <= span[q] && q < quantiles;
                if (!warp_any(reaches)) continue;
                const bool at_low = reaches && offset == 0;
                const bool at_high = reaches && offset == span[q] && offset != 0;
                const bool inside = reaches && !at_low && !at_high;
                const std::uint32_t lows = warp_ballot(at_low), highs = warp_ballot(at_high),
                                    insides = warp_ballot(inside);
                const unsigned lane = lane_index();
                const std::uint32_t lanes = lane == 0 ? lows : lane == 1 ? highs : insides;
                if (lane < 3 && lanes != 0) atomic_add(&counts[3 * q + lane], count_bits(lanes));
                if (inside) {
                    atomic_add(&memory->quantiles[q].bins[bins[q].of(key)], 1u);
                    listed = true;
                }
            }
            if (warp_any(listed)) kept.add(key, listed);
        }
        if (kept.used > kKeptKeys) kept.flush(bracket);
    }
    if (kept.used != 0) kept.flush(bracket);
    if (warp_any(in.is_float && largest == nan) && lane_index() == 0) memory->nans = 1;
    block_barrier();
    TEGU_UNROLL
    for (unsigned q = 0; q < Quantiles; ++q) {
        std::uint32_t total;
        block_sum_before(below[q], &total);
        if (thread_index() != 0 || q >= quantiles) continue;
        BracketQuantile* const of = &memory->quantiles[q];
        if (total != 0) atomic_add(&of->below, std::uint64_t{total});
        if (counts[3 * q] != 0) atomic_add(&of->at_low, std::uint64_t{counts[3 * q]});
        if (counts[3 * q + 1] != 0) atomic_add(&of->at_high, std::uint64_t{counts[3 * q + 1]});
        if (counts[3 * q + 2] != 0) atomic_add(&of->inside, std::uint64_t{counts[3 * q + 2]});
    }
}

using CutsKernel = void (*)(KeySegments, QuantileOutput, std::uint32_t, BracketMemory*);
using FilterKernel = void (*)(KeySegments, std::uint64_t, std::uint64_t, unsigned, Bracket);
constexpr KernelTable<CutsKernel, 4> kBracketCuts = {
    "bracket_cuts", "reads a sector of 32 B a key of the sample", {TEGU_BY_WIDTH(bracket_cuts)}};
constexpr KernelTable<FilterKernel, 8> kBracketFilter = {"bracket_filter",
                                                         "reads n elements, writes those near the quantiles",
#define TEGU_X(U, word)                       \
    numbered(bracket_filter<U, 1>, word, 1u), \
        numbered(bracket_filter<U, kBracketQuantiles>, word, kBracketQuantiles)
                                                         {TEGU_WIDTHS(TEGU_X)}};
#undef TEGU_X
unsigned cut_threads(const QuantileConfig& config) {
    const unsigned max = config.limits.max_threads(kCutThreads);
    return config.policy.block_threads < max ? config.policy.block_threads : max;
}

}  // namespace

std::uint32_t bracket_sample(std::uint64_t n, unsigned wanted, const QuantileConfig& config) {
    const unsigned max = kCutKeys * cut_threads(config);
    const unsigned sample = wanted < max ? wanted : max;
    return sample < n ? sample : static_cast<std::uint32_t>(n);
}

LaunchStatus launch_bracket_cuts(const KeySegments& in, const QuantileOutput& output, std::uint32_t sample,
                                 const Bracket& bracket, const QuantileConfig& config) {
    const LaunchShape shape{static_cast<unsigned>(output.quantiles), 1, cut_threads(config), 0};
    return launch(kBracketCuts[width_index(in.width)], shape, config.stream, in, output, sample,
                  bracket.memory);
}

LaunchStatus launch_bracket_filter(const KeySegments& in, const ElementRange& range,
                                   const QuantileOutput& output, const Bracket& bracket,
                                   const QuantileConfig& config) {
    const bool one = output.quantiles == 1;
    const unsigned threads =
        config.policy.count_threads < kBracketThreads ? config.policy.count_threads : kBracketThreads;
    const std::uint64_t tiles = (range.end - range.begin) / (std::uint64_t{threads} * kTileKeys) + 1;
    const std::uint64_t max = std::uint64_t{config.limits.multiprocessors} * (one ? 2 : 1);
    const LaunchShape shape{static_cast<unsigned>(tiles < max ? tiles : max), 1, threads, 0};
    return launch_pdl(kBracketFilter[2 * width_index(in.width) + (one ? 0 : 1)], shape, config.limits,
                      config.stream, in, range.begin, range.end, static_cast<unsigned>(output.quantiles),
                      bracket);
}

void list_quantile_bracket_kernels(KernelLister& to) {
    to.add(4, listed(kBracketCuts, BlockSize{kDefaultQuantilePolicy.block_threads, 0}),
           listed(kBracketFilter, BlockSize{kBracketThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
