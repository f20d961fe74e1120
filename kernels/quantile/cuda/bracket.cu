// SPDX-License-Identifier: Apache-2.0
// Finds one statistic of a long segment without a decision of the host. A sample gives two pairs (key, index)
// that almost surely enclose it. One pass counts the pairs below and lists the keys in between; counting in
// ever smaller ranges finds the statistic.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/quantile/cuda/nan.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kBracketThreads = 512;  // of a block at most
constexpr unsigned kBracketKept = 1024;    // keys that a block keeps before it writes them to the list
constexpr unsigned kBracketCapacity = kBracketKept + kBracketThreads * kSelectBatch;

// A block's buffer of keys for the list. A tile never adds more than fits.
template <class U>
struct KeptKeys {
    U* keys;              // [kBracketCapacity] shared
    std::uint32_t* used;  // shared

    // Each lane of a warp adds keys[j] where bit j of its mask is set. Returns true if the buffer should be
    // flushed soon.
    TEGU_DEVICE bool add(const U (&from)[kSelectBatch], std::uint32_t mask) const {
        const std::uint32_t own = count_bits(mask);
        std::uint32_t sum = own;
        TEGU_UNROLL
        for (unsigned delta = 1; delta < kWarpLanes; delta *= 2) {
            const std::uint32_t lower = shuffle_up(sum, delta);
            if (lane_index() >= delta) sum += lower;
        }
        std::uint32_t first = 0;
        if (lane_index() == kWarpLanes - 1) first = atomic_add(used, sum);
        first = shuffle(first, kWarpLanes - 1);
        const bool full = first + shuffle(sum, kWarpLanes - 1) > kBracketKept;
        std::uint32_t to = first + sum - own;
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j)
            if ((mask >> j & 1u) != 0) keys[to++] = from[j];
        return full;
    }
    // Writes the buffer to the list. All threads of the block call it.
    TEGU_DEVICE void flush(U* list, std::uint64_t capacity, std::uint64_t* listed) const {
        TEGU_SHARED(std::uint64_t, slot);
        block_barrier();
        const std::uint32_t count = *used;
        if (thread_index() == 0) slot = atomic_add(listed, std::uint64_t{count});
        block_barrier();
        for (std::uint32_t i = thread_index(); i < count; i += block_threads())
            if (slot + i < capacity) list[slot + i] = keys[i];
        if (thread_index() == 0) *used = 0;
        block_barrier();
    }
};

// bracket_filter: lists the keys between two cuts and counts the pairs up to the lower one.
// in:    elements [begin, end), the cuts                    out: list; the numbers in states, nans
// grid:  x strides over tiles                               block: policy.count_threads
// shared: 5120 * sizeof(U) B static
// result valid in: list, states and nans, after the launch
// moves: reads n sizeof(U) B, writes what is listed         order: any
// why:   a few per cent are listed, so a block collects a thousand and reserves list capacity once for
//        all of them
template <class U>
TEGU_KERNEL TEGU_BOUNDS2(kBracketThreads, 2)
    bracket_filter(KeySegments in, std::uint64_t begin, std::uint64_t end, Bracket bracket) {
    TEGU_SHARED_ARRAY(U, shared_keys, kBracketCapacity);
    TEGU_SHARED(std::uint32_t, used);
    const KeptKeys<U> kept{shared_keys, &used};
    if (thread_index() == 0) used = 0;
    block_barrier();
    const KeyedSegment<U> segment(in, 0);
    const U nan = nan_key(segment);
    SelectState* const states = bracket.memory->states;
    U* const list = static_cast<U*>(bracket.list);
    const U low = static_cast<U>(states[0].key), high = static_cast<U>(states[1].key);
    const std::uint64_t low_index = states[0].index, high_index = states[1].index;
    const std::uint64_t tile = std::uint64_t{block_threads()} * kSelectBatch;
    std::uint64_t below = 0, own_nans = 0;
    for (std::uint64_t base = begin + block_x() * tile; base < end; base += grid_x() * tile) {
        U keys[kSelectBatch];
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j) {
            const std::uint64_t i = base + j * block_threads() + thread_index();
            keys[j] = segment.bits(i < end ? i : begin);
        }
        std::uint32_t mask = 0, tile_below = 0, tile_nans = 0;
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j) {
            const std::uint64_t i = base + j * block_threads() + thread_index();
            keys[j] = segment.key_of(keys[j]);
            const bool is_below = !bracket.from_below && !is_behind(keys[j], i, low, low_index);
            if (i >= end) continue;
            tile_nans += in.is_float && keys[j] == nan ? 1 : 0;
            tile_below += is_below ? 1 : 0;
            if (!is_below && !is_behind(keys[j], i, high, high_index)) mask |= 1u << j;
        }
        below += tile_below;
        own_nans += tile_nans;
        bool full = false;
        if (warp_any(mask != 0)) full = kept.add(keys, mask);
        if (block_any(full)) kept.flush(list, bracket.capacity, &states[1].survivors);
    }
    kept.flush(list, bracket.capacity, &states[1].survivors);
    std::uint64_t total;
    block_sum_before(below, &total);
    if (thread_index() == 0 && total != 0) atomic_add(&states[0].survivors, total);
    block_sum_before(own_nans, &total);
    if (thread_index() == 0 && total != 0) atomic_add(&bracket.memory->nans, total);
}

// bracket_narrow: one step of the search for a statistic in the list: counts keys in the bins of a range, and
// continues in the statistic's bin.
// in:    list and memory
// out:   the same; at the end targets[].low is the key, if found
// grid:  x strides over the list, y = targets                     block: policy.count_threads
// shared: 8 KB static
// result valid in: targets, when all steps are done
// moves: reads the list, from L2                                  order: any
// why:   the last block of a target does the step, so no other launch is needed
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kBracketThreads) bracket_narrow(Bracket bracket, std::uint64_t rank, bool first) {
    TEGU_SHARED_ARRAY(std::uint32_t, own_bins, kSelectBins);
    const SelectState* const states = bracket.memory->states;
    const U* const list = static_cast<const U*>(bracket.list);
    BracketTarget* const target = &bracket.memory->targets[block_y()];
    std::uint64_t* const bins = bracket.memory->bins + std::uint64_t{block_y()} * kSelectBins;
    const std::uint64_t below = states[0].survivors, listed = states[1].survivors;
    const std::uint64_t wanted = rank + block_y();
    if (wanted < below || wanted - below >= listed || listed > bracket.capacity) return;  // found stays 0
    SelectRange range{
        bracket.from_below ? 0 : states[0].key, static_cast<U>(states[1].key), 0, listed, 0, false};
    if (!first) {
        if (target->found != 0) return;
        range.low = target->low;
        range.high = target->high;
        range.before = target->before;
    }
    for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads()) own_bins[bin] = 0;
    block_barrier();
    const unsigned shift = range.shift();
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = std::uint64_t{block_x()} * block_threads() + thread_index(); i < listed;
         i += stride)
        if (range.holds(list[i])) atomic_add(&own_bins[(list[i] - range.low) >> shift], 1u);
    block_barrier();
    for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads())
        if (own_bins[bin] != 0) atomic_add(&bins[bin], std::uint64_t{own_bins[bin]});
    if (!last_block(&bracket.memory->tickets[block_y()], grid_x())) return;
    BinRun run;
    const bool found = block_find_run(bins, wanted - below + 1 - range.before, 0, 0, &run);
    for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads()) bins[bin] = 0;
    if (found) range.enter(run.first, run.last, run.before, run.inside);
    if (thread_index() == 0)
        *target =
            BracketTarget{range.low, range.high, range.before, found && range.low == range.high ? 1u : 0u};
}

constexpr KernelTable<decltype(&bracket_filter<std::uint8_t>), 4> kBracketFilter = {
    "bracket_filter", "reads n elements, writes those near the quantile", {TEGU_BY_WIDTH(bracket_filter)}};
constexpr KernelTable<decltype(&bracket_narrow<std::uint8_t>), 4> kBracketNarrow = {
    "bracket_narrow", "reads the elements near the quantile", {TEGU_BY_WIDTH(bracket_narrow)}};

unsigned threads_of(const QuantilePolicy& policy) {
    return policy.count_threads < kBracketThreads ? policy.count_threads : kBracketThreads;
}

}  // namespace

LaunchStatus launch_bracket_filter(const KeySegments& in, const ElementRange& range, const Bracket& bracket,
                                   const QuantileConfig& config) {
    const unsigned threads = threads_of(config.policy);
    const std::uint64_t tiles = (range.end - range.begin) / (std::uint64_t{threads} * kSelectBatch) + 1;
    const std::uint64_t max = 2 * std::uint64_t{config.limits.multiprocessors};
    const LaunchShape shape{static_cast<unsigned>(tiles < max ? tiles : max), 1, threads, 0};
    return launch(kBracketFilter[width_index(in.width)], shape, config.stream, in, range.begin, range.end,
                  bracket);
}

LaunchStatus launch_bracket_narrow(unsigned width, const Bracket& bracket, std::uint64_t rank,
                                   const QuantileConfig& config) {
    const unsigned threads = threads_of(config.policy);
    const LaunchShape shape{blocks_for(bracket.capacity / kSelectBatch + 1, threads, 1, config.limits), 2,
                            threads, 0};
    const unsigned steps = (8 * width + kSelectBinBits - 1) / kSelectBinBits;
    LaunchStatus status = 0;
    for (unsigned step = 0; step < steps && status == 0; ++step)
        status = launch(kBracketNarrow[width_index(width)], shape, config.stream, bracket, rank, step == 0);
    return status;
}

void list_quantile_bracket_kernels(KernelLister& to) {
    const BlockSize block{kDefaultQuantilePolicy.count_threads, 0};
    to.add(4, listed(kBracketFilter, block), listed(kBracketNarrow, block));
}

}  // namespace cuda
}  // namespace tegu
