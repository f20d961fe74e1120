// SPDX-License-Identifier: Apache-2.0
// The nodes of the canonical tree that lie in a piece of a segment. docs/partials.md explains them.
#pragma once

#include <cstdint>

namespace tegu {

inline constexpr std::uint64_t kNodeChunk = 16384;  // elements of a chunk, the smallest node
inline constexpr unsigned kMaxNodeLevel = 18;       // the largest node has 2^18 chunks, 2^32 elements
inline constexpr std::uint64_t kReduceNodeWords = 16;
inline constexpr std::uint64_t kDotNodeWords = 3;

// Calls visit(begin, count) for each node of a piece of n elements, in order: the largest aligned runs of
// whole chunks. `begin` is relative to the piece. `offset`: place of the piece in its segment, modulo 2^32.
// `last`: the piece ends the segment, so its last chunk may be shorter. Elements outside the nodes are at
// the ends of the piece.
template <class Visit>
void for_each_node(std::uint32_t offset, std::uint64_t n, bool last, Visit&& visit) {
    std::uint64_t begin = (kNodeChunk - offset % kNodeChunk) % kNodeChunk;
    if (begin > n) return;
    std::uint64_t chunk = (offset + begin) / kNodeChunk;
    for (std::uint64_t left = (n - begin) / kNodeChunk; left != 0;) {
        unsigned level = 0;
        while (level < kMaxNodeLevel && (chunk >> level) % 2 == 0 && left >> (level + 1) != 0) ++level;
        const std::uint64_t chunks = std::uint64_t{1} << level;
        visit(begin, chunks * kNodeChunk);
        begin += chunks * kNodeChunk;
        chunk += chunks;
        left -= chunks;
    }
    if (last && begin < n) visit(begin, n - begin);
}

// Elements of the largest piece that a job takes. It bounds the time that a plan needs.
inline constexpr std::uint64_t kMaxPieceElements = std::uint64_t{1} << 40;

// Nodes of a piece; of a piece that is too large, those of the largest.
inline std::uint64_t node_count(std::uint32_t offset, std::uint64_t n, bool last) {
    if (n > kMaxPieceElements) n = kMaxPieceElements;
    std::uint64_t count = 0;
    for_each_node(offset, n, last, [&](std::uint64_t, std::uint64_t) { ++count; });
    return count;
}

}  // namespace tegu
