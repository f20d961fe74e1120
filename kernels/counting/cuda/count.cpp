// SPDX-License-Identifier: Apache-2.0
#include "kernels/counting/cuda/count.h"

#include <algorithm>

namespace tegu {
namespace cuda {
namespace {

constexpr std::size_t kMinBytes = 4 << 10;        // of a block, for the rules of its teams
constexpr std::uint64_t kCheapBytes = 48 << 10;   // of a block; several fit a multiprocessor
constexpr std::uint64_t kFewStretches = 30;       // maximum of a segment that one warp counts alone
constexpr std::uint64_t kFewCounters = 512;       // maximum for which several copies pay
constexpr std::uint64_t kMaxElements = 1u << 31;  // of a part: its counters have 32 bits
// reading the elements this often costs less than counters in global memory
constexpr std::uint64_t kMaxSlices = 8;
constexpr std::uint64_t kRegisterThreads = 1024;  // of a multiprocessor: limited by registers
constexpr std::uint64_t kColumnBlocks = 2;        // of a multiprocessor that share its memory for columns

std::uint64_t round16(std::uint64_t bytes) {
    return (bytes + 15) / 16 * 16;
}

// The shared memory of a multiprocessor, as far as it is known.
std::uint64_t shared_bytes_of(const DeviceLimits& limits) {
    return std::max<std::uint64_t>(limits.shared_bytes_per_block, 64 << 10);
}

// Blocks that a multiprocessor holds at once.
std::uint64_t resident_blocks(unsigned threads, std::uint64_t block_bytes, const DeviceLimits& limits) {
    const std::uint64_t bytes = shared_bytes_of(limits);
    std::uint64_t fit =
        std::min<std::uint64_t>(limits.threads_per_multiprocessor, kRegisterThreads) / threads;
    if (block_bytes != 0)
        fit = std::min(fit, bytes / (block_bytes + reserved_shared_bytes(limits.compute_capability)));
    return std::max<std::uint64_t>(fit, 1);
}

// Shared memory of a block with columns.
std::uint64_t column_block_bytes(const DeviceLimits& limits) {
    const std::uint64_t bytes = shared_bytes_of(limits) / kColumnBlocks;
    return std::min<std::uint64_t>(limits.shared_bytes_per_block,
                                   bytes - reserved_shared_bytes(limits.compute_capability));
}

// Columns of counters for the lanes of a warp, as many as fit `team_bytes`. For few elements, clearing and
// adding up the columns must cost less than counting.
unsigned columns_of(const CountWorkload& work, const CountPolicy& policy, std::uint64_t column_bytes,
                    std::uint64_t team_bytes) {
    std::uint64_t bytes = team_bytes;
    if (work.input.n < policy.lane_elements) bytes = std::min(bytes, work.input.n * 2);
    unsigned columns = 32;
    while (columns > 1 && column_bytes * columns > bytes) columns /= 2;
    return columns;
}

// Chooses the memory of the counters, and the team.
void choose_team(const CountWorkload& work, const CountPolicy& policy, const DeviceLimits& limits,
                 CountShape* shape) {
    const std::uint64_t max =
        std::min(std::max(policy.shared_bytes, kMinBytes), limits.shared_bytes_per_block);
    const std::uint64_t elements = work.input.n;
    const std::uint64_t rule = round16(work.rule_bytes), table = round16(work.table_bytes);
    const std::uint64_t needed = (work.slots + (work.fast ? work.extra : 0)) * 4;
    const std::uint64_t slices = rule < max ? ceil_divide(needed, max - rule) : kMaxSlices + 1;
    // Clearing and adding up many counters does not pay for few elements.
    shape->shared = slices <= kMaxSlices && (work.slots * 4 <= kCheapBytes || work.slots <= elements);
    shape->slices = shape->shared ? static_cast<unsigned>(slices) : 1;
    shape->slice = static_cast<std::uint32_t>(ceil_divide(work.slots, shape->slices * 4) * 4);
    const bool fast = work.fast && shape->shared && shape->slices == 1;
    const std::uint64_t extra = fast ? work.extra : 0;
    const std::uint64_t counters = round16((shape->slice + extra) * 4);
    const std::uint64_t held = shape->shared ? counters : 0;
    shape->table = table != 0 && rule + held + table <= max && work.slots / 8 <= elements + 32 &&
                   !(fast && table > kCheapBytes);
    const std::uint64_t team = rule + held + (shape->table ? table : 0);
    const unsigned most = limits.max_threads(kCountThreads);
    shape->threads = std::min(policy.threads_per_block, most);
    shape->copies = 1;
    const bool few = count_stretches(work.input, work.element_bytes) <= kFewStretches;
    const bool many =
        work.input.count >= std::uint64_t{limits.multiprocessors} * limits.threads_per_multiprocessor / 128;
    shape->by_warp = few && many && team * (shape->threads / 32) <= std::min(max, kCheapBytes);
    if (!shape->by_warp) {
        if (team > kCheapBytes / 2) shape->threads = std::min(512u, most);
        if (team > shared_bytes_of(limits) / 2) shape->threads = most;
        if (!fast && shape->shared && work.slots <= kFewCounters)
            shape->copies = std::max(1u, std::min(policy.copies, shape->threads / 32));
        while (shape->copies > 1 && team + (shape->copies - 1) * counters > std::min(max, kCheapBytes))
            --shape->copies;
    }
    if (fast) {
        const std::uint64_t block = std::min(max, shape->by_warp ? kCheapBytes : column_block_bytes(limits));
        const std::uint64_t share = block / (shape->by_warp ? shape->threads / 32 : 1);
        const std::uint64_t beside = team - held;
        shape->columns = columns_of(work, policy, counters, share > beside ? share - beside : 0);
        shape->copies = shape->columns;
    }
    shape->team_bytes = static_cast<unsigned>(team + (shape->copies - 1) * held);
}

std::uint64_t blocks_at_once(const CountShape& shape, const CountPolicy& policy, const DeviceLimits& limits) {
    const std::uint64_t block_bytes = std::uint64_t{shape.team_bytes} * shape.teams_per_block();
    return resident_blocks(shape.threads, block_bytes, limits) * limits.multiprocessors *
           std::max(policy.waves, 1u);
}

// The cost of an element in a launch, as bytes read in the same time on a small board, whose f64 and atomics
// are slow.
std::uint64_t element_cost(const CountWorkload& work, const CountShape& shape) {
    if (work.values && shape.columns > 1) return 1;
    if (work.values && shape.shared) return 2;
    const bool far = !shape.shared || (work.table_bytes != 0 && !shape.table);
    const std::uint64_t steps = work.search ? (far ? 64 : 4) : (far ? 4 : 1);
    return shape.slices * steps * std::max<std::uint64_t>(work.element_bytes, 4);
}

void choose_launch(const CountWorkload& work, const CountPolicy& policy, const DeviceLimits& limits,
                   CountShape* shape) {
    const std::uint64_t launch_bytes =
        std::max<std::uint64_t>(1, policy.launch_bytes * limits.multiprocessors);
    const std::uint64_t stretches = count_stretches(work.input, work.element_bytes);
    const std::uint64_t cost = element_cost(work, *shape);
    // A stretch costs a warp a minimum time, even with few elements.
    const std::uint64_t full = kCountStretchBytes / work.element_bytes;
    const std::uint64_t stretch_elements = std::max(std::min(work.input.cols, full) + 16, full / 2);
    const std::uint64_t launch_stretches = launch_bytes / (stretch_elements * cost) + 1;
    shape->at_once = std::max<std::uint64_t>(1, std::min(stretches, launch_stretches));
    const std::uint64_t segment_cost = stretches * stretch_elements * cost + work.result_cost + 1;
    shape->segments =
        shape->at_once < stretches ? 1 : std::max<std::uint64_t>(1, launch_bytes / segment_cost);
}

}  // namespace

CountShape choose_count_shape(const CountWorkload& work, const CountPolicy& policy,
                              const DeviceLimits& limits) {
    CountShape shape{};
    choose_team(work, policy, limits, &shape);
    choose_launch(work, policy, limits, &shape);
    const std::uint64_t resident = blocks_at_once(shape, policy, limits);
    const std::uint64_t stretch_elements = kCountStretchBytes / work.element_bytes + 32;
    const std::uint64_t segments = std::min(work.input.count, shape.segments);
    // Enough parts to fill the device, each with enough elements for its own counters.
    std::uint64_t parts = 1;
    if (!shape.by_warp) {
        const std::uint64_t wanted = ceil_divide(shape.at_once, shape.threads / 32);
        const std::uint64_t worth =
            shape.shared ? shape.at_once * stretch_elements / (4 * work.slots) + 1 : wanted;
        parts = std::min({resident / std::max<std::uint64_t>(segments * shape.slices, 1), wanted, worth});
    }
    parts = std::max({parts, shape.at_once * stretch_elements / kMaxElements + 1});
    shape.part = ceil_divide(shape.at_once, parts);
    shape.parts = ceil_divide(shape.at_once, shape.part);
    const std::uint64_t blocks = ceil_divide(segments * shape.parts * shape.slices, shape.teams_per_block());
    shape.blocks = static_cast<unsigned>(std::max<std::uint64_t>(1, std::min(blocks, resident)));
    return shape;
}

}  // namespace cuda
}  // namespace tegu
