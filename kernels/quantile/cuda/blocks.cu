// SPDX-License-Identifier: Apache-2.0
// Kernels for segments that one warp or one block handles: it sorts them or, for few statistics, narrows the
// range of keys.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/quantile/cuda/nan.cuh"
#include "kernels/selection/cuda/block_sort.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kRowThreads = 256;
constexpr unsigned kWindow = 512;  // pairs that a block sorts around a statistic

// Index of statistic `i` in a sorted segment, limited to the segment for any input.
TEGU_DEVICE std::uint64_t rank_of(const BlockQuantiles& quantiles, std::uint64_t number, std::uint64_t i,
                                  std::uint64_t n) {
    const std::uint64_t rank = quantiles.ranks[(quantiles.own_ranks ? number * quantiles.quantiles : 0) + i];
    return rank < n ? rank : n - 1;
}

// Reads the statistics from sorted keys, by threads thread, thread + threads, ...
template <class U>
TEGU_DEVICE void write_pairs(const U* keys, std::uint64_t n, const BlockQuantiles& quantiles,
                             std::uint64_t number, unsigned thread, unsigned threads) {
    std::uint64_t* const pairs = quantiles.pairs + number * quantiles.quantiles * 2;
    for (std::uint64_t i = thread; i < quantiles.quantiles; i += threads) {
        const std::uint64_t rank = rank_of(quantiles, number, i, n);
        pairs[2 * i] = keys[rank];
        pairs[2 * i + 1] = keys[rank + 1 < n ? rank + 1 : rank];
    }
}

// quantile_blocks: sorts each segment and takes the statistics from it.
// in:    elements [n], ranks                         out: pairs, nans
// grid:  x = segments                               block: policy.block_threads, fewer for short segments
// shared: capacity * sizeof(U) B dynamic, 256 B static   result valid in: pairs and nans, after the launch
// moves: reads n sizeof(U) B, writes 16 B a quantile      order: any
// why:   one sort, all in shared memory, serves any number of statistics
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    quantile_blocks(KeySegments in, BlockQuantiles quantiles, unsigned capacity) {
    TEGU_DYNAMIC_SHARED(shared);
    U* const keys = reinterpret_cast<U*>(shared);
    const std::uint64_t number = block_x();
    const KeyedSegment<U> source(in, number);
    const U nan = nan_key(source);
    std::uint64_t own = 0;
    for_each_pair<U>(source, in.n, [&](std::uint64_t i, U key, bool valid) {
        if (!valid) return;
        keys[i] = key;
        own += in.is_float && key == nan ? 1 : 0;
    });
    for (std::uint64_t i = in.n + thread_index(); i < capacity; i += block_threads())
        keys[i] = static_cast<U>(~U{0});
    std::uint64_t total;
    block_sum_before(own, &total);
    block_sort<U, false>(keys, nullptr, capacity);
    write_pairs(keys, in.n, quantiles, number, thread_index(), block_threads());
    if (thread_index() == 0) quantiles.nans[number] = total;
}

// Sorts the keys of a warp, Items adjacent ones in each lane, by a bitonic network. A stride within a lane
// costs two instructions, a stride between lanes three.
template <unsigned Items>
TEGU_DEVICE void warp_sort(std::uint32_t (&keys)[Items]) {
    TEGU_UNROLL
    for (unsigned run = 2; run <= kWarpLanes * Items; run *= 2) {
        TEGU_UNROLL
        for (unsigned stride = run / 2; stride > 0; stride /= 2) {
            TEGU_UNROLL
            for (unsigned j = 0; j < Items; ++j) {
                const bool ascending = ((lane_index() * Items + j) & run) == 0;
                if (stride >= Items) {
                    const unsigned mask = stride / Items;
                    const std::uint32_t other = shuffle_xor(keys[j], mask);
                    const bool smaller = ((lane_index() & mask) == 0) == ascending;
                    keys[j] = (other < keys[j]) == smaller ? other : keys[j];
                } else if ((j & stride) == 0) {
                    const std::uint32_t low = keys[j], high = keys[j + stride];
                    const bool swap = (high < low) == ascending;
                    keys[j] = swap ? high : low;
                    keys[j + stride] = swap ? low : high;
                }
            }
        }
    }
}

// quantile_rows: a warp sorts each segment.
// in:    elements [n], n <= 32 * Items, ranks        out: pairs, nans
// grid:  x = segments / 8, a warp each              block: 256
// shared: 1 KB * Items static                        result valid in: pairs and nans, after the launch
// moves: reads n sizeof(U) B, writes 16 B a quantile      order: any
// why:   in registers, a step of the network costs a few instructions and no barrier
template <class U, unsigned Items>
TEGU_KERNEL TEGU_BOUNDS(kRowThreads) quantile_rows(KeySegments in, BlockQuantiles quantiles) {
    TEGU_SHARED_ARRAY(std::uint32_t, shared, kRowThreads * Items);
    const std::uint64_t number = std::uint64_t{block_x()} * (kRowThreads / kWarpLanes) + warp_index();
    if (number >= in.count) return;
    const KeyedSegment<U> segment(in, number);
    const unsigned n = static_cast<unsigned>(in.n);
    const U nan = nan_key(segment);
    std::uint32_t keys[Items];
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j) {
        const unsigned i = j * kWarpLanes + lane_index();
        keys[j] = segment.bits(i < n ? i : 0);
    }
    unsigned nans = 0;
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j) {
        const bool valid = j * kWarpLanes + lane_index() < n;
        keys[j] = valid ? std::uint32_t{segment.key_of(static_cast<U>(keys[j]))} : ~std::uint32_t{0};
        nans += count_bits(warp_ballot(valid && in.is_float && keys[j] == nan));
    }
    warp_sort(keys);
    std::uint32_t* const sorted = shared + warp_index() * kWarpLanes * Items;
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j) sorted[lane_index() * Items + j] = keys[j];
    warp_barrier();
    write_pairs(sorted, in.n, quantiles, number, lane_index(), kWarpLanes);
    if (lane_index() == 0) quantiles.nans[number] = nans;
}

// quantile_windows: finds each statistic of a segment from the few pairs around it.
// in:    elements [n], ranks                         out: pairs, nans
// grid:  x = segments                               block: policy.block_threads, fewer for short segments
// shared: 17 KB static                               result valid in: pairs and nans, after the launch
// moves: reads n sizeof(U) B, and again 2 to 3 times for each statistic, from L2 where the segment fits
// order: any
// why:   a sort moves every element dozens of times
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) quantile_windows(KeySegments in, BlockQuantiles quantiles) {
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSelectBins);
    TEGU_SHARED_ARRAY(std::uint64_t, indices, kWindow);
    TEGU_SHARED_ARRAY(U, keys, kWindow);
    const std::uint64_t number = block_x();
    const KeyedSegment<U> source(in, number);
    const U nan = nan_key(source);
    SelectRange whole{0, ~std::uint64_t{0}, 0, in.n, 0, false};
    std::uint64_t own = 0, total;
    block_extent<U>(source, in.n, &whole.low, &whole.high,
                    [&](U key) { own += in.is_float && key == nan ? 1 : 0; });
    block_sum_before(own, &total);
    if (thread_index() == 0) quantiles.nans[number] = total;
    std::uint64_t* const pairs = quantiles.pairs + number * quantiles.quantiles * 2;
    SelectRange range{0, 0, 0, 0, 0, false};
    std::uint64_t held = 0;  // pairs of `range` in shared memory
    // If the elements change, a statistic may not be found. This value replaces the old content of the
    // memory.
    for (std::uint64_t i = thread_index(); i < 2 * quantiles.quantiles; i += block_threads())
        pairs[i] = whole.low;
    block_barrier();
    for (std::uint64_t i = 0; i < 2 * quantiles.quantiles; ++i) {
        std::uint64_t rank = rank_of(quantiles, number, i / 2, in.n) + i % 2;
        if (rank >= in.n) rank = in.n - 1;
        if (rank < range.before || rank - range.before >= held) {
            range = whole;
            if (!block_window<U>(source, in.n, rank, rank + 2, kWindow, in.n - 1, bins, &range)) return;
            block_barrier();  // the previous pairs have been read
            held = block_collect(source, in.n, keys, indices, kWindow,
                                 [&](std::uint64_t at, U key) { return range.takes(source, at, key); });
            block_sort<U, true>(keys, indices, block_fill(keys, indices, static_cast<unsigned>(held)));
            if (held <= rank - range.before) return;  // the elements have changed
        }
        if (thread_index() == 0) pairs[i] = keys[rank - range.before];
    }
}

constexpr const char* kMoves = "reads n elements, writes 16 B a quantile";
constexpr KernelTable<decltype(&quantile_blocks<std::uint8_t>), 4> kQuantileBlocks = {
    "quantile_blocks", kMoves, {TEGU_BY_WIDTH(quantile_blocks)}};
constexpr KernelTable<decltype(&quantile_windows<std::uint8_t>), 4> kQuantileWindows = {
    "quantile_windows",
    "reads n elements, and 2 to 3 times for each quantile; writes 16 B a quantile",
    {TEGU_BY_WIDTH(quantile_windows)}};
// Rows: widths; columns: up to 4 and up to 8 keys in each lane.
constexpr KernelTable<decltype(&quantile_rows<std::uint8_t, 4>), 6> kQuantileRows = {
    "quantile_rows",
    kMoves,
    {numbered(quantile_rows<std::uint8_t, 4>, "u8", 4u), numbered(quantile_rows<std::uint8_t, 8>, "u8", 8u),
     numbered(quantile_rows<std::uint16_t, 4>, "u16", 4u),
     numbered(quantile_rows<std::uint16_t, 8>, "u16", 8u),
     numbered(quantile_rows<std::uint32_t, 4>, "u32", 4u),
     numbered(quantile_rows<std::uint32_t, 8>, "u32", 8u)}};

}  // namespace

unsigned quantile_capacity(unsigned width, const QuantilePolicy& policy, const DeviceLimits& limits) {
    return capacity_of_block(policy.capacity, width, 1 << 10, limits);
}

LaunchStatus launch_quantile_rows(const KeySegments& in, const BlockQuantiles& quantiles,
                                  const QuantileConfig& config) {
    const unsigned warps = kRowThreads / kWarpLanes;
    const LaunchShape shape{static_cast<unsigned>((in.count + warps - 1) / warps), 1, kRowThreads, 0};
    return launch(kQuantileRows[2 * width_index(in.width) + (in.n <= 4 * kWarpLanes ? 0 : 1)], shape,
                  config.stream, in, quantiles);
}

LaunchStatus launch_quantile_blocks(const KeySegments& in, const BlockQuantiles& quantiles,
                                    const QuantileConfig& config) {
    const unsigned capacity = static_cast<unsigned>(up_to_power_of_two(in.n));
    const LaunchShape shape{static_cast<unsigned>(in.count), 1,
                            whole_warps(capacity / 4 + 1, config.policy.block_threads),
                            std::size_t{capacity} * in.width};
    return launch(kQuantileBlocks[width_index(in.width)], shape, config.stream, in, quantiles, capacity);
}

LaunchStatus launch_quantile_windows(const KeySegments& in, const BlockQuantiles& quantiles,
                                     const QuantileConfig& config) {
    const unsigned each = in.count > 2 * std::uint64_t{config.limits.multiprocessors} ? 16 : 4;
    const LaunchShape shape{static_cast<unsigned>(in.count), 1,
                            whole_warps(in.n / each + 1, config.policy.block_threads), 0};
    return launch(kQuantileWindows[width_index(in.width)], shape, config.stream, in, quantiles);
}

void list_quantile_blocks_kernels(KernelLister& to) {
    const QuantilePolicy policy = kDefaultQuantilePolicy;
    to.add(4,
           listed(kQuantileBlocks,
                  [&](unsigned index) {
                      const unsigned width = width_of_index(index);
                      return BlockSize{policy.block_threads,
                                       quantile_capacity(width, policy, to.limits()) * std::size_t{width}};
                  }),
           listed(kQuantileWindows, BlockSize{policy.block_threads, 0}));
    to.add(1, listed(kQuantileRows, BlockSize{kRowThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
