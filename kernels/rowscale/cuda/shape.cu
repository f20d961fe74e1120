// SPDX-License-Identifier: Apache-2.0
// The shape of the launches of rowscale: the method, and the number of threads that share a row.
#include "kernels/execution/cuda/grid.cuh"
#include "kernels/rowscale/cuda/joint.h"
#include "kernels/rowscale/cuda/trail.h"

namespace tegu {
namespace cuda {
namespace {

// Returns whether a row stays in the L2 cache until its block reads it again, and a launch has some rows for
// each multiprocessor.
bool sweeps_pay(const RowscaleArrays& arrays, std::uint64_t row_bytes, const RowscalePolicy& policy,
                const DeviceLimits& limits) {
    constexpr std::uint64_t kRows = 4;
    return arrays.rows >= kRows * limits.multiprocessors && row_bytes <= policy.launch_bytes / kRows;
}

// Returns whether the parts between a search and its division stay in half of the L2 cache. Needs two rows:
// the division of one row cannot begin before all of it is searched.
bool trail_pays(const RowscaleArrays& arrays, const RowscaleShape& shape, std::uint64_t bytes,
                const DeviceLimits& limits) {
    constexpr std::uint64_t kMaxParts = std::uint64_t{1} << 30;
    const std::uint64_t parts = rowscale_trail_parts(arrays.cols, shape.pack, shape.threads),
                        part_bytes = std::uint64_t{kRowscaleInFlight} * shape.pack * shape.threads * bytes,
                        blocks = rowscale_trail_blocks(shape.threads, limits),
                        between = rowscale_trail_lead(parts, static_cast<unsigned>(blocks)) * part_bytes;
    return arrays.rows > 1 && between <= limits.l2_bytes / 2 && parts < kMaxParts / arrays.rows;
}

}  // namespace

RowscaleShape rowscale_shape(ElementType type, const RowscaleArrays& arrays, const RowscalePolicy& policy,
                             const DeviceLimits& limits) {
    const std::uint64_t bytes = element_bytes(type);
    const auto aligned = [](const void* address) {
        return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
    };
    const bool many = arrays.rows * arrays.lines > 1;
    const bool packed = aligned(arrays.x) && aligned(arrays.values) && arrays.cols * bytes % 16 == 0 &&
                        (!many || arrays.row_stride * bytes % 16 == 0);
    const unsigned wanted = block_threads_of(policy.threads_per_block, limits);
    RowscaleShape shape{type, RowscaleMethod::Spread, packed ? static_cast<unsigned>(16 / bytes) : 1, wanted,
                        0,    kRowscaleInFlight};
    if (arrays.lines != 1) return shape;
    // Dense rows of an odd width, at an aligned address, in packs that several rows share.
    const unsigned width = static_cast<unsigned>(16 / bytes);
    const bool joint = !packed && many && aligned(arrays.x) && aligned(arrays.values) &&
                       arrays.row_stride == arrays.cols && arrays.cols >= width;
    if (joint && ceil_divide(arrays.cols, kWarpLanes) <= policy.packs_per_thread) {
        const unsigned max = limits.max_threads(kRowscaleJointThreads);
        shape.method = RowscaleMethod::Joint;
        shape.threads = wanted < max ? wanted : max;
        shape.pack = width;
        shape.lanes =
            arrays.cols < kWarpLanes ? static_cast<unsigned>(up_to_power_of_two(arrays.cols)) : kWarpLanes;
        shape.packs = static_cast<unsigned>(ceil_divide(arrays.cols, shape.lanes));
        return shape;
    }
    const std::uint64_t packs = arrays.cols / shape.pack;
    const auto rounds = [&](std::uint64_t threads) { return (packs + threads - 1) / threads; };
    if (rounds(kWarpLanes) <= policy.packs_per_thread) {
        shape.method = RowscaleMethod::Group;
        shape.lanes = packs < kWarpLanes ? static_cast<unsigned>(up_to_power_of_two(packs)) : kWarpLanes;
        shape.packs = static_cast<unsigned>(rounds(shape.lanes));
        return shape;
    }
    while (shape.threads * 2 <= max_threads(limits) && rounds(shape.threads) > policy.packs_per_thread)
        shape.threads *= 2;
    shape.lanes = shape.threads;
    shape.packs = kRowscaleInFlight;
    if (shape.threads > kWarpLanes && rounds(shape.threads) <= policy.packs_per_thread) {
        shape.method = RowscaleMethod::Block;
        shape.packs = static_cast<unsigned>(rounds(shape.threads));
        return shape;
    }
    RowscaleShape shared = shape;
    shared.lanes = 0;
    shared.threads = 4 * wanted < max_threads(limits) ? 4 * wanted : max_threads(limits);
    if (trail_pays(arrays, shared, bytes, limits)) {
        shared.method = RowscaleMethod::Trail;
        return shared;
    }
    if (sweeps_pay(arrays, arrays.cols * bytes, policy, limits)) {
        shape.method = RowscaleMethod::Sweeps;
        return shape;
    }
    shared.threads = wanted;
    return shared;
}

}  // namespace cuda
}  // namespace tegu
