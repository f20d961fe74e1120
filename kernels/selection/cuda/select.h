// SPDX-License-Identifier: Apache-2.0
// What the kernels that select by key share: segments of elements, and the state of one selection. A key
// is an unsigned integer as wide as the element, the better element has the smaller one (docs/numerics.md,
// "Top-k"); with the index behind it no two pairs are equal. So a cut is a pair: what is not above it
// survives, however many elements are equal. Kernels exist for the four widths; where it costs nothing,
// whether keys are of floats is an argument.
#pragma once

#include <cstdint>

#include "kernels/execution/cuda/launch.h"

namespace tegu {
namespace cuda {

// Segments of n elements each, one behind the other or rows with gaps.
struct Segments {
    const void* data;     // of the first; aligned to the element
    std::uint64_t count;  // how many
    std::uint64_t n;      // elements of each
    std::uint64_t step;   // elements from one to the next
    std::uint64_t cols;   // element i lies at i / cols * stride + i % cols; cols >= n where it has no gaps
    std::uint64_t stride;
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
    void* keys;              // [count, room] of the width
    std::uint64_t* indices;  // [count, room]
    std::uint64_t room;
};

// The entries of a result, k a segment, best first.
struct TopkOutput {
    void* values;            // [count, k] elements
    std::uint64_t* indices;  // [count, k]
    std::uint64_t* counts;   // [count], or null
    std::uint64_t k;
    bool distinct;  // each value once; what is missing is value 0 and index -1
};

// How a launch over many pairs is cut into several, so that what runs can be stopped in between.
struct Pieces {
    std::uint64_t most;  // pairs of a launch, of all segments together
    LaunchStatus (*between)(
        void* with);  // called between the launches of one kernel; not 0: ends them, and is what they return
    void* with;
};

// Calls launch_some(first, count) for units [0, total) of `pairs` pairs each, in pieces.
template <class Launch>
LaunchStatus in_pieces(const Pieces& pieces, std::uint64_t total, std::uint64_t pairs, Launch launch_some) {
    const std::uint64_t most = pieces.most > pairs ? pieces.most / pairs : 1;
    LaunchStatus status = 0;
    for (std::uint64_t first = 0; first < total && status == 0; first += most) {
        if (first != 0) status = pieces.between(pieces.with);
        if (status == 0) status = launch_some(first, total - first < most ? total - first : most);
    }
    return status;
}

}  // namespace cuda
}  // namespace tegu
