// SPDX-License-Identifier: Apache-2.0
// What the kernels that select by key share: segments of elements, and the state of one selection. A key
// is an unsigned integer as wide as the element, the better element has the smaller one (docs/numerics.md,
// "Top-k"); with the index behind it no two pairs are equal. So a cut is a pair: what is not above it
// survives, however many elements are equal. Kernels exist for the four widths; where it costs nothing,
// whether keys are of floats is an argument.
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

// One for each segment, in device memory.
struct SelectState {
    std::uint64_t key;  // the cut
    std::uint64_t index;
    std::uint64_t survivors;  // pairs that are not above it, also of those for which there was no room
    std::uint64_t found;      // results: fewer than k with `distinct` alone
    std::uint64_t best;       // the smallest key that survives
};

// Where the pairs (key, index) of the survivors of each segment go.
struct PairLists {
    void* keys;              // [count, capacity] of the width
    std::uint64_t* indices;  // [count, capacity]
    std::uint64_t capacity;
};

// The entries of a result, k a segment, best first.
struct SelectionOutput {
    void* values;            // [count, k] elements
    std::uint64_t* indices;  // [count, k]
    std::uint64_t* counts;   // [count], or null
    std::uint64_t k;
    bool distinct;  // each value once; what is missing is value 0 and index -1
};

}  // namespace cuda
}  // namespace tegu
