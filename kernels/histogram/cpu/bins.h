// SPDX-License-Identifier: Apache-2.0
// Converts elements to exact bin numbers, compiled once per instruction set. A bin is estimated in f64 with
// an error below half a bin, so one comparison with the nearest edge decides. Elements of 64-bit integer
// types do not fit f64 and are compared with edges rounded up to integers.
//
// The edge is computed as docs/numerics.md defines it, not loaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element_type.h"
#include "kernels/execution/cpu/isa.h"

namespace tegu::kernels {

struct BinScale {
    std::uint32_t bins = 1;
    bool search = false;  // bins too narrow for the estimate: binary search in the edges
    double lo = 0;
    double hi = 1;
    double step = 1;                // width of a bin, from the edges
    double inv = 1;                 // bins per unit
    const double* edges = nullptr;  // bins + 1; used by the search
    // For 64-bit integers, as distances from the smallest value of the type. Elements in [first, first +
    // span] have a bin, unless `empty`. Then the estimate of `first` minus its lower edge, in bins, and the
    // lower edges of bins 0 .. top of such elements, minus `first`.
    bool empty = false;
    std::uint64_t first = 0;
    std::uint64_t span = 0;
    double offset = 0;
    std::uint32_t top = 0;
    const std::uint64_t* lower = nullptr;
};

// keys[i] = the bin of element i, or `bins` if it is in none. Any alignment.
#define TEGU_X(number, Name, word, type)                                                                 \
    TEGU_ISA_DECLARE(void bin_keys_##word(const std::byte* source, std::size_t n, const BinScale& scale, \
                                          std::uint32_t* keys);)
TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels
