// SPDX-License-Identifier: Apache-2.0
// The range of a histogram and its edges, as in numpy.histogram.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace tegu::kernels {

struct BinRange {
    double lo = 0;
    double hi = 1;

    double step(std::uint32_t bins) const { return (hi - lo) / static_cast<double>(bins); }
    // True if the steps are far larger than the f64 spacing: edges are then strictly increasing, and an
    // estimated bin is off by less than 1/8.
    bool is_wide(std::uint32_t bins) const;
};

// The range as numpy.histogram uses it: a single value becomes the middle of a range of width 1, and zeros
// are +0. `from` is its name in an error. Errors: BadRange "range": not finite, reversed, too wide for f64,
// or without strictly increasing edges (docs/numerics.md).
Result<BinRange> usable_bin_range(double lo, double hi, std::uint32_t bins, const char* from);

}  // namespace tegu::kernels
