// SPDX-License-Identifier: Apache-2.0
// launch_rowscale: each row divided by its largest magnitude (docs/numerics.md, "Scaled rows").
#pragma once

#include <cstdint>

#include "base/element_type.h"
#include "kernels/execution/cuda/launch.h"

namespace tegu {
namespace cuda {

struct RowscalePolicy {
    // a multiple of 32, 32..1024; blocks that hold a row are larger if the row needs it
    unsigned threads_per_block;
    unsigned packs_per_thread;  // maximum that a thread holds of a row: 1, 2 or 4
    unsigned waves;             // of grid-stride launches: this many times the resident blocks
    // bytes that one launch reads or writes, for each multiprocessor: splits a long job so that it can be
    // stopped
    std::uint64_t launch_bytes = 32 << 20;

    friend constexpr bool operator==(const RowscalePolicy& a, const RowscalePolicy& b) {
        return a.threads_per_block == b.threads_per_block && a.packs_per_thread == b.packs_per_thread &&
               a.waves == b.waves && a.launch_bytes == b.launch_bytes;
    }
};
constexpr RowscalePolicy kDefaultRowscalePolicy{128, 4, 32};
using RowscaleConfig = LaunchConfig<RowscalePolicy>;

struct RowscaleArrays {
    const void* x;  // element (r, c) at x + (r * row_stride + c) elements; aligned to the element
    void* values;   // [rows, cols], dense; may be x if that is dense
    void* scales;   // [rows]
    // only for Spread: [rows], zero before the first launch; only for Trail: [2 * rows + 1], zero before and
    // after each launch
    std::uint64_t* keys;
    std::uint64_t rows;  // segments, each with its own scale
    std::uint64_t cols;
    std::uint64_t row_stride;  // elements
    // lines of the input in one segment: 1, or all rows of an array with one scale; cols is then that of a
    // line
    std::uint64_t lines;
    bool skip_nans;
};

// The threads that scale a row.
enum class RowscaleMethod : std::uint8_t {
    Group,   // some lanes of a warp, whose registers hold it
    Joint,   // the same, for several dense rows of any width, which together are whole packs
    Block,   // a block, whose registers hold it
    Sweeps,  // a block that reads it twice, the second time from the L2 cache
    Trail,   // many blocks, which read it again soon after the first time; for large L2 caches
    Spread,  // all blocks, in two launches
};

// The cut of a job; a pure function of its arguments.
struct RowscaleShape {
    ElementType type;
    RowscaleMethod method;
    unsigned pack;     // elements of one access
    unsigned threads;  // of a block
    unsigned lanes;    // threads that share a row, or the rows of Joint: 1..32, of Block and Sweeps all
    unsigned packs;    // packs that each thread holds
};
// Packs that a thread loads at once from a row that it does not hold.
constexpr unsigned kRowscaleInFlight = 4;
RowscaleShape rowscale_shape(ElementType type, const RowscaleArrays& arrays, const RowscalePolicy& policy,
                             const DeviceLimits& limits);

// One launch for all rows of the arrays. Float types only. Rows without elements get the scale 0. REQUIRES:
// not Spread.
LaunchStatus launch_rowscale(const RowscaleArrays& arrays, const RowscaleShape& shape,
                             const RowscaleConfig& config);

// Lines [line, line + lines) of rows * lines, and columns [col, col + cols) of them; col is a multiple of
// shape.pack.
struct RowscalePiece {
    std::uint64_t line, lines;
    std::uint64_t col, cols;
};
// For Spread, one launch each. The first merges the piece into the keys of its segments. After all keys are
// complete, the second writes the values of the piece, and the scales of segments that begin in it.
LaunchStatus launch_rowscale_keys(const RowscaleArrays& arrays, const RowscalePiece& piece,
                                  const RowscaleShape& shape, const RowscaleConfig& config);
LaunchStatus launch_rowscale_divide(const RowscaleArrays& arrays, const RowscalePiece& piece,
                                    const RowscaleShape& shape, const RowscaleConfig& config);

}  // namespace cuda
}  // namespace tegu
