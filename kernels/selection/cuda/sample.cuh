// SPDX-License-Identifier: Apache-2.0
// A sample of a segment that a block holds in registers.
#pragma once

#include "kernels/selection/cuda/block.cuh"
#include "kernels/selection/cuda/cut.h"
#include "kernels/selection/cuda/sample_position.cuh"

namespace tegu {
namespace cuda {

// A sample of one segment as a source of kernels/selection/cuda/block.cuh: each thread holds its pairs.
template <class U>
struct HeldSample {
    static constexpr unsigned kPairs = held_pairs(sizeof(U));
    SampleSpread spread;
    U keys[kPairs];

    TEGU_DEVICE std::uint64_t index(std::uint64_t i) const { return spread.index(i); }
    TEGU_DEVICE HeldSample(const KeyedSegment<U>& segment, std::uint64_t count) : spread(segment.n, count) {
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairs; ++j) {
            const std::uint64_t i = j * block_threads() + thread_index();
            keys[j] = segment.bits(i < count ? index(i) : 0);
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairs; ++j) keys[j] = segment.key_of(keys[j]);
    }
};
template <class U, class Body>
TEGU_DEVICE void for_each_pair(const HeldSample<U>& source, std::uint64_t count, Body body) {
    TEGU_UNROLL
    for (unsigned j = 0; j < source.kPairs; ++j) {
        const std::uint64_t i = j * block_threads() + thread_index();
        body(i, source.keys[j], i < count);
    }
}

}  // namespace cuda
}  // namespace tegu
