// SPDX-License-Identifier: Apache-2.0
// Loads of elements at any alignment, and scalar f16 to f32 conversion, for loops that the compiler
// vectorises. Compiled once per instruction set with the including file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/execution/cpu/isa.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

using HalfBits = std::uint16_t;

// Element i of an array at any alignment.
template <class T>
inline T load(const std::byte* data, std::size_t i) {
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof value);
    return value;
}

inline float float_of(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline std::uint32_t bits_of(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Exact, without branches. Subnormals are multiplied by a power of two, which cannot round. A NaN stays a
// NaN. The comparison is signed because every vector unit has signed comparisons.
inline float widen_half(HalfBits half) {
    const std::uint32_t magnitude = static_cast<std::uint32_t>(half & 0x7fffu) << 13;
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
    // infinity and NaN: the mantissa is right already
    const bool special = static_cast<std::int32_t>(magnitude) >= 0x0f800000;
    return float_of(bits_of(float_of(magnitude) * 0x1p112f) | (special ? 0x7f800000u : 0u) | sign);
}

}  // namespace
}  // namespace tegu::kernels::TEGU_ISA
