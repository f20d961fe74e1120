// SPDX-License-Identifier: Apache-2.0
// Computes exact statistics of integers from their totals, as kernels/numerics/exact.cpp does, with 64-bit
// words.
#pragma once

#include "kernels/execution/cuda/words.cuh"
#include "kernels/statistics/cuda/finish.cuh"
#include "kernels/statistics/cuda/integer_lane.cuh"

namespace tegu {
namespace cuda {

// An unsigned integer of 256 bits, little-endian limbs.
struct Wide {
    std::uint64_t limb[4];
};

TEGU_DEVICE unsigned bit_length(std::uint64_t value) {
    const auto high = static_cast<std::uint32_t>(value >> 32);
    return high != 0 ? 64 - leading_zeros(high) : 32 - leading_zeros(static_cast<std::uint32_t>(value));
}
TEGU_DEVICE unsigned bit_length(const Wide& value) {
    unsigned bits = 0;
    TEGU_UNROLL
    for (unsigned i = 0; i < 4; ++i)
        if (value.limb[i] != 0) bits = 64 * i + bit_length(value.limb[i]);
    return bits;
}

// to += a * b * 2^(64 at), modulo 2^256.
template <unsigned At>
TEGU_DEVICE void add_product(Wide* to, std::uint64_t a, std::uint64_t b) {
    std::uint64_t carry = add_carrying(&to->limb[At], a * b);
    if (At == 3) return;
    const std::uint64_t high = multiply_high(a, b) + carry;  // at most 2^64 - 1
    carry = add_carrying(&to->limb[(At + 1) % 4], high);
    TEGU_UNROLL
    for (unsigned i = At + 2; i < 4; ++i) carry = add_carrying(&to->limb[i], carry);
}

// a - b. REQUIRES: a >= b.
TEGU_DEVICE Wide subtract(const Wide& a, const Wide& b) {
    Wide out;
    std::uint64_t borrow = 0;
    TEGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
        const std::uint64_t less = a.limb[i] - b.limb[i];
        const std::uint64_t under = a.limb[i] < b.limb[i] ? 1 : 0;
        out.limb[i] = less - borrow;
        borrow = under + (less < borrow ? 1 : 0);
    }
    return out;
}

TEGU_DEVICE double power_of_two(int exponent) {
    return bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

// numerator / (high 2^64 + low), rounded once to nearest even. REQUIRES: 0 < denominator < 2^127.
TEGU_DEVICE double divide_rounded(const Wide& numerator, std::uint64_t high, std::uint64_t low) {
    constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // both exact in f64: one IEEE division
    const bool small = (numerator.limb[1] | numerator.limb[2] | numerator.limb[3]) == 0;
    if (small && numerator.limb[0] == 0) return 0;
    if (small && numerator.limb[0] <= kExact && high == 0 && low <= kExact)
        return static_cast<double>(numerator.limb[0]) / static_cast<double>(low);
    // Computes 62 bits of the quotient, one by one, from the first set bit. A set low bit represents the
    // remainder; the conversion rounds to nearest even.
    std::uint64_t limb[4] = {numerator.limb[0], numerator.limb[1], numerator.limb[2], numerator.limb[3]};
    const unsigned bits = bit_length(numerator);
    for (unsigned shift = 256 - bits; shift > 0;) {  // moves the first set bit to the top
        const unsigned step = shift < 63 ? shift : 63;
        TEGU_UNROLL
        for (unsigned i = 4; i-- > 0;)
            limb[i] = limb[i] << step | (i > 0 ? limb[i > 0 ? i - 1 : 0] >> (64 - step) : 0);
        shift -= step;
    }
    std::uint64_t rest_high = 0;
    std::uint64_t rest_low = 0;
    std::uint64_t quotient = 0;
    int exponent = static_cast<int>(bits);
    TEGU_NO_UNROLL
    while (quotient >> 61 == 0) {
        rest_high = rest_high << 1 | rest_low >> 63;
        rest_low = rest_low << 1 | limb[3] >> 63;
        TEGU_UNROLL
        for (unsigned i = 4; i-- > 0;) limb[i] = limb[i] << 1 | (i > 0 ? limb[i > 0 ? i - 1 : 0] >> 63 : 0);
        quotient <<= 1;
        --exponent;
        if (rest_high > high || (rest_high == high && rest_low >= low)) {
            rest_high = rest_high - high - (rest_low < low ? 1 : 0);
            rest_low -= low;
            quotient |= 1;
        }
    }
    const bool sticky = (rest_high | rest_low | limb[0] | limb[1] | limb[2] | limb[3]) != 0;
    return static_cast<double>(quotient | (sticky ? 1u : 0u)) * power_of_two(exponent);
}

// The magnitude of a two's complement number of 128 bits.
TEGU_DEVICE Wide magnitude_of(const std::uint64_t (&value)[2]) {
    const bool negative = (value[1] >> 63) != 0;
    Wide out = {{value[0], value[1], 0, 0}};
    if (negative) {
        out.limb[0] = 0 - value[0];
        out.limb[1] = ~value[1] + (value[0] == 0 ? 1 : 0);
    }
    return out;
}

// (n * squares - sum^2) / (n * (n - ddof)), rounded once.
TEGU_DEVICE double integer_variance(const ReduceTotal& total, std::uint64_t n, std::uint32_t ddof) {
    if (n <= ddof) return bit_cast<double>(kDoubleNan);
    Wide scaled = {{0, 0, 0, 0}};
    add_product<0>(&scaled, total.squares[0], n);
    add_product<1>(&scaled, total.squares[1], n);
    add_product<2>(&scaled, total.squares[2], n);
    const Wide sum = magnitude_of(total.sum);
    Wide square = {{0, 0, 0, 0}};
    add_product<0>(&square, sum.limb[0], sum.limb[0]);
    add_product<1>(&square, sum.limb[0], sum.limb[1]);
    add_product<1>(&square, sum.limb[0], sum.limb[1]);
    add_product<2>(&square, sum.limb[1], sum.limb[1]);
    return divide_rounded(subtract(scaled, square), multiply_high(n, n - ddof), n * (n - ddof));
}

TEGU_DEVICE double integer_mean(const ReduceTotal& total, std::uint64_t n) {
    if (n == 0) return bit_cast<double>(kDoubleNan);
    const double mean = divide_rounded(magnitude_of(total.sum), 0, n);
    return (total.sum[1] >> 63) != 0 ? -mean : mean;
}

// The stored form of elements.
struct IntegerFormat {
    unsigned bytes;
    bool is_signed;
};

TEGU_DEVICE void put_bits(const ReduceTarget& target, unsigned column, std::uint64_t index,
                          std::uint64_t bits, unsigned bytes) {
    if (bytes == 1) put(target, column, index, static_cast<std::uint8_t>(bits));
    if (bytes == 2) put(target, column, index, static_cast<std::uint16_t>(bits));
    if (bytes == 4) put(target, column, index, static_cast<std::uint32_t>(bits));
    if (bytes == 8) put(target, column, index, bits);
}

TEGU_DEVICE void put_integer_extremes(const ReduceTarget& target, const IntegerFormat& format,
                                      std::uint64_t segment, const ReduceTotal& total) {
    const std::uint64_t turn = format.is_signed ? std::uint64_t{1} << 63 : 0;
    const std::uint64_t min = total.min ^ turn;
    const std::uint64_t max = total.max ^ turn;
    const std::uint64_t low = format.is_signed && (min >> 63) != 0 ? 0 - min : min;
    const std::uint64_t high = format.is_signed && (max >> 63) != 0 ? 0 - max : max;
    put_bits(target, kColumnMin, segment, min, format.bytes);
    put_bits(target, kColumnMax, segment, max, format.bytes);
    put_bits(target, kColumnMinmax, 2 * segment, min, format.bytes);
    put_bits(target, kColumnMinmax, 2 * segment + 1, max, format.bytes);
    put_bits(target, kColumnAbsmax, segment, low > high ? low : high, format.bytes);
    put(target, kColumnArgmin, segment, total.min_at);
    put(target, kColumnArgmax, segment, total.max_at);
}

// Writes the sums of a node.
TEGU_DEVICE void put_sums(const ReduceTarget& target, const ReduceTotal& total,
                          const std::uint64_t (&l1)[2]) {
    const bool sum = (target.node_needs & (kNodeNeedsSum | kNodeNeedsSquares)) != 0;
    const bool magnitudes = (target.node_needs & kNodeNeedsL1) != 0;
    const bool squares = (target.node_needs & kNodeNeedsSquares) != 0;
    for (unsigned i = 0; i < 2; ++i) {
        target.node[i] = sum ? total.sum[i] : 0;
        target.node[2 + i] = magnitudes ? l1[i] : 0;
    }
    for (unsigned i = 0; i < 3; ++i) target.node[4 + i] = squares ? total.squares[i] : 0;
}

// Writes the statistics that are totals. Returns false if the sum or l1 does not fit its type.
TEGU_DEVICE bool put_totals(const ReduceTarget& target, std::uint64_t segment, const ReduceTotal& total,
                            bool is_signed) {
    const std::uint64_t(&l1)[2] = is_signed ? total.l1 : total.sum;
    put(target, kColumnCount, segment, target.n);
    put(target, kColumnNans, segment, std::uint64_t{0});
    put(target, kColumnSum, segment, total.sum[0]);
    put(target, kColumnL1, segment, l1[0]);
    const std::uint64_t above = is_signed ? 0 - (total.sum[0] >> 63) : 0;
    const bool sum_fits = target.column[kColumnSum] == nullptr || total.sum[1] == above;
    return sum_fits && (target.column[kColumnL1] == nullptr || l1[1] == 0);
}

struct IntegerEnd {
    ReduceTarget target;
    IntegerFormat format;
    std::uint64_t segment;
    ReduceTotal total;
};

// Returns false if the sum or l1 of the segment does not fit its type. Not inlined: exact quotients take many
// registers and instructions, which the kernels that read the data must not need.
TEGU_DEVICE_CALLED bool finish_integer(const IntegerEnd* end) {
    const ReduceTarget& target = end->target;
    const ReduceTotal& total = end->total;
    const IntegerFormat& format = end->format;
    const std::uint64_t segment = end->segment;
    const std::uint64_t n = target.n;
    const std::uint64_t(&l1)[2] = format.is_signed ? total.l1 : total.sum;
    if (target.node != nullptr) put_sums(target, total, l1);
    const bool fits = put_totals(target, segment, total, format.is_signed);
    put(target, kColumnNonzero, segment, n - total.zeros);
    if (target.column[kColumnMean] != nullptr) put(target, kColumnMean, segment, integer_mean(total, n));
    if (target.column[kColumnL2] != nullptr) {
        const Wide squares = {{total.squares[0], total.squares[1], total.squares[2], 0}};
        put(target, kColumnL2, segment, sqrt(divide_rounded(squares, 0, 1)));
    }
    if (target.column[kColumnVar] != nullptr || target.column[kColumnStd] != nullptr) {
        const double var = integer_variance(total, n, target.ddof);
        put(target, kColumnVar, segment, canonical(var));
        put(target, kColumnStd, segment, canonical(sqrt(var)));
    }
    put_integer_extremes(target, format, segment, total);
    return fits;
}

}  // namespace cuda
}  // namespace tegu
