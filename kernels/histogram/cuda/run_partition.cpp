// SPDX-License-Identifier: Apache-2.0
// Cuts a segment into pieces whose keys fit the workspace. A launch sorts the keys of a piece into buckets,
// the next one counts them.
#include "kernels/histogram/cuda/partition.h"

#include <algorithm>

#include "kernels/histogram/cuda/run_partition.h"

namespace tegu::cuda {
namespace {

constexpr std::uint64_t kMinElements = 4;  // of a slot: buckets for fewer do not pay
constexpr unsigned kMinBits = 13, kMaxBits = 14;
constexpr std::uint64_t kTileCost = std::uint64_t{kPartitionTile} * 16;  // as bytes read in the same time
constexpr std::uint64_t kCaches = 8;  // workspace of keys, in L2 caches: large devices have much memory, too

std::uint64_t tile_bytes(std::uint32_t buckets) {
    return (partition_capacity(buckets) + buckets + 1) * sizeof(std::uint16_t);
}

}  // namespace

unsigned partition_bits(const PartitionJob& job, const CountPolicy& policy, const DeviceLimits& limits) {
    const std::uint64_t shared = std::min<std::uint64_t>(policy.shared_bytes, limits.shared_bytes_per_block);
    const bool is_float = job.type == ElementType::F16 || job.type == ElementType::F32;
    if (!is_float || job.input.lines() != 1 || std::uint64_t{job.bins} * 4 < shared ||
        job.input.n < kMinElements * job.bins)
        return 0;
    // Two blocks of the larger buckets must fit a multiprocessor.
    unsigned bits = kMaxBits;
    while (bits > kMinBits && (std::uint64_t{8} << bits) > shared) --bits;
    const std::uint64_t buckets = ceil_divide(job.bins, std::uint64_t{1} << bits);
    const bool fits = (std::uint64_t{4} << bits) <= shared && buckets <= kMaxBuckets &&
                      partition_shared_bytes(static_cast<std::uint32_t>(buckets)) <= shared &&
                      tile_bytes(static_cast<std::uint32_t>(buckets)) <= policy.batch_bytes;
    return fits ? bits : 0;
}

Result<void> BinPartition::prepare(const PartitionJob& job, unsigned bits, const Context& context) {
    job_ = job;
    bits_ = bits;
    buckets_ = static_cast<std::uint32_t>(ceil_divide(job.bins, std::uint64_t{1} << bits));
    const std::uint64_t width = 16 / element_bytes(job.type);
    const CountPolicy& policy = context.policies.count;
    step_ = std::max<std::uint64_t>(1, policy.launch_bytes * context.limits.multiprocessors / kTileCost);
    // Each piece adds all counters to global memory, so few pieces are better.
    const std::uint64_t memory =
        std::max<std::uint64_t>(policy.batch_bytes, kCaches * context.limits.l2_bytes);
    piece_ = std::min(
        {step_, ceil_divide(job.input.n / width * width, kPartitionTile), memory / tile_bytes(buckets_)});
    piece_ = std::max<std::uint64_t>(1, piece_);
    ArrayTaker arrays(context);
    keys_ = arrays.take<std::uint16_t>(piece_ * partition_capacity(buckets_));
    starts_ = arrays.take<std::uint16_t>(piece_ * (buckets_ + 1));
    sizes_ = arrays.take<std::uint64_t>(kMaxBuckets / 2);
    return arrays.done();
}

Result<void> BinPartition::count(const Segments& input, std::uint64_t segment, const BinRule& rule,
                                 FastBins with, const CountTarget& target, const Context& context,
                                 Pace* pace) const {
    const std::size_t bytes = element_bytes(job_.type);
    const auto* const x = static_cast<const std::byte*>(input.data) + segment * input.step * bytes;
    const std::uint64_t all = input.n * bytes;
    const std::uint64_t head =
        std::min<std::uint64_t>((16 - reinterpret_cast<std::uintptr_t>(x) % 16) % 16, all);
    const std::uint64_t packs = (all - head) / 16, tile_packs = kPartitionTile * bytes / 16;
    PartitionTask task{};
    task.slots = job_.bins;
    task.bits = bits_;
    task.buckets = buckets_;
    task.capacity = partition_capacity(buckets_);
    task.keys = keys_;
    task.starts = starts_;
    task.sizes = reinterpret_cast<std::uint32_t*>(sizes_);
    task.counts = target.counts + segment * job_.bins;
    const auto launch = [&](std::uint64_t first, std::uint64_t tiles) {
        task.x = x + head + first * tile_packs * 16;
        task.tiles = tiles;
        task.packs = std::min(packs - std::min(packs, first * tile_packs), tiles * tile_packs);
        const bool is_first = first == 0;
        task.edges = is_first ? target.edges + segment * (std::uint64_t{job_.bins} + 1) : nullptr;
        task.head = x;
        task.tail = x + head + packs * 16;
        task.head_count = is_first ? static_cast<unsigned>(head / bytes) : 0;
        task.tail_count = is_first ? static_cast<unsigned>((all - head - packs * 16) / bytes) : 0;
        LaunchStatus status = is_first ? zero_counters(task.counts, job_.bins, context.stream) : 0;
        if (status == 0) status = zero_counters(sizes_, kMaxBuckets / 2, context.stream);
        if (status == 0)
            status = launch_partition_bins(job_.type, with, task, rule, context.limits, context.stream);
        return status == 0 ? launch_count_buckets(task, context.limits, context.stream) : status;
    };
    const std::uint64_t tiles = std::max<std::uint64_t>(1, ceil_divide(packs, tile_packs));
    return pace->launch(pieces_of(tiles, step_), "histogram", [&](const Piece& step) {
        LaunchStatus status = 0;
        for (std::uint64_t done = 0; done < step.rows && status == 0; done += piece_)
            status = launch(step.row + done, std::min(piece_, step.rows - done));
        return status;
    });
}

}  // namespace tegu::cuda
