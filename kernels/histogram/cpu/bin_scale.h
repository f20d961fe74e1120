// SPDX-License-Identifier: Apache-2.0
// Converts a range to its edges, and to the data from which kernels/histogram/cpu/bins.h finds an element's
// bin.
#pragma once

#include "kernels/histogram/bin_range.h"
#include "kernels/histogram/cpu/bins.h"

namespace tegu::kernels {

// Bytes of lower edges that a scale of the type needs besides its edges.
std::uint64_t lower_edge_bytes(ElementType type, std::uint32_t bins);

// Writes bins + 1 edges, and the lower edges of 64-bit integer types to `lower` (lower_edge_bytes, else may
// be null). The scale points to both. REQUIRES: a range that usable_bin_range() gave.
BinScale make_bin_scale(ElementType type, const BinRange& range, std::uint32_t bins, double* edges,
                        std::uint64_t* lower);

using BinKeys = void (*)(const std::byte* source, std::size_t n, const BinScale& scale, std::uint32_t* keys);
BinKeys bin_keys(ElementType type);

}  // namespace tegu::kernels
