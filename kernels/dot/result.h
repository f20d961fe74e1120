// SPDX-License-Identifier: Apache-2.0
// The partial scalar product of two segments, and its conversion to the reply.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element_type.h"
#include "base/result.h"
#include "kernels/numerics/int128.h"

namespace tegu::kernels {

struct FloatDot {
    double sum;
};

// Two's complement, little-endian limbs. 2^63 products of 64-bit elements stay below 2^190.
struct IntegerDot {
    std::uint64_t limb[3];
};

// a = a + b, where b follows a in the segment.
inline void merge_partials(FloatDot& a, const FloatDot& b) {
    a.sum += b.sum;
}
inline void merge_partials(IntegerDot& a, const IntegerDot& b) {
    Uint128 carry = 0;
    for (int i = 0; i < 3; ++i) {
        carry += static_cast<Uint128>(a.limb[i]) + b.limb[i];
        a.limb[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
}

// Stores an exact sum as `reply`, I64 or U64. Errors: Overflow, field "dot"; the message contains the value.
Result<void> write_dot(const IntegerDot& dot, ElementType reply, std::byte* out);

}  // namespace tegu::kernels
