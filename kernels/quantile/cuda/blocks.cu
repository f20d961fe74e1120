// SPDX-License-Identifier: Apache-2.0
// Kernels for segments that one warp or one block sorts. They read each element once and write the quantiles.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/quantile/cuda/finish.cuh"
#include "kernels/selection/cuda/block_sort.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kRowThreads = 256;

// Writes the quantiles from sorted keys, by threads thread, thread + threads, ...
template <class U>
TEGU_DEVICE void write_from_sorted(const U* keys, std::uint64_t n, std::uint64_t nans,
                                   const QuantileResults<U>& results, unsigned thread, unsigned threads) {
    const bool numbers = results.are_numbers(n, nans);
    for (std::uint64_t i = thread; i < results.output.quantiles; i += threads) {
        if (!numbers) {
            results.write_nan(i);
            continue;
        }
        const QuantilePosition position = results.position(i, n - nans);
        const std::uint64_t next = position.rank + 1 < n ? position.rank + 1 : position.rank;
        results.write(i, position, keys[position.rank], keys[next]);
    }
}

// quantile_blocks: sorts each segment and takes the statistics from it.
// in:    elements [n]                                out: the output
// grid:  x = segments                               block: policy.block_threads, fewer for short segments
// shared: capacity * sizeof(U) B dynamic, 256 B static   result valid in: the output, after the launch
// moves: reads n sizeof(U) B, writes the quantiles        order: any
// why:   one sort, all in shared memory, serves any number of statistics
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
    quantile_blocks(KeySegments in, QuantileOutput output, unsigned capacity) {
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
    write_from_sorted(keys, in.n, total, QuantileResults<U>(output, source, number), thread_index(),
                      block_threads());
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
// in:    elements [n], n <= 32 * Items               out: the output
// grid:  x = segments / 8, a warp each              block: 256
// shared: 1 KB * Items static                        result valid in: the output, after the launch
// moves: reads n sizeof(U) B, writes the quantiles        order: any
// why:   in registers, a step of the network costs a few instructions and no barrier
template <class U, unsigned Items>
TEGU_KERNEL TEGU_BOUNDS(kRowThreads) quantile_rows(KeySegments in, QuantileOutput output) {
    TEGU_SHARED_ARRAY(U, shared, kRowThreads * Items);
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
    U* const sorted = shared + warp_index() * kWarpLanes * Items;
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j) sorted[lane_index() * Items + j] = static_cast<U>(keys[j]);
    warp_barrier();
    write_from_sorted(sorted, in.n, nans, QuantileResults<U>(output, segment, number), lane_index(),
                      kWarpLanes);
}

constexpr const char* kMoves = "reads n elements, writes the quantiles";
constexpr KernelTable<decltype(&quantile_blocks<std::uint8_t>), 4> kQuantileBlocks = {
    "quantile_blocks", kMoves, {TEGU_BY_WIDTH(quantile_blocks)}};
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

LaunchStatus launch_quantile_rows(const KeySegments& in, const QuantileOutput& output,
                                  const QuantileConfig& config) {
    const unsigned warps = kRowThreads / kWarpLanes;
    const LaunchShape shape{static_cast<unsigned>((in.count + warps - 1) / warps), 1, kRowThreads, 0};
    return launch(kQuantileRows[2 * width_index(in.width) + (in.n <= 4 * kWarpLanes ? 0 : 1)], shape,
                  config.stream, in, output);
}

LaunchStatus launch_quantile_blocks(const KeySegments& in, const QuantileOutput& output,
                                    const QuantileConfig& config) {
    const unsigned capacity = static_cast<unsigned>(up_to_power_of_two(in.n));
    const LaunchShape shape{
        static_cast<unsigned>(in.count), 1,
        whole_warps(capacity / 4 + 1, block_threads_of(config.policy.block_threads, config.limits)),
        std::size_t{capacity} * in.width};
    return launch(kQuantileBlocks[width_index(in.width)], shape, config.stream, in, output, capacity);
}

void list_quantile_blocks_kernels(KernelLister& to) {
    const QuantilePolicy policy = kDefaultQuantilePolicy;
    to.add(1, listed(kQuantileBlocks, [&](unsigned index) {
               const unsigned width = width_of_index(index);
               return BlockSize{block_threads_of(policy.block_threads, to.limits()),
                                quantile_capacity(width, policy, to.limits()) * std::size_t{width}};
           }));
    to.add(1, listed(kQuantileRows, BlockSize{kRowThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
