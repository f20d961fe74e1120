// SPDX-License-Identifier: Apache-2.0
// binary16: all 65536 values against arithmetic on their fields, and rounding at every boundary between
// neighbours.
#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace tegu {
namespace {

constexpr std::uint32_t kInfinity = 0x7c00;

// The value of a finite half, from its fields.
double value_of(std::uint32_t bits) {
    const int exponent = static_cast<int>((bits >> 10) & 31u);
    const int mantissa = static_cast<int>(bits & 1023u);
    const double magnitude =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    return (bits & 0x8000u) ? -magnitude : magnitude;
}

Half half(std::uint32_t bits) {
    return Half{static_cast<std::uint16_t>(bits)};
}

TEST(Half, WidensEveryValueExactly) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const float widened = half_to_float(half(bits));
        const std::uint32_t magnitude = bits & 0x7fffu;
        if (magnitude > kInfinity) {
            EXPECT_TRUE(std::isnan(widened)) << bits;
        } else if (magnitude == kInfinity) {
            EXPECT_TRUE(std::isinf(widened)) << bits;
        } else {
            EXPECT_EQ(static_cast<double>(widened), value_of(bits)) << bits;
        }
        EXPECT_EQ(std::signbit(widened), (bits & 0x8000u) != 0) << bits;
    }
}

TEST(Half, NarrowsEveryHalfBackToItself) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const std::uint32_t back = float_to_half(half_to_float(half(bits))).bits;
        if ((bits & 0x7fffu) > kInfinity)
            EXPECT_EQ(back, bits | 0x200u) << "a NaN stays a NaN of its sign and payload, quiet";
        else
            EXPECT_EQ(back, bits);
    }
}

// Between neighbours: exactly half way goes to the even one, a little less or more to the nearer one.
TEST(Half, RoundsToNearestTiesToEven) {
    for (std::uint32_t bits = 0; bits < kInfinity; ++bits) {
        const double low = value_of(bits);
        const double high = bits + 1 == kInfinity ? 65536.0 : value_of(bits + 1);
        const auto middle = static_cast<float>((low + high) / 2);  // exact: one bit more than a half has
        const std::uint32_t even = bits % 2 == 0 ? bits : bits + 1;
        EXPECT_EQ(float_to_half(middle).bits, even) << bits;
        EXPECT_EQ(float_to_half(-middle).bits, even | 0x8000u) << bits;
        EXPECT_EQ(float_to_half(std::nextafter(middle, 0.0f)).bits, bits) << bits;
        EXPECT_EQ(float_to_half(std::nextafter(middle, 1e9f)).bits, bits + 1) << bits;
    }
}

TEST(Half, ExtremesOfFloat) {
    EXPECT_EQ(float_to_half(std::numeric_limits<float>::max()).bits, kInfinity);
    EXPECT_EQ(float_to_half(-std::numeric_limits<float>::infinity()).bits, kInfinity | 0x8000u);
    EXPECT_EQ(float_to_half(std::numeric_limits<float>::denorm_min()).bits, 0u);
    EXPECT_EQ(float_to_half(-std::numeric_limits<float>::denorm_min()).bits, 0x8000u);
    EXPECT_EQ(float_to_half(-0.0f).bits, 0x8000u);
    EXPECT_EQ(float_to_half(std::numeric_limits<float>::quiet_NaN()).bits, 0x7e00u);
    std::uint32_t low_payload = 0x7f800001u;  // a NaN whose payload does not reach the half
    float nan;
    std::memcpy(&nan, &low_payload, sizeof nan);
    EXPECT_GT(float_to_half(nan).bits & 0x7fffu, kInfinity);
}

}  // namespace
}  // namespace tegu
