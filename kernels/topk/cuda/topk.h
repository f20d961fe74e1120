// SPDX-License-Identifier: Apache-2.0
// The launches of top-k (docs/numerics.md, "Top-k"). kernels/selection/cuda/sort.h sorts many results. For
// few results:
//
//   short segments  one warp takes the results one by one. For longer ones, one block narrows the range of
//                   keys until few are left, then collects and sorts them.
//   long segments   a sample gives a cut, a pair (key, index). It is so far behind that almost surely the k
//                   best pairs survive and few others, for any values and any repetitions. One pass over the
//                   elements keeps the survivors; each block sorts a slice of the results. If the number of
//                   survivors shows the host that the cut was bad, counting finds a new one: it reads the
//                   elements several times.
#pragma once

#include "kernels/selection/cuda/cut_minima.h"

namespace tegu {
namespace cuda {

// Threads of a block in passes over the elements.
inline unsigned filter_threads_of(const SelectionPolicy& policy, const DeviceLimits& limits) {
    const unsigned max = limits.max_threads(512);
    return policy.filter_threads < max ? policy.filter_threads : max;
}
// The maximum of pairs of a width that one block of the device can sort: a power of two, at most
// policy.capacity.
unsigned block_capacity(unsigned width, const SelectionPolicy& policy, const DeviceLimits& limits);

// Writes the best k of each segment to the output. One launch. REQUIRES: 1 <= output.k <= n; output.k <=
// block_capacity(); with output.distinct n <= block_capacity(); count <= 2^31 - 1.
LaunchStatus launch_select_blocks(const KeySegments& in, const SelectionOutput& output,
                                  const SelectionConfig& config);

// As launch_select_blocks(), by warps, for few results of short segments. One launch. REQUIRES: width <= 4; 1
// <= output.k <= n <= kWarpElements; count <= 2^31 - 1.
constexpr unsigned kWarpElements = 256;
LaunchStatus launch_select_rows(const KeySegments& in, const SelectionOutput& output, Stream stream);
// The same where few results pass a bound. REQUIRES: can_select_best_rows(); not output.distinct.
bool can_select_best_rows(const KeySegments& in, std::uint64_t k);
LaunchStatus launch_select_best_rows(const KeySegments& in, const SelectionOutput& output, Stream stream);

// As launch_select_blocks(), with one read of memory. One launch. safe_rank: a rank in a segment_sample()
// that is almost surely behind the best k; not used where a block holds a segment. REQUIRES: 1 <= output.k <=
// n; not output.distinct; can_select_segments(); count <= 2^31 - 1.
std::uint64_t segment_sample(unsigned width, const SelectionPolicy& policy);
bool can_select_segments(const KeySegments& in, std::uint64_t k, std::uint64_t safe_rank,
                         const SelectionConfig& config);
LaunchStatus launch_select_segments(const KeySegments& in, const SelectionOutput& output,
                                    std::uint64_t safe_rank, const SelectionConfig& config);

// What a filter keeps of some segments.
struct FilteredSegments {
    SelectState* states;  // [count]
    PairLists lists;
    PairLists spare;      // of different values: workspace of the lists' size
    std::uint64_t* seen;  // [count] visible to the host, gets the numbers of survivors; or null
    GroupMinima minima;   // where the cuts lie; without keys and boards: the states have them
};
// Whether launch_filter() of all elements should take this sample by itself, with boards.
bool filter_samples(const KeySegments& in, const GroupedSample& sample, const SelectionConfig& config);
// Lists the survivors of the cuts among elements of a range, in any order. Adds their number to
// state.survivors and merges the smallest key into state.best; with boards, into these. One launch.
// REQUIRES: begin < end <= n; end - begin <= 2^31; count <= 65535.
LaunchStatus launch_filter(const KeySegments& in, const ElementRange& range, const FilteredSegments& filtered,
                           const SelectionConfig& config);

// Writes the best k of the survivors of each segment to the output. Writes nothing where they are fewer than
// k or exceed the capacity of the lists. Leaves boards zero. One launch. REQUIRES: output.k <=
// block_capacity(); not output.distinct; count <= 65535.
LaunchStatus launch_select_survivors(const KeySegments& in, const FilteredSegments& filtered,
                                     const SelectionOutput& output, const SelectionConfig& config);

// --- different values

// As block_capacity(), for the launches below. They need 4 * k <= distinct_capacity().
unsigned distinct_capacity(unsigned width, const SelectionPolicy& policy, const DeviceLimits& limits);

// Writes all of each state: a cut at the k-th different key of a sample_size() of its segment; behind all
// keys where it is not found. One launch.
LaunchStatus launch_distinct_cut(const KeySegments& in, std::uint64_t k, SelectState* states,
                                 const SelectionConfig& config);

// Lists pairs of a range with keys up to the cut. Drops most repeated keys, but never the first of a key. One
// launch. REQUIRES: as launch_filter(), and n < 2^32 - 1.
LaunchStatus launch_distinct_filter(const KeySegments& in, const ElementRange& range,
                                    const FilteredSegments& filtered, const SelectionConfig& config);

// Writes the best k different keys of the lists to the output. Sets state.found to all ones where one block
// cannot determine them; `seen` gets the number of results, or all ones. One launch. REQUIRES: lists.capacity
// < 2^32 - 1.
LaunchStatus launch_distinct_survivors(const KeySegments& in, const FilteredSegments& filtered,
                                       const SelectionOutput& output, const SelectionConfig& config);

// The best of each block on the way to a few different values.
constexpr unsigned kFewDistinct = 32;
struct FewDistinct {
    void* keys;              // [count, blocks + 1, kFewDistinct] of the width
    std::uint32_t* indices;  // [count, blocks + 1, kFewDistinct + 1]
    std::uint32_t* tickets;  // [count], zero before and after
    unsigned blocks;         // of a segment: few_distinct_blocks()
};
unsigned few_distinct_blocks(std::uint64_t n, std::uint64_t count, const DeviceLimits& limits);
// Takes the elements of a range to the best k different values; call it for adjacent ranges in order. The
// last range writes the output, and the numbers of results to `seen` where not null. One launch. REQUIRES: k
// <= kFewDistinct; begin < end <= n < 2^32 - 1; count <= 65535.
LaunchStatus launch_few_distinct(const KeySegments& in, const ElementRange& range, const FewDistinct& lists,
                                 const SelectionOutput& output, std::uint64_t* seen,
                                 const SelectionConfig& config);

}  // namespace cuda
}  // namespace tegu
