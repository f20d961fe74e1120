// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/cuda/patterns.h"

namespace tegu::test {
namespace {

using testing_support::Content;
using testing_support::DigestShape;
using testing_support::SplitMix;

struct Format {
    unsigned bits;
    unsigned mantissa;  // 0: an integer
    bool is_signed;
    std::uint64_t top() const { return std::uint64_t{1} << (bits - 1); }
    std::uint64_t mask() const { return top() | (top() - 1); }
    std::uint64_t infinity() const { return (top() - 1) >> mantissa << mantissa; }
    std::uint64_t one() const { return infinity() / 2 >> mantissa << mantissa; }
};

Format format_of(ElementType type) {
    const auto bits = static_cast<unsigned>(8 * element_bytes(type));
    const unsigned mantissa = type == ElementType::F16   ? 10
                              : type == ElementType::F32 ? 23
                              : type == ElementType::F64 ? 52
                                                         : 0;
    return {bits, mantissa, is_signed_integer(type)};
}

// Number `i` of `count` values in order, whose sums fit: floats between -16 and 16, integers of 20 bits.
std::uint64_t ordered(const Format& format, std::uint64_t i, std::uint64_t count) {
    const unsigned width = format.bits < 20 ? format.bits : 20;
    const std::uint64_t most = format.mantissa != 0 ? format.one() + (std::uint64_t{4} << format.mantissa)
                                                    : std::uint64_t{1} << (width - 1);
    // Halves of the range: -most .. -1, and 0 .. most - 1.
    const bool is_low = i < count / 2;
    const std::uint64_t part = is_low ? count / 2 - i : i - count / 2, parts = count - count / 2;
    const auto value = static_cast<std::uint64_t>(
        static_cast<double>(most - 1) * (static_cast<double>(part) / static_cast<double>(parts + 1)));
    if (format.mantissa != 0) return is_low ? format.top() | value : value;
    if (format.is_signed) return is_low ? (0 - value) & format.mask() : value;
    return is_low ? most - value : most + value;
}

std::uint64_t integer_bits(const Format& format, Pattern pattern, std::uint64_t i, std::uint64_t random) {
    switch (pattern) {
        case Pattern::Nans:
            return random % 3 == 0 ? (random & 8 ? format.top() : format.top() - 1) : (random >> 8) & 63;
        case Pattern::Infinities:
            return random % 3 == 0 ? (random & 8 ? format.mask() : 0) : (random >> 8) & 63;
        case Pattern::Subnormals: return random & 3;
        case Pattern::Least: return format.is_signed ? format.top() : 0;
        case Pattern::Greatest: return format.is_signed ? format.top() - 1 : format.mask();
        default: return std::uint64_t{1} << i % format.bits;
    }
}

std::uint64_t float_bits(const Format& format, Pattern pattern, std::uint64_t i, std::uint64_t random) {
    if (pattern == Pattern::Least) return format.top() | format.infinity();
    if (pattern == Pattern::Greatest) return format.infinity();
    const std::uint64_t sign = random >> 63 != 0 ? format.top() : 0;
    const std::uint64_t fraction = random & ((std::uint64_t{1} << format.mantissa) - 1);
    const std::uint64_t plain = sign | (format.one() + fraction);
    const std::uint64_t step = std::uint64_t{1} << format.mantissa;
    switch (pattern) {
        case Pattern::Nans: return (random >> 53) % 3 == 0 ? sign | format.infinity() | fraction | 1 : plain;
        case Pattern::Infinities: return (random >> 53) % 3 == 0 ? sign | format.infinity() : plain;
        case Pattern::Subnormals: return (random >> 53) % 4 == 0 ? sign : sign | fraction;
        default: break;
    }
    // Large, the same negative, and what is lost beside them.
    if (i % 3 == 2) return format.one() - 9 * step + (random & 1023);
    return (i % 3 == 1 ? format.top() : 0) | (format.one() + (format.mantissa == 10 ? 10 : 40) * step);
}

}  // namespace

const char* pattern_word(Pattern pattern) {
    const char* const words[] = {"uniform",    "wide",        "ties",       "equal",
                                 "NaN",        "infinities",  "subnormals", "ascending",
                                 "descending", "adversarial", "least",      "greatest"};
    return words[static_cast<int>(pattern)];
}

TestInput make_pattern(ElementType type, Pattern pattern, const DigestShape& shape, std::uint64_t seed) {
    const std::uint64_t stride = shape.cols + shape.extra, n = shape.rows * shape.cols;
    if (pattern <= Pattern::Ties) {
        const Content contents[] = {Content::Plain, Content::Wide, Content::Ties};
        return {testing_support::make_digest_input(type, contents[static_cast<int>(pattern)], shape, seed),
                shape.offset, stride};
    }
    const Format format = format_of(type);
    const std::size_t bytes = element_bytes(type);
    TestInput input{std::vector<std::byte>(shape.offset + shape.rows * stride * bytes, std::byte{0xa5}),
                    shape.offset, stride};
    SplitMix random(seed);
    std::uint64_t i = 0;
    for (std::uint64_t row = 0; row < shape.rows; ++row) {
        std::byte* const line = input.bytes.data() + shape.offset + row * stride * bytes;
        for (std::uint64_t col = 0; col < shape.cols; ++col, ++i) {
            const std::uint64_t bits =
                pattern == Pattern::Equal ? testing_support::element_bits(type, Content::Plain, seed * 77)
                : pattern == Pattern::Ascending  ? ordered(format, i, n)
                : pattern == Pattern::Descending ? ordered(format, n - 1 - i, n)
                : format.mantissa != 0           ? float_bits(format, pattern, i, random.next())
                                                 : integer_bits(format, pattern, i, random.next());
            std::memcpy(line + col * bytes, &bits, bytes);  // little-endian
        }
    }
    return input;
}

}  // namespace tegu::test
