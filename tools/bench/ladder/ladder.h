// SPDX-License-Identifier: Apache-2.0
// The ladder: a sum in seven steps, from the kernel that everybody writes first to one that reads as fast as memory gives, each step changing one
// thing. Kernels to learn from and to measure against: nothing else uses them. Sums of i32 are exact, in 64 bits. Sums of f32 are
// f32 throughout, so their bits depend on the step and its block size: kernels/cuda/reduce.h is the sum that does not.
//
// What goes wrong in kernels like these, and does not here: threads beyond the end that return before a barrier others wait at; a last block that is
// not full; sizes of 0, 1 and beyond 2^31; and lanes of a warp that are taken to run in step, which they do not since Volta.
#pragma once

#include "kernels/cuda/launch.h"

// X(Name, word, title, what it changes)
#define TEGU_LADDER_STEPS(X)                                                                                     \
    X(Neighbours, "1", "neighboured pairs", "every second, fourth, eighth ... thread adds: warps run half idle") \
    X(Reindexed, "2", "neighboured pairs, re-indexed", "the first threads add: idle warps leave")                \
    X(Interleaved, "3", "interleaved pairs", "neighbouring lanes read neighbouring words: no bank conflicts")    \
    X(Unrolled2, "4a", "2 loads a thread", "half the blocks, and an addition before the first barrier")          \
    X(Unrolled4, "4b", "4 loads a thread", "four loads in flight at once")                                       \
    X(Unrolled8, "4c", "8 loads a thread", "eight loads in flight at once")                                      \
    X(LastWarp, "5", "last warp unrolled", "the last six barriers of the block become barriers of one warp")     \
    X(Complete, "6", "completely unrolled", "the block size is known to the compiler: no loop is left")          \
    X(GridStride, "7", "grid stride and shuffles",                                                               \
      "a grid that fits the device, sums in registers, the last block adds up: nothing is left to the host")

namespace tegu {
namespace bench {

enum class LadderStep : std::uint8_t {
#define TEGU_X(Name, word, title, change) Name,
    TEGU_LADDER_STEPS(TEGU_X)
#undef TEGU_X
};

struct LadderPolicy {
    unsigned threads;  // of a block: 128, 256, 512 or 1024
};
constexpr LadderPolicy kDefaultLadderPolicy{1024};

// Blocks of the launch, each of which writes one partial sum: step 7 as many as the device holds at once, the others as many as n asks for.
std::uint64_t ladder_blocks(LadderStep step, std::uint64_t n, const LadderPolicy& policy,
                            const cuda::DeviceLimits& limits);
// Partial sums that are left to add after the launch: 0 for n = 0, 1 for step 7, else ladder_blocks().
std::uint64_t ladder_partials(LadderStep step, std::uint64_t n, const LadderPolicy& policy,
                              const cuda::DeviceLimits& limits);
// Additions that an element of the f32 sum goes through at most on the device. The sum of the partials, added in double, is off by at most
// additions * 2^-24 / (1 - additions * 2^-24) * (sum of the absolute values).
std::uint64_t ladder_additions(LadderStep step, std::uint64_t n, const LadderPolicy& policy,
                               const cuda::DeviceLimits& limits);

// One launch; none for n = 0. x [n], aligned to the element; partials [ladder_blocks()]; ticket: one, 0 before and after (step 7).
// REQUIRES: ladder_blocks() < 2^31.
cuda::LaunchStatus launch_ladder(LadderStep step, const std::int32_t* x, std::uint64_t n, std::int64_t* partials,
                                 std::uint32_t* ticket, const LadderPolicy& policy, const cuda::DeviceLimits& limits,
                                 cuda::Stream stream);
cuda::LaunchStatus launch_ladder(LadderStep step, const float* x, std::uint64_t n, float* partials,
                                 std::uint32_t* ticket, const LadderPolicy& policy, const cuda::DeviceLimits& limits,
                                 cuda::Stream stream);

}  // namespace bench
}  // namespace tegu
