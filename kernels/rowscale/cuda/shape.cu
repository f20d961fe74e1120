// SPDX-License-Identifier: Apache-2.0
// The shape of the launches of rowscale: the method, and the number of threads that share a row.
#include "kernels/execution/cuda/grid.cuh"
#include "kernels/rowscale/cuda/rowscale.h"

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
    } else if (sweeps_pay(arrays, arrays.cols * bytes, policy, limits)) {
        shape.method = RowscaleMethod::Sweeps;
    } else {
        shape.threads = wanted;
        shape.lanes = 0;
    }
    return shape;
}

}  // namespace cuda
}  // namespace tegu
