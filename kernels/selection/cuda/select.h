// SPDX-License-Identifier: Apache-2.0
// Shared by the kernels that select by key: segments of elements, and the state of one selection. A key is an
// unsigned integer as wide as the element; the better element has the smaller key (docs/numerics.md,
// "Top-k").
#pragma once

#include <cstdint>

#include "kernels/execution/cuda/pieces.h"
#include "kernels/execution/cuda/segments.h"

namespace tegu {
namespace cuda {

// Segments as keys of a width.
struct KeySegments : Segments {
    std::uint64_t flip;  // XORed to a key in ascending order
    unsigned width;      // bytes of an element: 1, 2, 4 or 8
    bool is_float;
};

// The state of the selection of one segment, in device memory. The cut is the pair (key, index): a pair is
// unique, so elements up to the cut survive also if many are equal.
struct SelectState {
    std::uint64_t key;  // the cut
    std::uint64_t index;
    std::uint64_t survivors;  // pairs up to the cut, also those that exceed the capacity
    std::uint64_t found;      // results: fewer than k only with `distinct`
    std::uint64_t best;       // the smallest key that survives
};

// Bytes of a pair in the shared memory of a block.
constexpr std::size_t pair_bytes(unsigned width) {
    return sizeof(std::uint64_t) + width;
}
// The first of max, max / 2, ... whose entries fit a block. each, fixed: bytes of an entry, and of the rest.
inline unsigned capacity_of_block(unsigned max, std::size_t each, std::size_t fixed,
                                  const DeviceLimits& limits) {
    while (max > 32 && max * each + fixed > limits.shared_bytes_per_block) max /= 2;
    return max;
}

// The output of the pairs (key, index) that survive in each segment.
struct PairLists {
    void* keys;              // [count, capacity] of the width
    std::uint64_t* indices;  // [count, capacity]
    std::uint64_t capacity;
};

// The entries of a result, k for each segment, best first.
struct SelectionOutput {
    void* values;            // [count, k] elements
    std::uint64_t* indices;  // [count, k]
    std::uint64_t* counts;   // [count], or null
    std::uint64_t k;
    bool distinct;  // each value once; missing entries have value 0 and index -1
};

}  // namespace cuda
}  // namespace tegu
