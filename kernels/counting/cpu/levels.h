// SPDX-License-Identifier: Apache-2.0
// The loops that convert elements to levels (kernels/numerics/levels.h), compiled once per instruction set.
// They read each element once, at any alignment. Every level is below scale.levels for any input.
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

// Converts n < 2^32 elements at `source` (any alignment) to levels; returns the number of NaN. A NaN gets
// level 0.
using QuantiseU8 = std::size_t (*)(const std::byte* source, std::size_t n, const LevelScale& scale,
                                   std::uint8_t* out);
using QuantiseU16 = std::size_t (*)(const std::byte* source, std::size_t n, const LevelScale& scale,
                                    std::uint16_t* out);
QuantiseU8 quantise_u8(ElementType type);    // REQUIRES of the scale: levels <= 256
QuantiseU16 quantise_u16(ElementType type);  // levels <= 65536

// Merges n elements into the range. REQUIRES: a float type.
using FindFiniteRange = void (*)(const std::byte* source, std::size_t n, FiniteRange* range);
FindFiniteRange find_finite_range(ElementType type);

}  // namespace tegu::kernels
