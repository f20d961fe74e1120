// SPDX-License-Identifier: Apache-2.0
// launch_rowscale: each row divided by its largest magnitude (docs/numerics.md, "Scaled rows").
#pragma once

#include <cstdint>

#include "base/element_type.h"
#include "kernels/cuda/launch.h"

namespace tegu {
namespace cuda {

struct RowscalePolicy {
    unsigned threads_per_block;  // a multiple of 32, 32..1024
    unsigned packs_per_thread;   // that a thread holds of a row, at most: 1, 2 or 4
    unsigned waves;              // of launches that stride: this many times what is resident at once

    friend constexpr bool operator==(const RowscalePolicy& a, const RowscalePolicy& b) {
        return a.threads_per_block == b.threads_per_block && a.packs_per_thread == b.packs_per_thread && a.waves == b.waves;
    }
};
constexpr RowscalePolicy kDefaultRowscalePolicy{128, 4, 32};

struct RowscaleArrays {
    const void* x;             // element (r, c) at x + (r * row_stride + c) elements; aligned to the element
    void* values;              // [rows, cols], dense; may be x if that is dense
    void* scales;              // [rows]
    std::uint64_t* keys;       // [rows], zero before the launch; used if needs_keys
    std::uint64_t rows;        // sequences that are scaled, each by its own scale
    std::uint64_t cols;
    std::uint64_t row_stride;  // elements
    std::uint64_t lines;       // of the input in one sequence: 1, or all rows of an array that is scaled as one; cols is then of a line
    bool skip_nans;
};

// How a job is cut; a pure function of its arguments.
struct RowscaleShape {
    unsigned pack;      // elements of one access
    unsigned lanes;     // threads that share a row: 1..32 of a warp; more: the whole block; 0: a row is spread over blocks, in two launches
    unsigned packs;     // that each of them holds
    bool needs_keys() const { return lanes == 0; }
};
RowscaleShape rowscale_shape(ElementType type, const RowscaleArrays& arrays, const RowscalePolicy& policy);

// One launch, or two for long rows. Float types only. Rows without elements get the scale 0.
LaunchStatus launch_rowscale(ElementType type, const RowscaleArrays& arrays, const RowscaleShape& shape, const RowscalePolicy& policy,
                             const DeviceLimits& limits, Stream stream);

}  // namespace cuda
}  // namespace tegu
