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

#include "kernels/selection/cuda/select.h"

namespace tegu {
namespace cuda {

struct TopkPolicy {
    unsigned block_threads;  // of a block that selects and sorts: a multiple of 32, 32..1024
    // pairs that such a block sorts in shared memory at most: a power of two; fewer where shared memory is
    // small
    unsigned room;
    unsigned sample;  // pairs that a cut is found from: up to held_pairs() for each thread of a block
    std::uint64_t block_elements;  // longest segment that a block selects from
    unsigned filter_threads;       // a multiple of 32, up to 512
    unsigned waves;  // blocks of passes over the elements: this many times what is resident at once
    // elements that a block of kernels/selection/cuda/sort.h takes at a time: a multiple of 256, up to 4096
    unsigned sort_tile;
    unsigned slice = 64;                  // results of a block that sorts
    unsigned warp_results = 48;           // that a warp takes of a short segment, one after the other
    std::uint64_t piece_pairs = 1 << 22;  // that a multiprocessor counts or moves in one launch: milliseconds

    friend constexpr bool operator==(const TopkPolicy& a, const TopkPolicy& b) {
        return a.block_threads == b.block_threads && a.room == b.room && a.sample == b.sample &&
               a.block_elements == b.block_elements && a.filter_threads == b.filter_threads &&
               a.waves == b.waves && a.sort_tile == b.sort_tile && a.slice == b.slice &&
               a.warp_results == b.warp_results && a.piece_pairs == b.piece_pairs;
    }
};
constexpr TopkPolicy kDefaultTopkPolicy{1024, 8192, 8192, 32768, 512, 1, 4096, 64, 48, 1 << 22};
// Of a block of passes over the elements.
inline unsigned filter_threads_of(const TopkPolicy& policy, const DeviceLimits& limits) {
    // of whose registers a block may have half
    const unsigned most = limits.compute_capability < 70 ? 256 : 512;
    return policy.filter_threads < most ? policy.filter_threads : most;
}
// Pairs of a sample that a thread holds in registers.
constexpr unsigned held_pairs(unsigned width) {
    return width == 8 ? 8 : 12;
}

// Pairs of a width that one block of the device can sort: a power of two, at most policy.room.
unsigned block_room(unsigned width, const TopkPolicy& policy, const DeviceLimits& limits);

// The best k of each segment to the output. One launch.
// REQUIRES: 1 <= output.k <= n; output.k <= room; with output.distinct n <= room; room <= block_room(); count
//           <= 2^31 - 1.
LaunchStatus launch_select_blocks(const Segments& in, const TopkOutput& output, unsigned room,
                                  const TopkPolicy& policy, const DeviceLimits& limits, Stream stream);

// The same by warps, for few results of short segments. One launch. REQUIRES: width <= 4; 1 <= output.k <= n
// <= kWarpElements; count <= 2^31 - 1.
constexpr unsigned kWarpElements = 256;
LaunchStatus launch_select_rows(const Segments& in, const TopkOutput& output, Stream stream);

// Pairs of a sample of n: more of long segments, where fewer survivors save more than a larger sample costs.
std::uint64_t sample_size(std::uint64_t n, unsigned width, const TopkPolicy& policy);
// The last place of a sorted sample that a cut behind the best `place` pairs may lie behind.
constexpr std::uint64_t loosest_place(std::uint64_t place, std::uint64_t sample) {
    return place + place / 4 < sample ? place + place / 4 : place;
}
// All of each state: a cut behind the best `place` pairs (from 1) of a sample_size() of its segment, and at
// most behind loosest_place() of them. Samples lie evenly, but at chance within equal parts. One launch.
// REQUIRES: 1 <= place <= sample. With memory several blocks take the sample of each segment, where `place`
// is one of the first: keys [count, sample] of the width, tickets [count], zero before and after. Of values
// that repeat, that cut may be behind more.
struct SampleMemory {
    void* keys;
    std::uint32_t* tickets;
};
LaunchStatus launch_sample_cut(const Segments& in, std::uint64_t sample, std::uint64_t place,
                               SelectState* states, const SampleMemory& memory, const TopkPolicy& policy,
                               Stream stream);

// Two cuts of one segment, states[0] behind `first` and states[1] behind `second`: at least `place` pairs of
// the sample, at most `enough`. One launch.
// REQUIRES: in.count == 1; 1 <= place <= enough <= sample.
struct SamplePlaces {
    std::uint64_t place;
    std::uint64_t enough;
};
LaunchStatus launch_sample_cuts(const Segments& in, std::uint64_t sample, const SamplePlaces& first,
                                const SamplePlaces& second, SelectState* states, const TopkPolicy& policy,
                                Stream stream);

// The same by counting all elements, so that between k and `most` pairs survive. About as many launches as a
// key and an index have digits of 11 bits; each reads the elements. `bins`: [count, kCutWords] u64,
// `tickets`: [count] u32, zero before and after. REQUIRES: 1 <= k <= most, k <= n.
constexpr std::uint64_t kCutWords = 2048 + 8;
LaunchStatus launch_exact_cut(const Segments& in, std::uint64_t k, std::uint64_t most, SelectState* states,
                              std::uint64_t* bins, std::uint32_t* tickets, const TopkPolicy& policy,
                              const Pieces& pieces, const DeviceLimits& limits, Stream stream);

// The survivors of the cuts among elements [begin, end), in any order; state.survivors grows by their number,
// state.best falls to the smallest key. One launch.
// REQUIRES: begin < end <= n; end - begin <= 2^31; count <= 65535.
LaunchStatus launch_filter(const Segments& in, std::uint64_t begin, std::uint64_t end, SelectState* states,
                           const PairLists& lists, const TopkPolicy& policy, const DeviceLimits& limits,
                           Stream stream);

// The best k of the survivors of each segment to the output; nothing where they are fewer than k or more
// than the lists have room for. One launch. seen: [count] gets the numbers of survivors, or null.
// REQUIRES: room <= block_room(); not output.distinct; count <= 65535.
LaunchStatus launch_select_survivors(const Segments& in, const SelectState* states, const PairLists& lists,
                                     const TopkOutput& output, unsigned room, const TopkPolicy& policy,
                                     const DeviceLimits& limits, Stream stream,
                                     std::uint64_t* seen = nullptr);

// --- different values

// As block_room(), for the launches below.
unsigned distinct_room(unsigned width, const TopkPolicy& policy, const DeviceLimits& limits);

// All of each state: a cut at the k-th different key of a sample_size() of its segment; behind all keys
// where it is not found. One launch.
// REQUIRES: 4 * k <= room <= distinct_room().
LaunchStatus launch_distinct_cut(const Segments& in, std::uint64_t sample, std::uint64_t k, unsigned room,
                                 SelectState* states, const TopkPolicy& policy, Stream stream);

// Pairs among elements [begin, end) with keys up to the cut, those that repeat mostly left out, but never
// the first of a key. One launch.
// REQUIRES: as launch_filter(), and n < 2^32 - 1.
LaunchStatus launch_distinct_filter(const Segments& in, std::uint64_t begin, std::uint64_t end,
                                    SelectState* states, const PairLists& lists, const TopkPolicy& policy,
                                    const DeviceLimits& limits, Stream stream);

// The best k different keys of the lists to the output; or state.found becomes all ones where one block
// cannot tell them. One launch. `kept`: work space as the lists. REQUIRES: lists.room < 2^32 - 1; room as in
// launch_distinct_cut().
LaunchStatus launch_distinct_survivors(const Segments& in, SelectState* states, const PairLists& lists,
                                       const PairLists& kept, const TopkOutput& output, unsigned room,
                                       const TopkPolicy& policy, Stream stream);

}  // namespace cuda
}  // namespace tegu
