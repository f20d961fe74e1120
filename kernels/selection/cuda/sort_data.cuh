// SPDX-License-Identifier: Apache-2.0
// Shared by the kernels of a sort: its parameters, and the digits of keys.
#pragma once

#include "kernels/execution/cuda/simt.cuh"
#include "kernels/selection/cuda/sort.h"

namespace tegu {
namespace cuda {

// The parameters of both kernels.
struct SortData {
    KeySegments in;
    SortBuffers buffers;
    SurvivorBuffers survivors;
    const SelectState* states;
    SelectionOutput output;
    unsigned tiles;     // of a segment with `capacity` pairs
    unsigned counters;  // sort_counter_words()

    TEGU_DEVICE bool of_survivors() const { return survivors.indices != nullptr; }
    TEGU_DEVICE std::uint64_t size() const {
        if (!of_survivors()) return buffers.capacity;
        const std::uint64_t kept = states[block_y()].survivors;
        return kept < buffers.capacity ? kept : buffers.capacity;
    }
    template <class U>
    TEGU_DEVICE U* keys(unsigned buffer) const {
        return static_cast<U*>(buffers.keys[buffer]) + block_y() * buffers.capacity;
    }
    TEGU_DEVICE std::uint32_t* origins(unsigned buffer) const {
        return buffers.origins[buffer] + block_y() * buffers.capacity;
    }
    TEGU_DEVICE SortPlan* plan() const { return buffers.plans + block_y(); }
    TEGU_DEVICE std::uint32_t* counts() const {
        return buffers.counters + std::uint64_t{block_y()} * counters;
    }
    TEGU_DEVICE std::uint32_t* tickets() const { return counts() + in.width * kSortDigits; }
};

template <class U>
TEGU_DEVICE unsigned digit_of(U key, unsigned digit) {
    return static_cast<unsigned>(key >> (8 * digit)) % kSortDigits;
}

// Makes the plans of all segments, and copies the keys of all elements to keys[0] first. One launch.
LaunchStatus launch_sort_count(const SortJob& job, const SortData& data, const SelectionConfig& config);

}  // namespace cuda
}  // namespace tegu
