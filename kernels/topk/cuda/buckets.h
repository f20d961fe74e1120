// SPDX-License-Identifier: Apache-2.0
// Buckets of survivors, for more results than one block can sort. Entries of the sample divide the survivors,
// so buckets are of similar sizes for any values. A block then reads only the buckets of its slice of the
// results.
#pragma once

#include "kernels/topk/cuda/topk.h"

namespace tegu {
namespace cuda {

constexpr unsigned kBucketEntries = 4;  // of the sample, in each bucket: more make sizes more similar
constexpr unsigned kMaxBuckets = 512 / kBucketEntries + 1;

// A bucket has pairs behind its predecessor's bound, up to its own. The last one ends at the cut.
struct SurvivorBuckets {
    void* keys;                    // [segments, count, capacity] of the width
    std::uint64_t* indices;        // [segments, count, capacity]
    void* bound_keys;              // [segments, count] of the width
    std::uint64_t* bound_indices;  // [segments, count]
    std::uint32_t* sizes;          // [segments, count + 1], and a ticket; zero before and after
    std::uint64_t capacity;        // less than 2^32
    unsigned count;                // of a segment; 0: none
};

// Sets count and capacity for the survivors of a cut in a sample of n elements. A count of 0: the buckets
// would be too large, or the sample has no such cut.
SurvivorBuckets choose_buckets(const GroupedSample& sample, std::uint64_t n);

// Writes the best k of the survivors of each segment to the output. state.survivors and `seen` get the number
// of survivors, or all ones where a bucket is full. Writes no result where that is not between k and the
// capacity of the lists. Two launches. REQUIRES: filtered.minima has keys; not output.distinct; count <=
// 65535.
LaunchStatus launch_select_buckets(const KeySegments& in, const FilteredSegments& filtered,
                                   const SurvivorBuckets& buckets, const SelectionOutput& output,
                                   const SelectionConfig& config);

}  // namespace cuda
}  // namespace tegu
