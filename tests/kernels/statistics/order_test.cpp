// SPDX-License-Identifier: Apache-2.0
// Chunks read in the order of memory (kFromMemory) give the bits of those read by columns, for every set of
// needs, length and alignment.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "kernels/statistics/cpu/reduce_tree.h"
#include "kernels/statistics/cpu/typed.h"

namespace tegu::kernels {
namespace {

constexpr std::size_t kLengths[] = {1, 127, 1023, 1024, 1025, 4096, 5000, kChunkElements - 1, kChunkElements};
constexpr unsigned kNeeds = kNeedSum | kNeedL1 | kNeedMoments | kNeedExtrema | kNeedNans | kNeedZeros;

template <class T>
std::vector<T> values(unsigned kind, std::mt19937_64& random) {
    std::vector<T> made(kChunkElements + 1);
    for (T& v : made) {
        const std::uint64_t bits = random();
        std::memcpy(&v, &bits, sizeof v);  // kind 0: any bits, also NaN and infinities
        if constexpr (std::is_arithmetic_v<T>) {
            if (kind == 1)
                v = static_cast<T>(static_cast<T>(bits % 100) - T(std::is_floating_point_v<T> ? 50 : 0));
            if (kind == 2) v = static_cast<T>(bits % 2 == 0 ? 0.0 : -0.0);
            if (kind == 3) v = static_cast<T>(7);
        }
    }
    return made;
}

bool same(double a, double b) {
    return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

// The fields that the needs specify. Zeros of both signs are one extreme.
bool same(const FloatPartial& a, const FloatPartial& b, unsigned needs) {
    return (!(needs & kNeedSum) || same(a.sum, b.sum)) && (!(needs & kNeedL1) || same(a.l1, b.l1)) &&
           (!(needs & kNeedMoments) ||
            (same(a.moments.s, b.moments.s) && same(a.moments.m2, b.moments.m2))) &&
           (!(needs & kNeedExtrema) || (a.min == b.min && a.max == b.max)) &&
           (!(needs & kNeedNans) || a.nans == b.nans) && (!(needs & kNeedZeros) || a.zeros == b.zeros) &&
           a.flags == b.flags;
}
bool same(const IntegerPartial& a, const IntegerPartial& b, unsigned needs) {
    return (!(needs & (kNeedSum | kNeedMoments)) || a.sum == b.sum) && (!(needs & kNeedL1) || a.l1 == b.l1) &&
           (!(needs & kNeedMoments) || std::memcmp(a.squares, b.squares, sizeof a.squares) == 0) &&
           (!(needs & kNeedExtrema) || (a.min == b.min && a.max == b.max)) &&
           (!(needs & kNeedZeros) || a.zeros == b.zeros);
}

template <class T>
void compare(unsigned kinds) {
    using Partial = typename ReduceKernel<T>::Partial;
    std::mt19937_64 random(20261125);
    for (unsigned kind = 0; kind < kinds; ++kind) {
        const std::vector<T> data = values<T>(kind, random);
        for (unsigned needs = 1; needs <= kNeeds; ++needs)
            for (const std::size_t n : kLengths) {
                const T* from = data.data() + n % 2;
                Partial columns{}, memory{};
                ReduceKernel<T>::select()(needs, from, n, &columns);
                ReduceKernel<T>::select()(needs | kFromMemory, from, n, &memory);
                ASSERT_TRUE(same(columns, memory, needs))
                    << "kind " << kind << " needs " << needs << " n " << n;
            }
    }
}

TEST(ReadingOrder, ChangesNoBitOfFloats) {
    compare<float>(4);
    compare<double>(4);
}

TEST(ReadingOrder, ChangesNoBitOfHalves) {
    compare<Half>(1);
}

TEST(ReadingOrder, ChangesNoBitOfIntegers) {
    compare<std::uint8_t>(2);
    compare<std::int16_t>(2);
    compare<std::uint32_t>(2);
    compare<std::int32_t>(2);
    compare<std::int64_t>(2);
}

TEST(ReadingOrder, IsThatOfMemoryForLargeJobs) {
    EXPECT_EQ(needs_of_job(kNeedSum, kFromMemoryBytes - 1), unsigned{kNeedSum});
    EXPECT_EQ(needs_of_job(kNeedSum, kFromMemoryBytes), unsigned{kNeedSum} | kFromMemory);
    EXPECT_EQ(needs_of_job(0, kFromMemoryBytes), 0u);
}

}  // namespace
}  // namespace tegu::kernels
