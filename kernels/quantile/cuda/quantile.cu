// SPDX-License-Identifier: Apache-2.0
// Counts digits of the keys of long segments.
#include "kernels/quantile/cuda/quantile.h"

#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/quantile/cuda/nan.cuh"

namespace tegu {
namespace cuda {
namespace {

// quantile_counts: counts the digits of one level, for the elements that belong to its nodes.
// in:    elements [begin, end), the children of the levels above
// out:   counts [nodes, 2^bits], nans, both zero before
// grid:  x strides over the elements, y = segments          block: policy.count_threads
// shared: 4 B a bin where `in_shared`; 256 B static
// result valid in: counts and nans, after the launch
// moves: reads n sizeof(U) B                                 order: any
// why:   most elements leave the tree at its first level, whose table stays in L1
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
    quantile_counts(KeySegments in, std::uint64_t begin, std::uint64_t end, QuantileLevels levels,
                    std::uint64_t* all_counts, std::uint64_t* nans, bool in_shared) {
    TEGU_DYNAMIC_SHARED(shared);
    std::uint32_t* const own_counts = reinterpret_cast<std::uint32_t*>(shared);
    const std::uint64_t number = block_y();
    const KeyedSegment<U> segment(in, number);
    const unsigned depth = levels.depth;
    const unsigned bits = levels.bits[depth];
    const unsigned shift = levels.shift[depth];
    const std::uint64_t bins = std::uint64_t{levels.nodes[depth]} << bits;
    std::uint64_t* const counts = all_counts + number * bins;
    const bool counts_nans = depth == 0 && in.is_float;
    const U nan = nan_key(segment);
    std::uint64_t own_nans = 0;
    if (in_shared)
        for (std::uint64_t bin = thread_index(); bin < bins; bin += block_threads()) own_counts[bin] = 0;
    block_barrier();

    const auto count = [&](U key) {
        std::uint64_t node = 0;
        for (unsigned level = 0; level < depth; ++level) {
            const std::uint64_t digit = (key >> levels.shift[level]) & ((1u << levels.bits[level]) - 1);
            node =
                levels.children[level][((number * levels.nodes[level] + node) << levels.bits[level]) + digit];
            if (node >= levels.nodes[level + 1]) return;
        }
        const std::uint64_t bin = (node << bits) + ((key >> shift) & ((1u << bits) - 1));
        if (in_shared) {
            atomic_add(&own_counts[bin], 1u);
        } else {
            atomic_add(&counts[bin], std::uint64_t{1});
        }
        own_nans += counts_nans && key == nan ? 1 : 0;
    };
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t base = begin + std::uint64_t{block_x()} * block_threads() + thread_index(); base < end;
         base += stride * kSelectBatch) {
        U keys[kSelectBatch];
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j)
            keys[j] = segment.bits(base + j * stride < end ? base + j * stride : begin);
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j)
            if (base + j * stride < end) count(segment.key_of(keys[j]));
    }
    std::uint64_t total;
    block_sum_before(own_nans, &total);
    if (counts_nans && thread_index() == 0 && total != 0) atomic_add(&nans[number], total);
    block_barrier();
    if (!in_shared) return;
    for (std::uint64_t bin = thread_index(); bin < bins; bin += block_threads())
        if (own_counts[bin] != 0) atomic_add(&counts[bin], std::uint64_t{own_counts[bin]});
}

constexpr KernelTable<decltype(&quantile_counts<std::uint8_t>), 4> kQuantileCounts = {
    "quantile_counts", "reads n elements, adds 8 B a bin and block", {TEGU_BY_WIDTH(quantile_counts)}};

}  // namespace

unsigned quantile_shared_bins(const QuantilePolicy& policy, const DeviceLimits& limits) {
    const std::size_t fixed = 1 << 10;
    const std::size_t max = (limits.shared_bytes_per_block - fixed) / sizeof(std::uint32_t);
    return policy.shared_bins < max ? policy.shared_bins : static_cast<unsigned>(max);
}

LaunchStatus launch_quantile_counts(const QuantileCounts& count, const Pieces& pieces,
                                    const QuantileConfig& config) {
    const KeySegments& in = count.in;
    const QuantileLevels& levels = count.levels;
    const QuantilePolicy& policy = config.policy;
    const std::uint64_t bins = std::uint64_t{levels.nodes[levels.depth]} << levels.bits[levels.depth];
    LaunchStatus status =
        zero(count.counts, static_cast<std::size_t>(in.count * bins * sizeof(std::uint64_t)), config.stream);
    if (status == 0)
        status = zero(count.nans, static_cast<std::size_t>(in.count * sizeof(std::uint64_t)), config.stream);
    if (status != 0) return status;
    const bool in_shared = bins <= quantile_shared_bins(policy, config.limits);
    const std::size_t shared_bytes = in_shared ? static_cast<std::size_t>(bins) * sizeof(std::uint32_t) : 0;
    const unsigned threads = block_threads_of(policy.count_threads, config.limits);
    return in_pieces(pieces, in.n, in.count, [&](std::uint64_t begin, std::uint64_t some) {
        const unsigned blocks = blocks_for(some / kSelectBatch + 1, threads, policy.waves, config.limits);
        const LaunchShape shape{blocks, static_cast<unsigned>(in.count), threads, shared_bytes};
        return launch(kQuantileCounts[width_index(in.width)], shape, config.stream, in, begin, begin + some,
                      levels, count.counts, count.nans, in_shared);
    });
}

void list_quantile_kernels(KernelLister& to) {
    to.add(1, listed(kQuantileCounts, BlockSize{kDefaultQuantilePolicy.count_threads,
                                                sizeof(std::uint32_t) << kQuantileDigitBits}));
}

}  // namespace cuda
}  // namespace tegu
