// SPDX-License-Identifier: Apache-2.0
// launch_add: z = x + y (docs/numerics.md, "Sum of two arrays").
#pragma once

#include <cstdint>

#include "base/element_type.h"
#include "kernels/execution/cuda/launch.h"

namespace tegu {
namespace cuda {

struct AddPolicy {
    unsigned threads_per_block;  // a multiple of 32, 32..1024
    unsigned packs_per_thread;   // 16-byte packs of each input in flight: 1, 2 or 4
    unsigned waves;              // number of blocks: this many times the resident blocks
    // bytes that one launch moves, for each multiprocessor: splits a long job so that it can be stopped
    std::uint64_t launch_bytes = 32 << 20;

    friend constexpr bool operator==(const AddPolicy& a, const AddPolicy& b) {
        return a.threads_per_block == b.threads_per_block && a.packs_per_thread == b.packs_per_thread &&
               a.waves == b.waves && a.launch_bytes == b.launch_bytes;
    }
};
constexpr AddPolicy kDefaultAddPolicy{512, 2, 1000};
using AddConfig = LaunchConfig<AddPolicy>;

struct AddArrays {
    const void* x;  // element (r, c) at x + (r * x_row_stride + c) elements; aligned to the element
    const void* y;
    void* z;  // dense; may be x or y if that is dense
    std::uint64_t rows;
    std::uint64_t cols;
    std::uint64_t x_row_stride;  // elements
    std::uint64_t y_row_stride;
    // one word, ~0 before the first launch: gets the smallest index of an integer sum that does not fit. Not
    // used for floats.
    std::uint64_t* overflow;
    std::uint64_t first = 0;  // index of element (0, 0), for overflow
};

// One launch. rows * cols = 0 launches nothing.
LaunchStatus launch_add(ElementType type, const AddArrays& arrays, const AddConfig& config);

}  // namespace cuda
}  // namespace tegu
