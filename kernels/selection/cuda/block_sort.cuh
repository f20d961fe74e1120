// SPDX-License-Identifier: Apache-2.0
// Sorts the pairs that a block has collected: a bitonic network in shared memory.
#pragma once

#include "kernels/selection/cuda/block.cuh"

namespace tegu {
namespace cuda {

// Pads the pairs to a power of two for block_sort, with pairs that sort last. Returns that size.
template <class U>
TEGU_DEVICE unsigned block_fill(U* keys, std::uint64_t* indices, unsigned count) {
    unsigned size = 1;
    while (size < count) size *= 2;
    for (unsigned i = count + thread_index(); i < size; i += block_threads()) {
        keys[i] = static_cast<U>(~U{0});
        indices[i] = ~std::uint64_t{0};
    }
    return size;
}

// One comparison of the network: pair `number` of those whose indices differ by `stride`.
template <class U, bool Indexed>
TEGU_DEVICE void compare_pairs(U* keys, std::uint64_t* indices, unsigned number, unsigned run,
                               unsigned stride) {
    const unsigned low = 2 * number - (number & (stride - 1));
    const unsigned high = low + stride;
    const U low_key = keys[low], high_key = keys[high];
    const std::uint64_t low_index = Indexed ? indices[low] : 0, high_index = Indexed ? indices[high] : 0;
    const bool ascending = (low & run) == 0;
    if (is_behind(low_key, low_index, high_key, high_index) != ascending) return;
    keys[low] = high_key;
    keys[high] = low_key;
    if (!Indexed) return;
    indices[low] = high_index;
    indices[high] = low_index;
}

// Sorts pairs in shared memory by (key, index), or keys only. REQUIRES: size is a power of two. Equal entries
// may change order. Comparisons within a warp's lanes stay in a part that one warp owns, so that only this
// warp waits.
template <class U, bool Indexed>
TEGU_DEVICE void block_sort(U* keys, std::uint64_t* indices, unsigned size) {
    const unsigned pairs = size / 2;
    block_barrier();
    for (unsigned run = 2; run <= size; run *= 2) {
        unsigned stride = run / 2;
        for (; stride > kWarpLanes; stride /= 2) {
            for (unsigned number = thread_index(); number < pairs; number += block_threads())
                compare_pairs<U, Indexed>(keys, indices, number, run, stride);
            block_barrier();
        }
        for (unsigned first = warp_index() * kWarpLanes; first < pairs; first += block_threads()) {
            for (unsigned s = stride; s > 0; s /= 2) {
                if (first + lane_index() < pairs)
                    compare_pairs<U, Indexed>(keys, indices, first + lane_index(), run, s);
                warp_barrier();
            }
        }
        if (run > kWarpLanes) block_barrier();
    }
    block_barrier();
}

// Writes the first k different keys of sorted pairs to a segment's entries, fills the missing entries, and
// writes the count. All threads call it.
template <class U>
TEGU_DEVICE void block_write_distinct(const U* keys, const std::uint64_t* indices, unsigned count,
                                      const KeySegments& in, const SelectionOutput& output,
                                      std::uint64_t number) {
    U* const values = static_cast<U*>(output.values) + number * output.k;
    std::uint64_t* const out_indices = output.indices + number * output.k;
    std::uint64_t found = 0;
    for (unsigned base = 0; base < count; base += block_threads()) {
        const unsigned i = base + thread_index();
        const bool taken = i < count && (i == 0 || keys[i] != keys[i - 1]);
        std::uint32_t total;
        const std::uint64_t to = found + block_sum_before<std::uint32_t>(taken ? 1 : 0, &total);
        if (taken && to < output.k) {
            values[to] = decode_key(keys[i], static_cast<U>(in.flip), in.is_float);
            out_indices[to] = indices[i];
        }
        found += total;
    }
    if (found > output.k) found = output.k;
    for (std::uint64_t i = found + thread_index(); i < output.k; i += block_threads()) {
        values[i] = 0;
        out_indices[i] = ~std::uint64_t{0};
    }
    if (thread_index() == 0) output.counts[number] = found;
}

}  // namespace cuda
}  // namespace tegu
