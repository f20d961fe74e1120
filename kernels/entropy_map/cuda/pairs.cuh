// SPDX-License-Identifier: Apache-2.0
// Fields of counts, and their sums over a window's columns. A row of a thread's four pixels is a word with
// one level in each byte. Levels from 32 on mean "no pixel": their counts are shifted out of every word.
#pragma once

#include "kernels/entropy_map/cuda/pairs.h"
#include "kernels/execution/cuda/words.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kMaxPairLevels = 16;
constexpr unsigned kPairs = kMaxPairLevels / 2;
constexpr std::uint32_t kNoPixels = 0x20202020;  // four levels

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

    // The value that pixel j of a row adds to each word.
    TEGU_DEVICE static void expand(std::uint32_t row, unsigned j, Words& words) {
        // 16 and above: the bytes that follow are not all 0, so the shift is beyond all words
        const std::uint32_t pair = row >> (8 * j + 1) & 0x1fu;
        const std::uint32_t offset =
            kPerWord == 3 ? permute_bytes(0x20140a00u, 0x4a40342au, pair) : 16 * pair;
        const std::uint32_t unit = (row & 1u << (8 * j)) != 0 ? 4 * kFactor : 4;
        TEGU_UNROLL
        for (unsigned w = 0; w < kWords; ++w) words[w] = shift_left_clamped(unit, offset - 32 * w);
    }
    // The sum of F over all levels.
    TEGU_DEVICE static std::uint32_t look_up(const unsigned char* table, const Words& words) {
        std::uint32_t sum = 0;
        TEGU_UNROLL
        for (unsigned pair = 0; pair < kPairs; ++pair) {
            const std::uint32_t word = words[pair / kPerWord];
            const unsigned slot = pair % kPerWord;
            const std::uint32_t distance = kPerWord == 3 ? word >> (10 * slot) & 0xffcu
                                           : slot == 1   ? word >> 16
                                                         : word & 0xffffu;
            sum += *reinterpret_cast<const std::uint32_t*>(table + distance);
        }
        return sum;
    }
    // F[a] + F[b] at index a + kFactor * b.
    TEGU_DEVICE static void fill(std::uint32_t* table, const std::uint32_t* entries) {
        for (unsigned b = warp_index(); b <= kPixels; b += block_warps())
            for (unsigned a = lane_index(); a < kFactor && a + kFactor * b < kTable; a += kWarpLanes)
                table[a + kFactor * b] = a + b <= kPixels ? entries[a] + entries[b] : 0;
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
