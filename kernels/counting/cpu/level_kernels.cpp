// SPDX-License-Identifier: Apache-2.0
// The choice of a loop by type and instruction set.
#include <cassert>

#include "kernels/counting/cpu/levels.h"

namespace tegu::kernels {

QuantiseU8 quantise_u8(ElementType type) {
    switch (type) {
#define TEGU_X(number, Name, word, ctype) \
    case ElementType::Name: return TEGU_ISA_SELECT(quantise_u8_##word);
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
    __builtin_unreachable();
}

QuantiseU16 quantise_u16(ElementType type) {
    switch (type) {
#define TEGU_X(number, Name, word, ctype) \
    case ElementType::Name: return TEGU_ISA_SELECT(quantise_u16_##word);
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
    __builtin_unreachable();
}

FindFiniteRange find_finite_range(ElementType type) {
    assert(is_float(type));
    if (type == ElementType::F16) return TEGU_ISA_SELECT(finite_range_f16);
    if (type == ElementType::F32) return TEGU_ISA_SELECT(finite_range_f32);
    return TEGU_ISA_SELECT(finite_range_f64);
}

}  // namespace tegu::kernels
