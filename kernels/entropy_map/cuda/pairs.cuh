// SPDX-License-Identifier: Apache-2.0
// Fields of counts, and their sums over a window's columns. A row of a thread's four pixels is a word, with
// eight times the level in each byte. Bytes from 128 on are pixels that do not exist.
#pragma once

#include "kernels/entropy_map/cuda/pairs.h"
#include "kernels/execution/cuda/words.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kMaxPairLevels = 16;
constexpr unsigned kPairs = kMaxPairLevels / 2;
constexpr std::uint32_t kNoPixels = 0x80808080;
constexpr unsigned kLevelBytes = 8;  // of a row for each level, and of an expansion

// A pair's place, over its word and the two zero bits of its field. A word with two fields has 16 bits for
// each, one with three has 10.
TEGU_DEVICE std::uint32_t pair_place(unsigned per_word, unsigned pair) {
    return 32 * (pair / per_word) + (per_word == 2 || pair + 2 >= kPairs ? 16 : 10) * (pair % per_word) + 2;
}
// Fields of a window of W x W pixels: three of ten bits in a word, or two of 16. Their values are multiplied
// by 4, so they are byte offsets in a table of words.
template <unsigned W>
struct Fields {
    static constexpr unsigned kPixels = W * W;
    static constexpr unsigned kFactor = pair_factor(kPixels);
    static constexpr unsigned kPerWord = kFactor * kPixels < 1024 ? 3 : 2;
    static constexpr unsigned kWords = (kPairs + kPerWord - 1) / kPerWord;
    static constexpr unsigned kTable = kFactor * kPixels + 1;
    static_assert(kPerWord == 3 || 4 * kTable <= 65536, "two fields of 16 bits");
    using Words = std::uint32_t[kWords];

    // Words of shared memory behind the table: F; the additions of each level's pixel to the words of counts,
    // two by two; the bytes of rows for each value of u8.
    static constexpr unsigned kEntries = kTable;
    static constexpr unsigned kExpansions = (kTable + kPixels + 2) / 2 * 2;
    static constexpr unsigned kValues = 256 / kLevelBytes;
    static constexpr unsigned kLevels = kExpansions + 2 * kValues * kLevelBytes / 4;
    static constexpr unsigned kFinishes = kLevels + 256 / 4;  // EntropyFinish [kPixels + 1]
    static constexpr unsigned kShared = kFinishes + 3 * (kPixels + 1);

    // The value that pixel j of a row adds to each word.
    TEGU_DEVICE static void expand(const unsigned char* table, std::uint32_t row, unsigned j, Words& words) {
        using Two = Pack<std::uint32_t, 2>;
        const unsigned char* const at = table + 4 * kExpansions + permute_bytes(row, 0, 0x4440 + j);
        const Two lower = *reinterpret_cast<const Two*>(at);
        words[0] = lower.at[0];
        words[1] = lower.at[1];
        const unsigned char* const upper = at + kValues * kLevelBytes;
        words[2] = *reinterpret_cast<const std::uint32_t*>(upper);
        if (kWords == 4) words[kWords - 1] = reinterpret_cast<const Two*>(upper)->at[1];
    }
    TEGU_DEVICE static void fill_expansions(std::uint32_t* table) {
        for (unsigned i = thread_index(); i < 4 * kValues; i += block_threads()) {
            const unsigned word = i / (2 * kValues) * 2 + i % 2, level = i / 2 % kValues;
            const std::uint32_t place = pair_place(kPerWord, level / 2), unit = level % 2 != 0 ? kFactor : 1;
            table[kExpansions + i] = level < kMaxPairLevels ? shift_left_clamped(unit, place - 32 * word) : 0;
        }
    }
    // The sum of F over all levels.
    TEGU_DEVICE static std::uint32_t look_up(const unsigned char* table, const Words& words) {
        std::uint32_t sum = 0;
        TEGU_UNROLL
        for (unsigned pair = 0; pair < kPairs; ++pair) {
            const std::uint32_t word = words[pair / kPerWord];
            const unsigned bits = (kPerWord == 2 || pair + 2 >= kPairs ? 16 : 10) * (pair % kPerWord);
            const std::uint32_t distance = bits == 16                            ? word >> 16
                                           : kPerWord == 2 || pair + 2 == kPairs ? word & 0xffffu
                                                                                 : word >> bits & 0xffcu;
            sum += *reinterpret_cast<const std::uint32_t*>(table + distance);
        }
        return sum;
    }
    // Whether each lane holds an entry of F.
    static constexpr bool kInLanes = kPixels < kWarpLanes;
    // F[lane]. The load is on its way before the tables are filled.
    TEGU_DEVICE static std::uint32_t entry_of_lane(const std::uint32_t* from) {
        return kInLanes && lane_index() <= kPixels ? from[lane_index()] : 0;
    }
    // F[a] + F[b] at index a + kFactor * b, where a window has so many pixels. `entry`: of this lane. A
    // barrier after.
    TEGU_DEVICE static void fill(std::uint32_t* table, const std::uint32_t* from, std::uint32_t entry) {
        if (kInLanes) {
            for (unsigned b = warp_index(); b <= kPixels; b += block_warps()) {
                const std::uint32_t sum = entry + shuffle(entry, b);
                if (lane_index() + b <= kPixels) table[lane_index() + kFactor * b] = sum;
            }
            return;
        }
        std::uint32_t* const entries = table + kEntries;
        for (unsigned n = thread_index(); n <= kPixels; n += block_threads()) entries[n] = from[n];
        block_barrier();
        for (unsigned b = warp_index(); b <= kPixels; b += block_warps())
            for (unsigned a = lane_index(); a + b <= kPixels; a += kWarpLanes)
                table[a + kFactor * b] = entries[a] + entries[b];
    }
};

// The adjacent lanes. The outer lanes, whose results are not used, take themselves.
struct Beside {
    unsigned before, after;
    TEGU_DEVICE void set() {
        const unsigned lane = lane_index();
        before = lane == 0 ? 0 : lane - 1;
        after = lane + 1 == kWarpLanes ? lane : lane + 1;
    }
};

// For one word: the sums over the W columns around each of a thread's four columns, from its own columns and
// those of the adjacent lanes.
template <unsigned W>
struct Around;
template <>
struct Around<3> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], const Beside& beside, std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3];
        out[0] = shuffle(c[3], beside.before) + left;
        out[1] = left + c[2];
        out[2] = c[1] + right;
        out[3] = right + shuffle(c[0], beside.after);
    }
};
template <>
struct Around<5> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], const Beside& beside, std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3], all = left + right;
        out[0] = shuffle(right, beside.before) + left + c[2];
        out[1] = shuffle(c[3], beside.before) + all;
        out[2] = all + shuffle(c[0], beside.after);
        out[3] = c[1] + right + shuffle(left, beside.after);
    }
};
template <>
struct Around<7> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], const Beside& beside, std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3], all = left + right;
        const std::uint32_t before = shuffle(c[3], beside.before), after = shuffle(c[0], beside.after);
        out[0] = shuffle(c[1] + right, beside.before) + all;
        out[1] = shuffle(right, beside.before) + all + after;
        out[2] = before + all + shuffle(left, beside.after);
        out[3] = all + shuffle(left + c[2], beside.after);
    }
};
template <>
struct Around<9> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], const Beside& beside, std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3], all = left + right;
        out[0] = shuffle(all, beside.before) + all + shuffle(c[0], beside.after);
        out[1] = shuffle(c[1] + right, beside.before) + all + shuffle(left, beside.after);
        out[2] = shuffle(right, beside.before) + all + shuffle(left + c[2], beside.after);
        out[3] = shuffle(c[3], beside.before) + all + shuffle(all, beside.after);
    }
};

}  // namespace cuda
}  // namespace tegu
