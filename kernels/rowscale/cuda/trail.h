// SPDX-License-Identifier: Apache-2.0
// Scales rows that are longer than a block holds, in one launch. The division trails the search for the
// largest magnitudes by some parts, so that its read hits the L2 cache.
#pragma once

#include "kernels/rowscale/cuda/rowscale.h"

namespace tegu {
namespace cuda {

// Parts of a row: the packs that a block loads at once.
constexpr std::uint64_t rowscale_trail_parts(std::uint64_t cols, unsigned pack, unsigned threads) {
    return ceil_divide(cols, std::uint64_t{kRowscaleInFlight} * pack * threads);
}
// Blocks of a launch.
unsigned rowscale_trail_blocks(unsigned threads, const DeviceLimits& limits);
// Parts by which the division trails: those of a row, and those that half of the blocks search.
constexpr std::uint64_t rowscale_trail_lead(std::uint64_t parts, unsigned blocks) {
    return parts + (blocks + 1) / 2;
}

// One launch. REQUIRES: shape.method is Trail; arrays.rows times the parts of a row is below 2^30.
LaunchStatus launch_rowscale_trail(const RowscaleArrays& arrays, const RowscaleShape& shape,
                                   const RowscaleConfig& config);

}  // namespace cuda
}  // namespace tegu
