// SPDX-License-Identifier: Apache-2.0
// Cuts: pairs (key, index) behind which a selection drops everything, found from a sample or by counting.
// Also the policy of all selections.
#pragma once

#include "kernels/selection/cuda/select.h"

namespace tegu {
namespace cuda {

struct SelectionPolicy {
    unsigned block_threads;  // of a block that selects and sorts: a multiple of 32, 32..1024
    // maximum of pairs that such a block sorts in shared memory: a power of two; fewer where shared memory is
    // small
    unsigned capacity;
    unsigned sample;  // pairs of the sample for a cut: up to held_pairs() for each thread of a block
    std::uint64_t block_elements;  // longest segment that a block selects from
    unsigned filter_threads;       // a multiple of 32, up to 512
    unsigned waves;                // blocks of passes over the elements: this many times the resident blocks
    // elements in a tile of a block of kernels/selection/cuda/sort.h: a multiple of 256, up to 8192
    unsigned sort_tile;
    unsigned slice = 64;                  // results of a block that sorts
    unsigned warp_results = 48;           // maximum that a warp selects from a short segment, one by one
    std::uint64_t piece_pairs = 1 << 22;  // that a multiprocessor counts or moves in one launch: milliseconds

    friend constexpr bool operator==(const SelectionPolicy& a, const SelectionPolicy& b) {
        return a.block_threads == b.block_threads && a.capacity == b.capacity && a.sample == b.sample &&
               a.block_elements == b.block_elements && a.filter_threads == b.filter_threads &&
               a.waves == b.waves && a.sort_tile == b.sort_tile && a.slice == b.slice &&
               a.warp_results == b.warp_results && a.piece_pairs == b.piece_pairs;
    }
};
constexpr SelectionPolicy kDefaultSelectionPolicy{1024, 8192, 8192, 32768, 512, 1, 8192, 64, 48, 1 << 22};
using SelectionConfig = LaunchConfig<SelectionPolicy>;

// Pairs of a sample that a thread holds in registers.
constexpr unsigned held_pairs(unsigned width) {
    return width == 8 ? 8 : 12;
}

// Pairs of a sample of n. Longer segments have more: fewer survivors then save more than a larger sample
// costs.
std::uint64_t sample_size(std::uint64_t n, unsigned width, const SelectionPolicy& policy,
                          const DeviceLimits& limits);
// The last rank in a sorted sample for a cut behind the best `rank` pairs.
constexpr std::uint64_t loosest_rank(std::uint64_t rank, std::uint64_t sample) {
    return rank + rank / 4 < sample ? rank + rank / 4 : rank;
}

struct SampleCut {
    std::uint64_t sample;  // a sample_size()
    std::uint64_t rank;    // from 1 to `sample`
    SelectState* states;   // [count]
};
// Writes all of each state: a cut behind the best `rank` pairs of a sample of its segment, at most behind
// loosest_rank() of them. Samples are random within equal parts of the segment. One launch.
LaunchStatus launch_sample_cut(const KeySegments& in, const SampleCut& cut, const SelectionConfig& config);

constexpr std::uint64_t kCutWords = 2048 + 8;
struct ExactCut {
    std::uint64_t k;
    std::uint64_t max;       // k or more
    SelectState* states;     // [count]
    std::uint64_t* bins;     // [count, kCutWords], zero before and after
    std::uint32_t* tickets;  // [count], likewise
};
// As launch_sample_cut(), by counting all elements, so that between k and `max` pairs survive. Makes about
// one launch for each 11-bit digit of a key and an index; each reads the elements. REQUIRES: 1 <= k <= n.
LaunchStatus launch_exact_cut(const KeySegments& in, const ExactCut& cut, const Pieces& pieces,
                              const SelectionConfig& config);

}  // namespace cuda
}  // namespace tegu
