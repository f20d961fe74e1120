// SPDX-License-Identifier: Apache-2.0
// The positions at which a segment is cut, on every backend. docs/numerics.md defines the tree of a float sum
// over tiles and chunks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/tree_nodes.h"

namespace tegu::kernels {

constexpr std::size_t kTileElements = 1024;
constexpr std::size_t kChunkElements = 16 * kTileElements;

static_assert(kChunkElements == kNodeChunk, "the smallest node of a partial is a chunk");

// The last chunk may be shorter.
inline std::uint64_t chunks_of(std::uint64_t n) {
    return n / kChunkElements + (n % kChunkElements != 0);
}

}  // namespace tegu::kernels
