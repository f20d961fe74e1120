// SPDX-License-Identifier: Apache-2.0
// Keys: an element as an unsigned integer of its own width; the better element has the smaller key. All NaN
// share one key and both zeros share one, so equal keys are equal values. docs/numerics.md, "Top-k", defines
// the order.
//
// Functions have internal linkage and are always inlined: objects that are compiled per instruction set
// include this file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element_type.h"

namespace tegu::kernels::key {

template <class U>
constexpr U kSign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));

// The bits of +infinity and of the canonical quiet NaN in a float type as wide as U.
template <class U>
constexpr U kInfinity = static_cast<U>(sizeof(U) == 2   ? 0x7c00u
                                       : sizeof(U) == 4 ? 0x7f800000u
                                                        : 0x7ff0000000000000u);
template <class U>
constexpr U kNan = static_cast<U>(sizeof(U) == 2   ? 0x7e00u
                                  : sizeof(U) == 4 ? 0x7fc00000u
                                                   : 0x7ff8000000000000u);

// The XOR mask of a key in ascending order: all ones if the largest are best. For signed integers the sign
// bit is inverted as well.
[[gnu::always_inline]] static inline std::uint64_t flip_of(bool largest, bool signed_integer,
                                                           unsigned bytes) {
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - 8 * bytes);
    return (largest ? ones : 0) ^ (signed_integer ? (ones >> 1) + 1 : 0);
}

template <class U, bool Float>
[[gnu::always_inline]] static inline U encode(U bits, U flip) {
    if (Float) {
        const U magnitude = bits & static_cast<U>(~kSign<U>);
        bits = magnitude > kInfinity<U> ? kNan<U> : bits;
        bits = magnitude == 0 ? U{0} : bits;
        bits = static_cast<U>(bits ^ ((bits & kSign<U>) != 0 ? static_cast<U>(~U{0}) : kSign<U>));
    }
    return static_cast<U>(bits ^ flip);
}

template <class U, bool Float>
[[gnu::always_inline]] static inline U decode(U value, U flip) {
    U bits = static_cast<U>(value ^ flip);
    if (Float) bits = static_cast<U>(bits ^ ((bits & kSign<U>) != 0 ? kSign<U> : static_cast<U>(~U{0})));
    return bits;
}

// Kernels<U, Float>::value of the unsigned integer and kind that keys of a type are made from.
template <class Table, template <class U, bool Float> class Kernels>
[[gnu::always_inline]] static inline const Table* of_type(ElementType type) {
    switch (type) {
        case ElementType::U8:
        case ElementType::I8: return &Kernels<std::uint8_t, false>::value;
        case ElementType::U16:
        case ElementType::I16: return &Kernels<std::uint16_t, false>::value;
        case ElementType::F16: return &Kernels<std::uint16_t, true>::value;
        case ElementType::U32:
        case ElementType::I32: return &Kernels<std::uint32_t, false>::value;
        case ElementType::F32: return &Kernels<std::uint32_t, true>::value;
        case ElementType::U64:
        case ElementType::I64: return &Kernels<std::uint64_t, false>::value;
        case ElementType::F64: return &Kernels<std::uint64_t, true>::value;
    }
    __builtin_unreachable();
}

template <class U>
[[gnu::always_inline]] static inline U load(const std::byte* data, std::uint64_t index) {
    U bits;
    __builtin_memcpy(&bits, data + index * sizeof(U), sizeof bits);
    return bits;
}

}  // namespace tegu::kernels::key
