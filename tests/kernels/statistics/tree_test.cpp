// SPDX-License-Identifier: Apache-2.0
// The tree over the chunks of a segment: any groups give the bits of the recursive definition in
// docs/numerics.md, and the moments are merged as it says.
#include "kernels/statistics/partial_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace tegu::kernels {
namespace {

constexpr std::uint64_t kNone = ~std::uint64_t{0};

FloatPartial chunk_of(std::uint64_t at, std::mt19937_64& random) {
    std::uniform_real_distribution<double> values(-1, 1);
    FloatPartial chunk{};
    chunk.sum = std::ldexp(values(random), static_cast<int>(random() % 60));
    chunk.l1 = std::abs(chunk.sum) + 1;
    chunk.moments = {static_cast<double>(random() % 3 * 8192), chunk.sum, std::abs(values(random))};
    chunk.min = values(random), chunk.max = chunk.min + 1;
    chunk.min_at = chunk.max_at = at;
    chunk.nan_at = kNone;
    return chunk;
}

// The node over chunks [begin, end): its left child is the largest power of two of them below all.
FloatPartial node_of(const std::vector<FloatPartial>& chunks, std::uint64_t begin, std::uint64_t end) {
    if (end - begin == 1) return chunks[begin];
    std::uint64_t left = 1;
    while (2 * left < end - begin) left *= 2;
    FloatPartial node = node_of(chunks, begin, begin + left);
    merge_partials(node, node_of(chunks, begin + left, end));
    return node;
}

void expect_same_bits(const FloatPartial& a, const FloatPartial& b, const std::string& at) {
    for (double FloatPartial::*value :
         {&FloatPartial::sum, &FloatPartial::l1, &FloatPartial::min, &FloatPartial::max})
        EXPECT_EQ(std::memcmp(&(a.*value), &(b.*value), sizeof(double)), 0) << at;
    EXPECT_EQ(std::memcmp(&a.moments, &b.moments, sizeof a.moments), 0) << at;
    EXPECT_EQ(a.min_at, b.min_at) << at;
    EXPECT_EQ(a.max_at, b.max_at) << at;
}

TEST(PartialTree, GroupsOfAnySizeGiveTheBitsOfTheDefinition) {
    std::mt19937_64 random(20263);
    for (const std::uint64_t count : {1, 2, 3, 7, 8, 9, 31, 64, 100, 129}) {
        std::vector<FloatPartial> chunks;
        for (std::uint64_t c = 0; c < count; ++c) chunks.push_back(chunk_of(c, random));
        const FloatPartial wanted = node_of(chunks, 0, count);
        for (std::uint64_t group = 1; group <= 16; group *= 2) {
            PartialTree<FloatPartial> tree;
            for (std::uint64_t begin = 0; begin < count; begin += group)
                tree.push(node_of(chunks, begin, std::min(count, begin + group)));
            expect_same_bits(tree.finish(), wanted,
                             std::to_string(count) + " chunks in groups of " + std::to_string(group));
        }
    }
}

TEST(PartialTree, TheFirstOfEqualExtremesStays) {
    std::mt19937_64 random(1);
    FloatPartial a = chunk_of(0, random), b = chunk_of(5, random);
    b.min = a.min, b.max = a.max;
    merge_partials(a, b);
    EXPECT_EQ(a.min_at, 0u);
    EXPECT_EQ(a.max_at, 0u);
}

TEST(PartialTree, AChunkOfNansHidesNoInfinity) {
    const double infinity = std::numeric_limits<double>::infinity();
    std::mt19937_64 random(1);
    FloatPartial nans = chunk_of(0, random), infinite = chunk_of(5, random);
    nans.min = infinity, nans.max = -infinity;  // no element
    nans.min_at = nans.max_at = kNone;
    infinite.min = infinity, infinite.max = -infinity;
    merge_partials(nans, infinite);
    EXPECT_EQ(nans.min_at, 5u);
    EXPECT_EQ(nans.max_at, 5u);
}

TEST(Moments, MergeAsOneSetAndToTheSameBitsInBothOrders) {
    const Moments one{2, 6, 2}, other{4, 4, 20};  // 2 and 4; four elements with mean 1
    const Moments both = merge_moments(one, other), swapped = merge_moments(other, one);
    EXPECT_EQ(both.n, 6);
    EXPECT_EQ(both.s, 10);
    EXPECT_DOUBLE_EQ(both.m2, 2 + 20 + 4 * (2.0 * 4 / 6));  // the means differ by 2
    EXPECT_EQ(std::memcmp(&both, &swapped, sizeof both), 0);
    const Moments none{0, 0, 0};
    const Moments alone = merge_moments(none, one);
    EXPECT_EQ(std::memcmp(&alone, &one, sizeof one), 0);
}

TEST(IntegerPartial, SquaresCarryIntoTheNextLimb) {
    IntegerPartial a{}, b{};
    a.squares[0] = a.squares[1] = ~std::uint64_t{0};
    b.squares[0] = 1;
    merge_partials(a, b);
    EXPECT_EQ(a.squares[0], 0u);
    EXPECT_EQ(a.squares[1], 0u);
    EXPECT_EQ(a.squares[2], 1u);
}

}  // namespace
}  // namespace tegu::kernels
