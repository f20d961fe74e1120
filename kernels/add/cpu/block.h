// SPDX-License-Identifier: Apache-2.0
// The block kernels of add: the sum of one contiguous run, compiled once per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element_type.h"
#include "kernels/execution/cpu/isa.h"

namespace tegu::kernels {

// out[i] = x[i] + y[i] for i in [0, n). x and y have any alignment; `out` is aligned for the type and may be
// x or y. `stream`: `out` is neither and is written with non-temporal stores. Returns n, or the first index
// whose integer sum overflows: x[i] and y[i] are then not overwritten, `out` is unspecified.
using AddKernel = std::size_t (*)(const std::byte* x, const std::byte* y, std::size_t n, bool stream,
                                  std::byte* out);

#define TEGU_X(number, Name, word, type)                                                                 \
    TEGU_ISA_DECLARE(std::size_t add_block_##word(const std::byte* x, const std::byte* y, std::size_t n, \
                                                  bool stream, std::byte* out);)
TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels
