// SPDX-License-Identifier: Apache-2.0
// NodeTree alone: any order gives one shape, and what is missing or there twice is found.
#include "client/tegu/node_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tegu::test {
namespace {

namespace tc = tegu::client;
constexpr std::uint64_t kChunk = 16384;

// Values that show the shape of the tree.
struct Shape {
    std::string operator()(const std::string& left, const std::string& right) const {
        return "(" + left + right + ")";
    }
};
using ShapeTree = tc::NodeTree<std::string, Shape>;

TEST(NodeTree, HasOneShapeForAnyOrder) {
    std::mt19937 random(3);
    std::vector<std::uint64_t> chunks{0, 1, 2, 3, 4, 5, 6};
    for (int round = 0; round < 20; ++round) {
        std::shuffle(chunks.begin(), chunks.end(), random);
        ShapeTree tree;
        for (const std::uint64_t chunk : chunks)
            EXPECT_TRUE(tree.put(chunk * kChunk, {0, chunk == 6 ? 5 : kChunk}, std::to_string(chunk)));
        EXPECT_EQ(tree.root(6 * kChunk + 5), "(((01)(23))((45)6))");
    }
}

TEST(NodeTree, NodesOfSeveralChunksTakeTheirPlaces) {
    ShapeTree tree;
    EXPECT_TRUE(tree.put(4 * kChunk, {0, 2 * kChunk}, "b"));
    EXPECT_TRUE(tree.put(100, {kChunk * 6 - 100, kChunk}, "c"));
    EXPECT_EQ(tree.root(7 * kChunk), std::nullopt) << "the first chunks are missing";
    EXPECT_TRUE(tree.put(0, {0, 4 * kChunk}, "a"));
    EXPECT_EQ(tree.root(7 * kChunk), "(a(bc))");
    EXPECT_EQ(tree.root(6 * kChunk), std::nullopt);
    EXPECT_EQ(tree.root(8 * kChunk), std::nullopt);
}

TEST(NodeTree, RefusesElementsThatItHas) {
    ShapeTree tree;
    EXPECT_EQ(tree.root(0), std::nullopt);
    EXPECT_TRUE(tree.put(2 * kChunk, {0, 2 * kChunk}, "a"));
    for (const std::uint64_t first : {2, 3}) EXPECT_FALSE(tree.put(first * kChunk, {0, kChunk}, "b"));
    EXPECT_FALSE(tree.put(0, {0, 4 * kChunk}, "b"));
    EXPECT_TRUE(tree.put(0, {0, 2 * kChunk}, "b"));
    EXPECT_EQ(tree.root(4 * kChunk), "(ba)");
}

TEST(NodeTree, CarriesNanAndInfinity) {
    const tc::MergeMoments merge;
    const tc::Moments nan{0, 0, 0, 1}, infinity{0, 0, 0, 2}, two{2, 6, 2, 0};
    EXPECT_EQ(merge(nan, two).flags, 1u);
    EXPECT_EQ(merge(two, infinity).flags, 2u);
    EXPECT_EQ(merge(nan, infinity).flags, 3u);
    EXPECT_EQ(merge(two, nan).n, 0);

    const double without = std::numeric_limits<double>::infinity();
    tc::NodeTree<double> sums;
    EXPECT_TRUE(sums.put(0, {0, kChunk}, without));
    EXPECT_TRUE(sums.put(kChunk, {0, kChunk}, -without));
    const double sum = *sums.root(2 * kChunk), expected = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(std::memcmp(&sum, &expected, sizeof sum), 0) << "NaN has one form";
}

TEST(NodeTree, MergesMoments) {
    const tc::Moments none, one{1, 5, 0}, two{2, 6, 2};
    const tc::MergeMoments merge;
    EXPECT_EQ(merge(none, two).q, 2);
    EXPECT_EQ(merge(one, none).s, 5);
    const tc::Moments both = merge(one, one), all = merge(one, two);
    EXPECT_EQ(both.n, 2);
    EXPECT_EQ(both.q, 0);
    EXPECT_EQ(all.n, 3);
    EXPECT_EQ(all.s, 11);
    EXPECT_DOUBLE_EQ(all.q, 2 + 4.0 * 2 / 3) << "5 and 2, 4: the mean is 11 / 3";
}

}  // namespace
}  // namespace tegu::test
