// SPDX-License-Identifier: Apache-2.0
// From a range to its bins: the edges, and what the kernels of kernels/histogram/cpu/bins.h need to find an
// element's bin.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/histogram/cpu/bins.h"

namespace tegu::kernels {

struct BinRange {
    double lo = 0;
    double hi = 1;
};

// The range as numpy.histogram uses it: a single value becomes the middle of a range of width 1, and zeros
// are +0. `from` names it in an error.
// Errors: BadRange "range": not finite, reversed, too wide for f64, or without strictly increasing edges
//         (docs/numerics.md).
Result<BinRange> usable_bin_range(double lo, double hi, std::uint32_t bins, const char* from);

// Bytes of lower edges that a scale of a type needs besides its edges.
std::uint64_t lower_edge_bytes(ElementType type, std::uint32_t bins);

// Writes bins + 1 edges, and the lower edges of 64-bit integer types to `lower` (lower_edge_bytes, else may
// be null). The scale points to both. REQUIRES: a range that usable_bin_range() gave.
BinScale make_bin_scale(ElementType type, const BinRange& range, std::uint32_t bins, double* edges,
                        std::uint64_t* lower);

using BinKeys = void (*)(const std::byte* source, std::size_t n, const BinScale& scale, std::uint32_t* keys);
BinKeys bin_keys(ElementType type);

}  // namespace tegu::kernels
