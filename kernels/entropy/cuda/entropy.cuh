// SPDX-License-Identifier: Apache-2.0
// The logarithm of kernels/numerics/fixed_log2.cpp and the entropy of counts, in device code with 64-bit
// words.
#pragma once

#include "kernels/execution/cuda/words.cuh"
#include "kernels/statistics/cuda/exact.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kLogBits = 60;                    // of the fraction of a logarithm
constexpr std::uint64_t kLn2 = 0xb17217f7d1cf79acu;  // ln 2 2^64, rounded

// An unsigned integer of 128 bits.
struct Wide2 {
    std::uint64_t low;
    std::uint64_t high;
};
TEGU_DEVICE Wide2 add(const Wide2& a, const Wide2& b) {
    const std::uint64_t low = a.low + b.low;
    return Wide2{low, a.high + b.high + (low < a.low ? 1 : 0)};
}

TEGU_DEVICE Wide2 multiply(std::uint64_t a, std::uint64_t b) {
    return Wide2{a * b, multiply_high(a, b)};
}

// log2(n) 2^60. REQUIRES: 1 <= n < 2^62.
TEGU_DEVICE Wide2 fixed_log2(std::uint64_t n) {
    const unsigned exponent = bit_length(n) - 1;
    std::uint64_t mantissa = n << (63 - exponent);  // in [1, 2), 63 fractional bits
    std::uint64_t fraction = 0;
    TEGU_NO_UNROLL
    for (unsigned bit = 0; bit < kLogBits; ++bit) {
        const std::uint64_t high = multiply_high(mantissa, mantissa), low = mantissa * mantissa;
        const std::uint64_t carry = high >> 63;  // the square is 2 or more
        mantissa = carry != 0 ? high : high << 1 | low >> 63;
        fraction = fraction * 2 + carry;
    }
    return Wide2{(std::uint64_t{exponent} << kLogBits) + fraction, exponent >> (64 - kLogBits)};
}
// n log2(n) 2^60. REQUIRES: 1 <= n < 2^62.
TEGU_DEVICE Wide2 times_log2(std::uint64_t n) {
    const Wide2 log = fixed_log2(n);
    const Wide2 low = multiply(n, log.low);
    return Wide2{low.low, low.high + n * log.high};
}

// (whole - sum) / n. whole: n log2(n) 2^60. sum: that of the counts. The last step of an entropy.
TEGU_DEVICE double entropy_of(std::uint64_t n, const Wide2& whole, const Wide2& sum, bool base_e) {
    // inconsistent counts give 0
    const bool above = whole.high > sum.high || (whole.high == sum.high && whole.low > sum.low);
    const Wide2 difference =
        above ? Wide2{whole.low - sum.low, whole.high - sum.high - (whole.low < sum.low ? 1 : 0)}
              : Wide2{0, 0};
    Wide numerator = {{difference.low, difference.high, 0, 0}};
    if (base_e) {
        numerator = Wide{{0, 0, 0, 0}};
        add_product<0>(&numerator, difference.low, kLn2);
        add_product<1>(&numerator, difference.high, kLn2);
    }
    return divide_rounded(numerator, 0, n) *
           power_of_two(base_e ? -static_cast<int>(kLogBits) - 64 : -static_cast<int>(kLogBits));
}

}  // namespace cuda
}  // namespace tegu
