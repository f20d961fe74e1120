// SPDX-License-Identifier: Apache-2.0
// The launches of the ladder, and the host-side differences of the steps.
#include "tools/field/seeds/add/ladder.h"

#include "tools/field/seeds/add/ladder.cuh"

namespace tegu {
namespace seeds {
namespace {

// Elements that a thread loads; 0: as many as there are.
unsigned loads_of(LadderStep step) {
    switch (step) {
        case LadderStep::Atomics:
        case LadderStep::SharedAtomics:
        case LadderStep::Neighbours:
        case LadderStep::Reindexed:
        case LadderStep::Interleaved: return 1;
        case LadderStep::Unrolled2: return 2;
        case LadderStep::Unrolled4: return 4;
        case LadderStep::Unrolled8:
        case LadderStep::LastWarp:
        case LadderStep::Complete: return 8;
        case LadderStep::GridStride: break;
    }
    return 0;
}

bool leaves_one_sum(LadderStep step) {
    return step == LadderStep::Atomics || step == LadderStep::SharedAtomics || step == LadderStep::GridStride;
}

unsigned levels_of(std::uint64_t count) {
    unsigned levels = 0;
    while (count >> levels > 1) ++levels;
    return levels;
}

template <class T>
using StepKernel = void (*)(const T*, std::uint64_t, Sum<T>*);

template <class T>
StepKernel<T> complete_for(unsigned threads) {
    switch (threads) {
        case 128: return complete<T, 128>;
        case 256: return complete<T, 256>;
        case 512: return complete<T, 512>;
        default: return complete<T, 1024>;
    }
}

// REQUIRES: not step 7, which takes a ticket, too.
template <class T>
StepKernel<T> kernel_for(LadderStep step, unsigned threads) {
    switch (step) {
        case LadderStep::Atomics: return global_atomics<T>;
        case LadderStep::SharedAtomics: return shared_atomics<T>;
        case LadderStep::Neighbours: return neighbours<T>;
        case LadderStep::Reindexed: return reindexed<T>;
        case LadderStep::Interleaved: return interleaved<T, 1>;
        case LadderStep::Unrolled2: return interleaved<T, 2>;
        case LadderStep::Unrolled4: return interleaved<T, 4>;
        case LadderStep::Unrolled8: return interleaved<T, 8>;
        case LadderStep::LastWarp: return last_warp<T>;
        case LadderStep::Complete:
        case LadderStep::GridStride: break;
    }
    return complete_for<T>(threads);
}

// Dynamic shared memory of a block.
template <class T>
std::size_t shared_bytes_of(LadderStep step, unsigned threads) {
    return leaves_one_sum(step) || step == LadderStep::Complete ? 0 : threads * sizeof(Sum<T>);
}

template <class T>
LaunchStatus launch_step(LadderStep step, const T* x, std::uint64_t n, Sum<T>* partials,
                         std::uint32_t* ticket, const LadderPolicy& policy, const DeviceLimits& limits,
                         Stream stream) {
    if (n == 0) return 0;
    const auto blocks = static_cast<unsigned>(ladder_blocks(step, n, policy, limits));
    const LaunchShape shape{blocks, 1, policy.threads, shared_bytes_of<T>(step, policy.threads)};
    if (step == LadderStep::GridStride)
        return launch_seed(grid_stride<T>, shape, stream, x, n, partials, ticket);
    const LaunchStatus zeroed = leaves_one_sum(step) ? zero(partials, sizeof(Sum<T>), stream) : 0;
    return zeroed != 0 ? zeroed
                       : launch_seed(kernel_for<T>(step, policy.threads), shape, stream, x, n, partials);
}

template <class T>
KernelEntry entry_of(LadderStep step, const char* type, const LadderPolicy& policy) {
    const char* const word = kLadderSteps[static_cast<unsigned>(step)].word;
    const char* const moves = "reads n elements";
    const std::size_t shared_bytes = shared_bytes_of<T>(step, policy.threads);
    if (step == LadderStep::GridStride)
        return kernel_entry("ladder", {type, word}, grid_stride<T>, policy.threads, shared_bytes, moves);
    return kernel_entry("ladder", {type, word}, kernel_for<T>(step, policy.threads), policy.threads,
                        shared_bytes, moves);
}

}  // namespace

std::uint64_t ladder_blocks(LadderStep step, std::uint64_t n, const LadderPolicy& policy,
                            const DeviceLimits& limits) {
    if (step == LadderStep::GridStride) return blocks_for(n, policy.threads, 1, limits);
    const std::uint64_t elements = std::uint64_t{policy.threads} * loads_of(step);
    return n / elements + (n % elements != 0);
}

std::uint64_t ladder_partials(LadderStep step, std::uint64_t n, const LadderPolicy& policy,
                              const DeviceLimits& limits) {
    if (n == 0) return 0;
    return leaves_one_sum(step) ? 1 : ladder_blocks(step, n, policy, limits);
}

std::uint64_t ladder_additions(LadderStep step, std::uint64_t n, const LadderPolicy& policy,
                               const DeviceLimits& limits) {
    if (n == 0) return 0;
    if (step == LadderStep::Atomics) return n;
    if (step == LadderStep::SharedAtomics) return policy.threads + ladder_blocks(step, n, policy, limits);
    if (step != LadderStep::GridStride) return loads_of(step) + levels_of(policy.threads);
    const std::uint64_t blocks = ladder_blocks(step, n, policy, limits);
    // Its own elements, two warps' levels in each of two trees, and the partials that one thread adds.
    return n / (blocks * policy.threads) + 1 + 20 + blocks / policy.threads + 1;
}

LaunchStatus launch_ladder(LadderStep step, const std::int32_t* x, std::uint64_t n, std::int64_t* partials,
                           std::uint32_t* ticket, const LadderPolicy& policy, const DeviceLimits& limits,
                           Stream stream) {
    return launch_step(step, x, n, partials, ticket, policy, limits, stream);
}
LaunchStatus launch_ladder(LadderStep step, const float* x, std::uint64_t n, float* partials,
                           std::uint32_t* ticket, const LadderPolicy& policy, const DeviceLimits& limits,
                           Stream stream) {
    return launch_step(step, x, n, partials, ticket, policy, limits, stream);
}

KernelEntry ladder_kernel(LadderStep step, bool is_float, const LadderPolicy& policy) {
    return is_float ? entry_of<float>(step, "f32", policy) : entry_of<std::int32_t>(step, "i32", policy);
}

}  // namespace seeds
}  // namespace tegu
