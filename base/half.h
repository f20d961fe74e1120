// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary16 as a storage type, with conversions in integer arithmetic: the same bits on a CPU with
// and without hardware conversion. Widening is exact; narrowing rounds to nearest, ties to even. C++14:
// device code may include it.
#pragma once

#include <cstdint>
#include <cstring>

namespace tegu {

struct Half {
    std::uint16_t bits;
};

inline float half_to_float(Half half) {
    const std::uint32_t sign = (half.bits & 0x8000u) << 16;
    std::uint32_t exponent = (half.bits >> 10) & 0x1fu;
    std::uint32_t mantissa = half.bits & 0x3ffu;
    std::uint32_t bits;
    if (exponent == 0x1f) {
        bits = sign | 0x7f800000u | (mantissa << 13);
    } else if (exponent != 0) {
        bits = sign | ((exponent + 112) << 23) | (mantissa << 13);
    } else if (mantissa != 0) {
        exponent = 113;
        while ((mantissa & 0x400u) == 0) {
            mantissa <<= 1;
            --exponent;
        }
        bits = sign | (exponent << 23) | ((mantissa & 0x3ffu) << 13);
    } else {
        bits = sign;
    }
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline Half float_to_half(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    std::uint32_t result;
    if (magnitude > 0x7f800000u) {
        result = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    } else if (magnitude >= 0x47800000u) {  // 65536 and above: infinity
        result = 0x7c00u;
    } else if (magnitude >=
               0x38800000u) {  // normal half; the carry of rounding may reach infinity, which is correct
        const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
        result = (rounded - 0x38000000u) >> 13;
    } else if (magnitude > 0x33000000u) {  // subnormal half
        const std::uint32_t shift = 126u - (magnitude >> 23);
        const std::uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
        const std::uint32_t halfway = 1u << (shift - 1);
        result = mantissa >> shift;
        const std::uint32_t rest = mantissa & ((1u << shift) - 1u);
        if (rest > halfway || (rest == halfway && (result & 1u))) ++result;
    } else {
        result = 0;
    }
    return Half{static_cast<std::uint16_t>(sign | result)};
}

}  // namespace tegu
