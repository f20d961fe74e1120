// SPDX-License-Identifier: Apache-2.0
// Seed S2, second part, the ladder: a sum by atomics alone, then in seven steps from a first kernel to one
// that reads at the speed of memory. Each step changes one thing.
//
// Sums of i32 are exact, in 64 bits. Sums of f32 use f32 throughout, so their bits depend on the step and the
// block size, and by atomics on the run. kernels/statistics/cuda/reduce.h has the sum whose bits never
// change.
//
// Traps of such kernels, which these avoid and the tests cover: threads that return before a barrier; a wrong
// bound check; a last block that is not full; sizes of 0, 1 and beyond 2^31; lanes of a warp that are assumed
// to run in step (they do not since Volta).
#pragma once

#include "kernels/execution/cuda/kernel_list.h"

// X(Name, word, title, change)
#define TEGU_LADDER_STEPS(X)                                                                                 \
    X(Atomics, "0a", "global atomics", "every thread adds its element to one word in global memory")         \
    X(SharedAtomics, "0b", "shared atomics",                                                                 \
      "a word per block in shared memory; one global atomic per block")                                      \
    X(Neighbours, "1", "neighboured pairs",                                                                  \
      "every second, fourth, eighth ... thread adds: warps run half idle")                                   \
    X(Reindexed, "2", "neighboured pairs, re-indexed", "the first threads add: idle warps leave")            \
    X(Interleaved, "3", "interleaved pairs",                                                                 \
      "neighbouring lanes read neighbouring words: no bank conflicts")                                       \
    X(Unrolled2, "4a", "2 loads a thread", "half the blocks, and an addition before the first barrier")      \
    X(Unrolled4, "4b", "4 loads a thread", "four loads in flight at once")                                   \
    X(Unrolled8, "4c", "8 loads a thread", "eight loads in flight at once")                                  \
    X(LastWarp, "5", "last warp unrolled", "the last six barriers of the block become barriers of one warp") \
    X(Complete, "6", "completely unrolled", "the block size is known to the compiler: no loop is left")      \
    X(GridStride, "7", "grid stride and shuffles",                                                           \
      "a grid that fits the device, sums in registers, the last block adds up: nothing is left to the host")

namespace tegu {
namespace seeds {

enum class LadderStep : std::uint8_t {
#define TEGU_X(Name, word, title, change) Name,
    TEGU_LADDER_STEPS(TEGU_X)
#undef TEGU_X
};

struct LadderStepInfo {
    LadderStep step;
    const char *word, *title, *change;
};
constexpr LadderStepInfo kLadderSteps[] = {
#define TEGU_X(Name, word, title, change) {LadderStep::Name, word, title, change},
    TEGU_LADDER_STEPS(TEGU_X)
#undef TEGU_X
};

struct LadderPolicy {
    unsigned threads;  // of a block: 128, 256, 512 or 1024
};

// Blocks of the launch: of step 7 as many as the device holds at once, of the others as many as n needs. Each
// block of steps 1 to 7 writes one partial sum.
std::uint64_t ladder_blocks(LadderStep step, std::uint64_t n, const LadderPolicy& policy,
                            const cuda::DeviceLimits& limits);
// Partial sums that are left to add after the launch: 0 for n = 0, 1 for steps 0a, 0b and 7, else
// ladder_blocks().
std::uint64_t ladder_partials(LadderStep step, std::uint64_t n, const LadderPolicy& policy,
                              const cuda::DeviceLimits& limits);
// Additions that an element of the f32 sum goes through at most on the device. Let e be additions * 2^-24.
// The sum of the partials, added in double, is off by at most e / (1 - e) times the sum of magnitudes. Step
// 0a has n additions: its bound is of no use for large n.
std::uint64_t ladder_additions(LadderStep step, std::uint64_t n, const LadderPolicy& policy,
                               const cuda::DeviceLimits& limits);

// One launch, of steps 0a and 0b after a memset; none for n = 0. x [n], aligned to the element; partials
// [ladder_blocks()]; ticket: one, 0 before and after (step 7).
// REQUIRES: ladder_blocks() < 2^31.
cuda::LaunchStatus launch_ladder(LadderStep step, const std::int32_t* x, std::uint64_t n,
                                 std::int64_t* partials, std::uint32_t* ticket, const LadderPolicy& policy,
                                 const cuda::DeviceLimits& limits, cuda::Stream stream);
cuda::LaunchStatus launch_ladder(LadderStep step, const float* x, std::uint64_t n, float* partials,
                                 std::uint32_t* ticket, const LadderPolicy& policy,
                                 const cuda::DeviceLimits& limits, cuda::Stream stream);

// The kernel of a step, for i32 or f32.
cuda::KernelEntry ladder_kernel(LadderStep step, bool is_float, const LadderPolicy& policy);

}  // namespace seeds
}  // namespace tegu
