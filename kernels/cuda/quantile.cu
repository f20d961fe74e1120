// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/quantile.h"

#include "kernels/cuda/select_block.cuh"

namespace tegu {
namespace cuda {
namespace {

// Of NaN in ascending order: nothing has a larger one. Integers have no such rank, and none is looked for.
template <class U>
TEGU_DEVICE U nan_rank(const RankedSequence<U>& sequence) {
    return encode_rank(FloatBits<U>::kNan, sequence.flip, true);
}

// count_nans: how many elements of each sequence are NaN.
// in:    elements [n]                                out: nans
// grid:  x = sequences                               block: policy.block_threads, fewer for short sequences
// shared: 256 B static                               result valid in: nans, after the launch
// moves: reads n sizeof(U) B                         order: any
// why:   places depend on the count, and are the host's to say
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) count_nans(Sequences in, std::uint64_t* nans) {
    const RankedSequence<U> source(in, block_x());
    const U nan = nan_rank(source);
    std::uint64_t own = 0;
    for_each_pair<U>(source, in.n, [&](std::uint64_t, U rank, bool valid) { own += valid && rank == nan ? 1 : 0; });
    std::uint64_t total;
    block_sum_before(own, &total);
    if (thread_index() == 0) nans[block_x()] = total;
}

// quantile_blocks: each sequence sorted, and the statistics taken from it.
// in:    elements [n], places                        out: pairs, nans
// grid:  x = sequences                               block: policy.block_threads, fewer for short sequences
// shared: room * sizeof(U) B dynamic, 256 B static   result valid in: pairs and nans, after the launch
// moves: reads n sizeof(U) B, writes 16 B a quantile      order: any
// why:   any number of statistics for one sort, all in shared memory
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) quantile_blocks(Sequences in, BlockQuantiles quantiles, unsigned room) {
    TEGU_DYNAMIC_SHARED(shared);
    U* const ranks = reinterpret_cast<U*>(shared);
    const std::uint64_t number = block_x();
    const RankedSequence<U> source(in, number);
    const U nan = nan_rank(source);
    std::uint64_t own = 0;
    for_each_pair<U>(source, in.n, [&](std::uint64_t i, U rank, bool valid) {
        if (!valid) return;
        ranks[i] = rank;
        own += in.is_float && rank == nan ? 1 : 0;
    });
    for (std::uint64_t i = in.n + thread_index(); i < room; i += block_threads()) ranks[i] = static_cast<U>(~U{0});
    std::uint64_t total;
    block_sum_before(own, &total);
    block_sort<U, false>(ranks, nullptr, room);
    const std::uint64_t* const places = quantiles.places + (quantiles.own_places ? number * quantiles.quantiles : 0);
    std::uint64_t* const pairs = quantiles.pairs + number * quantiles.quantiles * 2;
    for (std::uint64_t i = thread_index(); i < quantiles.quantiles; i += block_threads()) {
        const std::uint64_t place = places[i] < in.n ? places[i] : in.n - 1;
        pairs[2 * i] = ranks[place];
        pairs[2 * i + 1] = ranks[place + 1 < in.n ? place + 1 : place];
    }
    if (thread_index() == 0) quantiles.nans[number] = total;
}

// quantile_counts: the digits of one level, of the elements that belong to its nodes.
// in:    elements [n], the children of the levels above      out: counts [nodes, 2^bits], nans, both zero before
// grid:  x strides over the elements, y = sequences          block: policy.count_threads
// shared: 4 B a bin where `in_shared`; 256 B static          result valid in: counts and nans, after the launch
// moves: reads n sizeof(U) B                                 order: any
// why:   most elements leave the tree at its first level, whose table stays in L1
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) quantile_counts(Sequences in, QuantileLevels levels, std::uint64_t* all_counts,
                                                     std::uint64_t* nans, bool in_shared) {
    TEGU_DYNAMIC_SHARED(shared);
    std::uint32_t* const own_counts = reinterpret_cast<std::uint32_t*>(shared);
    const std::uint64_t number = block_y();
    const RankedSequence<U> sequence(in, number);
    const unsigned depth = levels.depth;
    const unsigned bits = levels.bits[depth];
    const unsigned shift = levels.shift[depth];
    const std::uint64_t bins = std::uint64_t{levels.nodes[depth]} << bits;
    std::uint64_t* const counts = all_counts + number * bins;
    const bool looks_for_nans = depth == 0 && in.is_float;
    const U nan = nan_rank(sequence);
    std::uint64_t own_nans = 0;
    if (in_shared)
        for (std::uint64_t bin = thread_index(); bin < bins; bin += block_threads()) own_counts[bin] = 0;
    block_barrier();

    const auto count = [&](U rank) {
        std::uint64_t node = 0;
        for (unsigned level = 0; level < depth; ++level) {
            const std::uint64_t digit = (rank >> levels.shift[level]) & ((1u << levels.bits[level]) - 1);
            node = levels.children[level][((number * levels.nodes[level] + node) << levels.bits[level]) + digit];
            if (node >= levels.nodes[level + 1]) return;
        }
        const std::uint64_t bin = (node << bits) + ((rank >> shift) & ((1u << bits) - 1));
        if (in_shared) {
            atomic_add(&own_counts[bin], 1u);
        } else {
            atomic_add(&counts[bin], std::uint64_t{1});
        }
        own_nans += looks_for_nans && rank == nan ? 1 : 0;
    };
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t base = std::uint64_t{block_x()} * block_threads() + thread_index(); base < in.n;
         base += stride * kSelectBatch) {
        U ranks[kSelectBatch];
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j)
            ranks[j] = base + j * stride < in.n ? sequence.rank(base + j * stride) : U{0};
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j)
            if (base + j * stride < in.n) count(ranks[j]);
    }
    std::uint64_t total;
    block_sum_before(own_nans, &total);
    if (looks_for_nans && thread_index() == 0 && total != 0) atomic_add(&nans[number], total);
    block_barrier();
    if (!in_shared) return;
    for (std::uint64_t bin = thread_index(); bin < bins; bin += block_threads())
        if (own_counts[bin] != 0) atomic_add(&counts[bin], std::uint64_t{own_counts[bin]});
}

unsigned threads_for(std::uint64_t items, unsigned most) {
    const std::uint64_t wanted = (items + kWarpLanes - 1) / kWarpLanes * kWarpLanes;
    return wanted < most ? static_cast<unsigned>(wanted) : most;
}

template <class U>
struct Typed {
    static LaunchStatus nans(const Sequences& in, std::uint64_t* nans, const QuantilePolicy& policy, Stream stream) {
        const unsigned threads = threads_for(in.n / kSelectBatch + 1, policy.block_threads);
        return launch(count_nans<U>, LaunchShape{static_cast<unsigned>(in.count), 1, threads, 0}, stream, in, nans);
    }
    static LaunchStatus blocks(const Sequences& in, const BlockQuantiles& quantiles, unsigned room,
                               const QuantilePolicy& policy, Stream stream) {
        const unsigned threads = threads_for(room / 4 + 1, policy.block_threads);
        return launch(quantile_blocks<U>, LaunchShape{static_cast<unsigned>(in.count), 1, threads, room * sizeof(U)},
                      stream, in, quantiles, room);
    }
    static LaunchStatus counts(const Sequences& in, const QuantileLevels& levels, std::uint64_t* counts,
                               std::uint64_t* nans, const QuantilePolicy& policy, const DeviceLimits& limits,
                               Stream stream) {
        const std::uint64_t bins = std::uint64_t{levels.nodes[levels.depth]} << levels.bits[levels.depth];
        const bool in_shared = bins <= quantile_shared_bins(policy, limits);
        const unsigned blocks = blocks_for(in.n / kSelectBatch + 1, policy.count_threads, policy.waves, limits);
        const LaunchShape shape{blocks, static_cast<unsigned>(in.count), policy.count_threads,
                                in_shared ? static_cast<std::size_t>(bins) * sizeof(std::uint32_t) : 0};
        return launch(quantile_counts<U>, shape, stream, in, levels, counts, nans, in_shared);
    }
};

}  // namespace

// The member of Typed for the width.
#define TEGU_FOR_WIDTH(width, call)                 \
    switch (width) {                                \
        case 1: return Typed<std::uint8_t>::call;   \
        case 2: return Typed<std::uint16_t>::call;  \
        case 4: return Typed<std::uint32_t>::call;  \
        default: return Typed<std::uint64_t>::call; \
    }

unsigned quantile_room(unsigned width, const QuantilePolicy& policy, const DeviceLimits& limits) {
    const std::size_t fixed = 1 << 10;  // what the kernel has besides
    unsigned room = policy.room;
    while (room > 32 && room * width + fixed > limits.shared_bytes_per_block) room /= 2;
    return room;
}

unsigned quantile_shared_bins(const QuantilePolicy& policy, const DeviceLimits& limits) {
    const std::size_t fixed = 1 << 10;
    const std::size_t most = (limits.shared_bytes_per_block - fixed) / sizeof(std::uint32_t);
    return policy.shared_bins < most ? policy.shared_bins : static_cast<unsigned>(most);
}

LaunchStatus launch_count_nans(const Sequences& in, std::uint64_t* nans, const QuantilePolicy& policy,
                               Stream stream){TEGU_FOR_WIDTH(in.width, nans(in, nans, policy, stream))}

LaunchStatus
    launch_quantile_blocks(const Sequences& in, const BlockQuantiles& quantiles, unsigned room,
                           const QuantilePolicy& policy,
                           Stream stream){TEGU_FOR_WIDTH(in.width, blocks(in, quantiles, room, policy, stream))}

LaunchStatus launch_quantile_counts(const Sequences& in, const QuantileLevels& levels, std::uint64_t* counts,
                                    std::uint64_t* nans, const QuantilePolicy& policy, const DeviceLimits& limits,
                                    Stream stream) {
    const std::uint64_t bins = std::uint64_t{levels.nodes[levels.depth]} << levels.bits[levels.depth];
    LaunchStatus status = zero(counts, static_cast<std::size_t>(in.count * bins * sizeof(std::uint64_t)), stream);
    if (status == 0) status = zero(nans, static_cast<std::size_t>(in.count * sizeof(std::uint64_t)), stream);
    if (status != 0) return status;
    TEGU_FOR_WIDTH(in.width, counts(in, levels, counts, nans, policy, limits, stream))
}

}  // namespace cuda
}  // namespace tegu
