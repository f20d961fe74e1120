// SPDX-License-Identifier: Apache-2.0
// The loops behind kernels/numerics/levels.h, compiled once per instruction set: contracts stand there. They
// read each element once, whatever its alignment, and every level they write is below scale.levels, whatever
// the input holds.
#pragma once

#include "kernels/execution/cpu/isa.h"
#include "kernels/numerics/levels.h"

namespace tegu::kernels {

#define TEGU_X(number, Name, word, type)                                                         \
    TEGU_ISA_DECLARE(std::size_t quantise_u8_##word(const std::byte* source, std::size_t n,      \
                                                    const LevelScale& scale, std::uint8_t* out); \
                     std::size_t quantise_u16_##word(const std::byte* source, std::size_t n,     \
                                                     const LevelScale& scale, std::uint16_t* out);)
TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X

TEGU_ISA_DECLARE(void finite_range_f16(const std::byte* source, std::size_t n, FiniteRange* range);
                 void finite_range_f32(const std::byte* source, std::size_t n, FiniteRange* range);
                 void finite_range_f64(const std::byte* source, std::size_t n, FiniteRange* range);)

}  // namespace tegu::kernels
