// SPDX-License-Identifier: Apache-2.0
// The launches of top-k (docs/numerics.md, "Top-k"). Few results of
//   short segments  come from one warp a segment, which takes them one after the other, or from one block:
//                    it narrows the range of keys until little is left, collects and sorts it;
//   long ones        from a cut: a pair (key, index) from a sample, so far behind that almost surely the k
//                    best pairs survive it and few others do, whatever the values are and however often they
//                    repeat; one pass over the elements keeps the survivors, blocks sort a slice each. The
//                    host sees from their number whether the cut was good; if not, cuts are found by
//                    counting, which reads the elements several times.
// Many results are sorted by kernels/selection/cuda/sort.h.
#pragma once

#include "kernels/selection/cuda/cut.h"

namespace tegu {
namespace cuda {

// Of a block of passes over the elements.
inline unsigned filter_threads_of(const SelectionPolicy& policy, const DeviceLimits& limits) {
    const unsigned max = limits.max_threads(512);
    return policy.filter_threads < max ? policy.filter_threads : max;
}
// Pairs of a width that one block of the device can sort: a power of two, at most policy.capacity.
unsigned block_capacity(unsigned width, const SelectionPolicy& policy, const DeviceLimits& limits);

// The best k of each segment to the output. One launch.
// REQUIRES: 1 <= output.k <= n; output.k <= capacity; with output.distinct n <= capacity;
//           capacity <= block_capacity(); count <= 2^31 - 1.
LaunchStatus launch_select_blocks(const KeySegments& in, const SelectionOutput& output, unsigned capacity,
                                  const SelectionPolicy& policy, const DeviceLimits& limits, Stream stream);

// The same by warps, for few results of short segments. One launch. REQUIRES: width <= 4; 1 <= output.k <= n
// <= kWarpElements; count <= 2^31 - 1.
constexpr unsigned kWarpElements = 256;
LaunchStatus launch_select_rows(const KeySegments& in, const SelectionOutput& output, Stream stream);

// The survivors of the cuts among elements [begin, end), in any order; state.survivors grows by their number,
// state.best falls to the smallest key. One launch.
// REQUIRES: begin < end <= n; end - begin <= 2^31; count <= 65535.
LaunchStatus launch_filter(const KeySegments& in, std::uint64_t begin, std::uint64_t end, SelectState* states,
                           const PairLists& lists, const SelectionPolicy& policy, const DeviceLimits& limits,
                           Stream stream);

// The best k of the survivors of each segment to the output; nothing where they are fewer than k or more
// than the lists have room for. One launch. seen: [count] gets the numbers of survivors, or null.
// REQUIRES: capacity <= block_capacity(); not output.distinct; count <= 65535.
LaunchStatus launch_select_survivors(const KeySegments& in, const SelectState* states, const PairLists& lists,
                                     const SelectionOutput& output, unsigned capacity,
                                     const SelectionPolicy& policy, const DeviceLimits& limits, Stream stream,
                                     std::uint64_t* seen = nullptr);

// --- different values

// As block_capacity(), for the launches below.
unsigned distinct_capacity(unsigned width, const SelectionPolicy& policy, const DeviceLimits& limits);

// All of each state: a cut at the k-th different key of a sample_size() of its segment; behind all keys
// where it is not found. One launch.
// REQUIRES: 4 * k <= capacity <= distinct_capacity().
LaunchStatus launch_distinct_cut(const KeySegments& in, std::uint64_t sample, std::uint64_t k,
                                 unsigned capacity, SelectState* states, const SelectionPolicy& policy,
                                 Stream stream);

// Pairs among elements [begin, end) with keys up to the cut, those that repeat mostly left out, but never
// the first of a key. One launch.
// REQUIRES: as launch_filter(), and n < 2^32 - 1.
LaunchStatus launch_distinct_filter(const KeySegments& in, std::uint64_t begin, std::uint64_t end,
                                    SelectState* states, const PairLists& lists,
                                    const SelectionPolicy& policy, const DeviceLimits& limits, Stream stream);

// The best k different keys of the lists to the output; or state.found becomes all ones where one block
// cannot tell them. One launch. `kept`: work space as the lists.
// REQUIRES: lists.capacity < 2^32 - 1; capacity as in launch_distinct_cut().
LaunchStatus launch_distinct_survivors(const KeySegments& in, SelectState* states, const PairLists& lists,
                                       const PairLists& kept, const SelectionOutput& output,
                                       unsigned capacity, const SelectionPolicy& policy, Stream stream);

}  // namespace cuda
}  // namespace tegu
