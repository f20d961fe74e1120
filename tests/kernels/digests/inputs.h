// SPDX-License-Identifier: Apache-2.0
// Inputs that every machine generates alike: integers and shifts alone decide each bit, no library is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/element_type.h"

namespace tegu::testing_support {

struct DigestShape {
    std::uint64_t rows;
    std::uint64_t cols;
    std::uint64_t extra;  // elements behind each row
    std::size_t offset;   // bytes from an aligned address to the first element
};

enum class Content {
    Plain,    // sums of thousands of them fit: 20 bits, floats from 2^-12 to 16 (f16 from 2^-6)
    Wide,     // every bit random; floats finite
    Special,  // a third of them limits of the type: NaN, infinities, -0, subnormals
    Ties,     // five values
};

class SplitMix {
  public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

  private:
    std::uint64_t state_;
};

// The bits of an integer of `bits` bits.
inline std::uint64_t integer_bits(Content content, unsigned bits, bool is_signed, std::uint64_t random) {
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    switch (content) {
        case Content::Plain: {
            const unsigned width = bits - 1 < 20 ? bits - 1 : 20;
            const std::uint64_t value = random & ((std::uint64_t{1} << width) - 1);
            return is_signed ? value - (std::uint64_t{1} << (width - 1)) : value;
        }
        case Content::Wide: return random;
        case Content::Special: {
            const std::uint64_t limits[] = {0, 1, top, top - 1, ~std::uint64_t{0}, top + 1};
            return random % 3 == 0 ? limits[(random >> 32) % 6] : random >> 3;
        }
        case Content::Ties: return random % 5 * 17;
    }
    return 0;
}

// The bits of a float with `exponent` and `mantissa` bits.
inline std::uint64_t float_bits(Content content, unsigned exponent, unsigned mantissa, std::uint64_t random) {
    const std::uint64_t sign = (random >> 63) << (exponent + mantissa);
    const std::uint64_t fraction = random & ((std::uint64_t{1} << mantissa) - 1);
    const std::uint64_t all_ones = (std::uint64_t{1} << exponent) - 1, bias = all_ones >> 1;
    const std::uint64_t lowest = bias - (exponent == 5 ? 6 : 12);
    const std::uint64_t choice = (random >> 52) & 0x7ff;
    const std::uint64_t plain = sign | (lowest + choice % (bias + 4 - lowest)) << mantissa | fraction;
    switch (content) {
        case Content::Plain: return plain;
        case Content::Wide: {
            const std::uint64_t any = choice & all_ones;
            return sign | (any == all_ones ? bias : any) << mantissa | fraction;
        }
        case Content::Special: {
            if (choice % 3 != 0) return plain;
            switch (choice / 3 % 5) {
                // NaN, quiet or signalling, with a payload
                case 0: return sign | all_ones << mantissa | fraction | 1;
                case 1: return sign | all_ones << mantissa;
                case 2: return sign;
                case 3: return sign | fraction;
                default: return sign | bias << mantissa;
            }
        }
        case Content::Ties: {
            if (choice % 5 == 0) return sign;  // both zeros
            return sign | (bias + choice % 2) << mantissa;
        }
    }
    return 0;
}

inline std::uint64_t element_bits(ElementType type, Content content, std::uint64_t random) {
    switch (type) {
        case ElementType::F16: return float_bits(content, 5, 10, random);
        case ElementType::F32: return float_bits(content, 8, 23, random);
        case ElementType::F64: return float_bits(content, 11, 52, random);
        default:
            return integer_bits(content, static_cast<unsigned>(8 * element_bytes(type)),
                                is_signed_integer(type), random);
    }
}

// rows x cols elements and what lies between the rows, which nobody may read into a result.
inline std::vector<std::byte> make_digest_input(ElementType type, Content content, const DigestShape& shape,
                                                std::uint64_t seed) {
    const std::size_t bytes = element_bytes(type);
    const std::uint64_t stride = shape.cols + shape.extra;
    std::vector<std::byte> input(shape.offset + shape.rows * stride * bytes, std::byte{0xa5});
    SplitMix random(seed);
    for (std::uint64_t row = 0; row < shape.rows; ++row) {
        for (std::uint64_t col = 0; col < shape.cols; ++col) {
            const std::uint64_t bits = element_bits(type, content, random.next());
            // little-endian
            std::memcpy(input.data() + shape.offset + (row * stride + col) * bytes, &bits, bytes);
        }
    }
    return input;
}

}  // namespace tegu::testing_support
