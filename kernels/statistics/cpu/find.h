// SPDX-License-Identifier: Apache-2.0
// The index of a value among elements, compared by bits or as floats: the last step of argmin and argmax.
// Compiled once per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/execution/cpu/isa.h"

namespace tegu::kernels {

// X(word, type): the searched types; an integer type serves every type of its width.
#define TEGU_FIND_KERNELS(X) \
    X(bits8, std::uint8_t)   \
    X(bits16, std::uint16_t) \
    X(bits32, std::uint32_t) \
    X(bits64, std::uint64_t) \
    X(f32, float)            \
    X(f64, double)

// The index of the first of n elements that equals `value` (-0 equals +0); n if there is none. `data` is
// aligned for the type.
#define TEGU_X(word, type) \
    TEGU_ISA_DECLARE(std::size_t find_##word(const void* data, std::size_t n, type value);)
TEGU_FIND_KERNELS(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels
