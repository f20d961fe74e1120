// SPDX-License-Identifier: Apache-2.0
// The kernels of rowscale, compiled once per instruction set. For short rows both steps run while the row is
// in a cache: the search for the largest magnitude, then the division. For parts of longer rows the steps are
// separate functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element_type.h"
#include "kernels/execution/cpu/isa.h"

namespace tegu::kernels {

// Consecutive rows to scale. Input rows have any alignment; the outputs are dense and aligned for the type.
struct RowscaleRows {
    const std::byte* x;
    std::uint64_t row_bytes;  // from one input row to the next
    std::uint64_t rows;
    std::uint64_t cols;
    bool skip_nans;
    bool stream;        // uses non-temporal stores; never in place
    std::byte* values;  // may be x where the rows are dense
    std::byte* scales;  // one per row
};

// The functions of one element type. A scale is the bits of a non-negative element or of the canonical NaN.
struct RowscaleKernels {
    void (*rows)(const RowscaleRows& rows);
    // The largest magnitude of n elements, +0 for none; a NaN wins, or is skipped.
    std::uint64_t (*largest)(const std::byte* x, std::size_t n, bool skip_nans);
    // out[i] = x[i] / scale; a scale of zero leaves the elements unchanged. Every NaN becomes the canonical
    // one.
    void (*divide)(const std::byte* x, std::size_t n, std::uint64_t scale, bool stream, std::byte* out);
};

#define TEGU_X(number, Name, word, type) TEGU_ISA_DECLARE(extern const RowscaleKernels rowscale_##word;)
TEGU_FLOAT_TYPES(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels
