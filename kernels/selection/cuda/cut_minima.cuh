// SPDX-License-Identifier: Apache-2.0
// Finds a cut among the entries of a sample in groups. A block halves the range of keys and counts at a
// barrier: each step is some forty cycles, and most cuts need about a dozen.
#pragma once

#include "kernels/selection/cuda/cut_minima.h"
#include "kernels/selection/cuda/sample_position.cuh"
#include "kernels/selection/cuda/sort_key.cuh"

namespace tegu {
namespace cuda {

// The index of a pair of the sample. Increases with its number.
TEGU_DEVICE std::uint64_t sampled_index(const GroupMinima& minima, std::uint32_t number) {
    return std::uint64_t{number} * minima.part + (number < minima.longer ? number : minima.longer) +
           position_in_part(number, minima.part);
}

// The smallest T of [low, high] that at least `rank` of the threads hold or exceed; `upto`: how many do for
// `high`, and then for the result. Ends early where at most `enough` do. valid: the thread has a value.
template <class T>
TEGU_DEVICE T block_bisect(T value, bool valid, T low, T high, const GroupedSample& sample,
                           std::uint32_t before, std::uint32_t* upto) {
    TEGU_NO_UNROLL
    while (low<high&& * upto> sample.enough) {
        const T middle = static_cast<T>(low + (high - low) / 2);
        const std::uint32_t count =
            before + static_cast<std::uint32_t>(block_count(valid && value <= middle));
        if (count >= sample.rank) {
            high = middle;
            *upto = count;
        } else {
            low = static_cast<T>(middle + 1);
        }
    }
    return high;
}

// Gives all threads the cut of a segment: at least `rank` entries are not behind it. Where keys repeat, it
// lies among the indices of one key. REQUIRES: block_threads() >= sample.groups.
template <class U>
TEGU_DEVICE void block_minima_cut(const GroupMinima& minima, std::uint64_t segment, U* key,
                                  std::uint64_t* index) {
    const GroupedSample& sample = minima.sample;
    *key = static_cast<U>(~U{0});
    *index = ~std::uint64_t{0};
    if (sample.rank > sample.groups) return;
    const bool valid = thread_index() < sample.groups;
    const std::uint64_t entry = segment * sample.groups + (valid ? thread_index() : 0);
    const U own = static_cast<const U*>(minima.keys)[entry];
    const std::uint32_t number = minima.numbers[entry];
    std::uint32_t upto = sample.groups;
    *key = block_bisect<U>(own, valid, U{0}, *key, sample, 0, &upto);
    if (upto <= sample.enough) return;
    const bool tied = valid && own == *key;
    const std::uint32_t before = upto - static_cast<std::uint32_t>(block_count(tied));
    const std::uint32_t last = sample.groups * sample.each - 1;
    *index = sampled_index(minima, block_bisect<std::uint32_t>(number, tied, 0, last, sample, before, &upto));
}

}  // namespace cuda
}  // namespace tegu
