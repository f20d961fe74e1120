// SPDX-License-Identifier: Apache-2.0
#include "base/tree_nodes.h"

#include <gtest/gtest.h>

#include <vector>

namespace tegu {
namespace {

struct Node {
    std::uint64_t begin;
    std::uint64_t count;
    bool operator==(const Node& other) const { return begin == other.begin && count == other.count; }
};

std::vector<Node> nodes_of(std::uint32_t offset, std::uint64_t n, bool last) {
    std::vector<Node> nodes;
    for_each_node(offset, n, last, [&](std::uint64_t begin, std::uint64_t count) {
        nodes.push_back({begin, count});
    });
    EXPECT_EQ(nodes.size(), node_count(offset, n, last));
    return nodes;
}

TEST(TreeNodes, AreTheLargestAlignedRunsOfWholeChunks) {
    const std::uint64_t chunk = kNodeChunk;
    EXPECT_EQ(nodes_of(0, 4 * chunk, false), (std::vector<Node>{{0, 4 * chunk}}));
    EXPECT_EQ(nodes_of(0, 7 * chunk, false),
              (std::vector<Node>{{0, 4 * chunk}, {4 * chunk, 2 * chunk}, {6 * chunk, chunk}}));
    EXPECT_EQ(nodes_of(static_cast<std::uint32_t>(chunk), 4 * chunk, false),
              (std::vector<Node>{{0, chunk}, {chunk, 2 * chunk}, {3 * chunk, chunk}}));
    EXPECT_EQ(nodes_of(10, 2 * chunk, false), (std::vector<Node>{{chunk - 10, chunk}}));
    EXPECT_EQ(nodes_of(10, chunk, false), (std::vector<Node>{}));
}

TEST(TreeNodes, TheLastChunkMayBeShorter) {
    EXPECT_EQ(nodes_of(0, 5, false), (std::vector<Node>{}));
    EXPECT_EQ(nodes_of(0, 5, true), (std::vector<Node>{{0, 5}}));
    EXPECT_EQ(nodes_of(0, kNodeChunk + 5, true), (std::vector<Node>{{0, kNodeChunk}, {kNodeChunk, 5}}));
    EXPECT_EQ(nodes_of(1, 5, true), (std::vector<Node>{})) << "its chunk begins before the piece";
    EXPECT_EQ(nodes_of(1, kNodeChunk - 1, true), (std::vector<Node>{}));
}

TEST(TreeNodes, AreEmptyForAnEmptyPiece) {
    for (const std::uint32_t offset : {0u, 1u, 16384u, ~0u})
        for (const bool last : {false, true}) EXPECT_EQ(nodes_of(offset, 0, last).size(), 0u) << offset;
}

TEST(TreeNodes, AreBoundedForPiecesOfAnySize) {
    EXPECT_LE(node_count(1, ~std::uint64_t{0}, true), 300u);
    const std::vector<Node> nodes = nodes_of(0, kMaxPieceElements, false);
    EXPECT_EQ(nodes.size(), 256u);
    EXPECT_EQ(nodes[0].count, std::uint64_t{1} << 32) << "offsets count modulo 2^32";
}

}  // namespace
}  // namespace tegu
