// SPDX-License-Identifier: Apache-2.0
// The ranges of elements, with three shapes each. Sizes within a range are not powers of two, as in most
// programs.
#include "tools/tune/jobs/families.h"

namespace tegu::tune {
namespace {

constexpr std::uint64_t kKi = 1024, kMi = kKi * kKi;
constexpr TuningRange kOne{1, 2}, kSeveral{2, UINT64_MAX};

Shape sequence(std::uint64_t n) {
    return {Axis::Whole, 1, n};
}
Shape image(std::uint64_t rows, std::uint64_t cols) {
    return {Axis::Whole, rows, cols};
}
Shape rows_of(std::uint64_t elements, std::uint64_t cols) {
    return {Axis::Rows, elements / cols, cols};
}

SizeClass whole(std::uint64_t begin, std::uint64_t end, const char* word, unsigned rank) {
    const std::uint64_t low = begin == 0 ? 1000 : begin + begin / 8;
    const std::uint64_t middle = begin == 0 ? 4000 : begin * 3;
    return {kOne, {begin, end}, {sequence(low), sequence(middle), sequence(end - end / 8)}, word, rank};
}
SizeClass last(std::uint64_t begin, std::array<std::uint64_t, 3> n, const char* word, unsigned rank) {
    return {kOne, {begin, UINT64_MAX}, {sequence(n[0]), sequence(n[1]), sequence(n[2])}, word, rank};
}

// Rows of three lengths, in arrays of 400 thousand, 3 million and 10 million elements.
SizeClass rows(TuningRange elements, std::array<std::uint64_t, 3> cols, const char* word, unsigned rank) {
    return {kSeveral,
            elements,
            {rows_of(400000, cols[0]), rows_of(3000000, cols[1]), rows_of(10000000, cols[2])},
            word,
            rank};
}

}  // namespace

const std::vector<SizeClass>& whole_sizes() {
    static const std::vector<SizeClass> kSizes = {
        whole(0, 16 * kKi, "n0", 1),        whole(16 * kKi, 128 * kKi, "n16K", 1),
        whole(128 * kKi, kMi, "n128K", 0),  whole(kMi, 8 * kMi, "n1M", 0),
        whole(8 * kMi, 64 * kMi, "n8M", 0), last(64 * kMi, {75000000, 100000000, 120000000}, "n64M", 1),
    };
    return kSizes;
}

const std::vector<SizeClass>& coarse_sizes() {
    static const std::vector<SizeClass> kSizes = {
        {kOne, {0, 128 * kKi}, {sequence(3000), sequence(20000), sequence(100000)}, "n0", 2},
        {kOne, {128 * kKi, 8 * kMi}, {sequence(200000), sequence(1000000), sequence(7000000)}, "n128K", 1},
        last(8 * kMi, {10000000, 40000000, 100000000}, "n8M", 1),
    };
    return kSizes;
}

const std::vector<SizeClass>& row_sizes() {
    static const std::vector<SizeClass> kSizes = {
        rows({0, 128}, {100, 16, 64}, "rows-n0", 0),
        rows({128, kKi}, {1000, 144, 400}, "rows-n128", 0),
        rows({kKi, 16 * kKi}, {1200, 14000, 4000}, "rows-n1K", 1),
        rows({16 * kKi, UINT64_MAX}, {20000, 60000, 400000}, "rows-n16K", 1),
    };
    return kSizes;
}

const std::vector<SizeClass>& image_sizes() {
    static const std::vector<SizeClass> kSizes = {
        {kOne, {0, kMi / 2}, {image(240, 320), image(400, 400), image(512, 960)}, "n0", 1},
        {kOne, {kMi / 2, 8 * kMi}, {image(768, 1024), image(1080, 1920), image(2560, 2560)}, "n512K", 0},
        {kOne, {8 * kMi, UINT64_MAX}, {image(2848, 4256), image(5000, 5000), image(8192, 8192)}, "n8M", 1},
    };
    return kSizes;
}

}  // namespace tegu::tune
