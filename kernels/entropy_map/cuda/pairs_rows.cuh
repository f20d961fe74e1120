// SPDX-License-Identifier: Apache-2.0
// Pixels of entropy_map's pairs become rows: words with the levels of four pixels.
#pragma once

#include "kernels/counting/cuda/levels.cuh"
#include "kernels/entropy_map/cuda/pairs.cuh"

namespace tegu {
namespace cuda {

// Converts the pixels of a thread to a row, without the pixels that do not exist.
template <class T>
struct RowOf {
    static constexpr bool kFloat = Leveled<T>::kFloat;
    const LevelRule& rule;
    bool any_nan;

    TEGU_DEVICE RowOf(const PairsArrays& arrays, unsigned char*) : rule(arrays.rule), any_nan(false) {}
    TEGU_DEVICE std::uint32_t operator()(const Pack<T, kPairsColumns>& pixels) {
        std::uint32_t levels[kPairsColumns];
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            bool nan = false;
            levels[j] = level_of(pixels.at[j], rule, &nan);
            any_nan |= nan;
        }
        return ((levels[3] * 0x100u + levels[2]) * 0x10000u + (levels[1] * 0x100u + levels[0])) * kLevelBytes;
    }
};
// A byte has so few values that each is converted once for a block.
template <>
struct RowOf<std::uint8_t> {
    const unsigned char* bytes;
    static constexpr bool kFloat = false, any_nan = false;

    TEGU_DEVICE RowOf(const PairsArrays& arrays, unsigned char* shared) : bytes(shared) {
        for (unsigned value = thread_index(); value < 256; value += block_threads()) {
            bool nan = false;
            shared[value] = static_cast<unsigned char>(
                kLevelBytes * level_of(static_cast<std::uint8_t>(value), arrays.rule, &nan));
        }
    }
    TEGU_DEVICE std::uint32_t operator()(const Pack<std::uint8_t, kPairsColumns>& pixels) const {
        return (bytes[pixels.at[3]] * 0x100u + bytes[pixels.at[2]]) * 0x10000u +
               (bytes[pixels.at[1]] * 0x100u + bytes[pixels.at[0]]);
    }
};
// A byte whose upper bits are its level: four are converted together.
struct UpperBits {
    std::uint8_t value;
};
template <>
struct RowOf<UpperBits> {
    const PairsArrays& arrays;
    static constexpr bool kFloat = false, any_nan = false;

    TEGU_DEVICE RowOf(const PairsArrays& all, unsigned char*) : arrays(all) {}
    TEGU_DEVICE std::uint32_t operator()(const Pack<UpperBits, kPairsColumns>& pixels) const {
        const std::uint64_t levels = std::uint64_t{bit_cast<std::uint32_t>(pixels)} * kLevelBytes;
        return static_cast<std::uint32_t>(levels >> arrays.level_shift) & arrays.level_mask;
    }
};

// The shift that gives the level of every u8; -1: none does.
inline std::int32_t level_shift(const LevelRule& rule) {
    std::int32_t shift = 0;
    while (shift < 7 && rule.levels << shift < 256) ++shift;
    if (rule.levels << shift != 256) return -1;
    // as level_of() computes it
    for (unsigned value = 0; rule.by_range && value < 256; ++value) {
        const float above = (static_cast<float>(value) - rule.lo) * rule.inv;
        const unsigned level = value >> shift;
        if (!(above >= static_cast<float>(level) &&
              (level + 1 == rule.levels || above < static_cast<float>(level + 1))))
            return -1;
    }
    return shift;
}

}  // namespace cuda
}  // namespace tegu
