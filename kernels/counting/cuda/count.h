// SPDX-License-Identifier: Apache-2.0
// How histogram and entropy launches count small keys: the lines of segments, the teams that count them, and
// the memory of the counters. The shape is a pure function of job, policy and device. Counts have no order,
// so the shape changes no bit of a result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/execution/cuda/launch.h"
#include "kernels/execution/cuda/segments.h"

namespace tegu {
namespace cuda {

struct CountPolicy {
    // a multiple of 32, 32..512; larger where the counters of a block allow only few blocks
    unsigned threads_per_block;
    unsigned copies;  // of the counters of a block, at most one a warp
    unsigned waves;   // number of blocks: this many times the resident blocks
    // of a block: at least 4 KiB, at most the device's maximum; other counters lie in global memory
    std::size_t shared_bytes;
    // bytes that one launch reads, for each multiprocessor: splits a long job so that it can be stopped
    std::uint64_t launch_bytes;
    // segments of at least this many elements use separate counters for each lane of a warp, as far as memory
    // allows; 0: all do
    std::uint64_t lane_elements;
    // workspace, and host memory, of a batch of many segments
    std::uint64_t batch_bytes;

    friend constexpr bool operator==(const CountPolicy& a, const CountPolicy& b) {
        return a.threads_per_block == b.threads_per_block && a.copies == b.copies && a.waves == b.waves &&
               a.shared_bytes == b.shared_bytes && a.launch_bytes == b.launch_bytes &&
               a.lane_elements == b.lane_elements && a.batch_bytes == b.batch_bytes;
    }
};
constexpr CountPolicy kDefaultCountPolicy{512, 8, 1, 200 << 10, 32 << 20, 1 << 18, 64 << 20};

// A stretch, the unit of a warp: this many packs of 16 bytes of a line. The first one includes the elements
// before and after the packs.
constexpr unsigned kCountThreads = 1024;  // of a block at most
constexpr unsigned kCountInFlight = 4;    // packs that a lane loads at once: its part of a stretch
constexpr unsigned kCountStretchPacks = 32 * kCountInFlight;
constexpr unsigned kCountStretchBytes = 16 * kCountStretchPacks;

// A line is a part of a segment without gaps: the whole segment, or a row of it.
inline std::uint64_t count_stretches_of_line(const Segments& input, std::size_t element_bytes) {
    const std::uint64_t packs = input.cols * element_bytes / 16;
    return packs == 0 ? 1 : (packs + kCountStretchPacks - 1) / kCountStretchPacks;
}
inline std::uint64_t count_stretches(const Segments& input, std::size_t element_bytes) {
    return input.lines() * count_stretches_of_line(input, element_bytes);
}

struct CountShape {
    unsigned threads;     // of a block
    bool by_warp;         // a team is a warp, else a block
    bool shared;          // counters in shared memory, added to global ones at the end; else only global ones
    bool table;           // the rule's table lies in shared memory
    unsigned copies;      // of the counters of a team
    unsigned columns;     // copies by lane: lane l uses column l % columns; a power of two; 0: copies by warp
    unsigned slices;      // of the counters: separate teams count each, and all read the elements
    std::uint32_t slice;  // counters of each
    unsigned team_bytes;  // shared memory of a team
    unsigned blocks;
    std::uint64_t segments;  // of a launch; 1 if it takes only a part of one segment's stretches
    std::uint64_t at_once;   // stretches of a segment that a launch takes
    std::uint64_t parts;     // teams that share them
    std::uint64_t part;      // stretches of each part, or a warp's round more

    unsigned teams_per_block() const { return by_warp ? threads / 32 : 1; }
    // Returns whether several teams or launches add to the same counters, which then start at 0.
    bool adds(std::uint64_t stretches) const { return !shared || parts > 1 || at_once < stretches; }
};

struct CountWorkload {
    Segments input;
    std::size_t element_bytes;
    std::uint64_t slots;        // counters of a segment
    bool values;                // keys are the values of bytes
    bool fast;                  // most elements need no table
    std::uint64_t extra;        // counters beyond `slots` that fast rules use
    std::uint64_t rule_bytes;   // that a team holds beside counters; too many: no counters are shared
    std::uint64_t table_bytes;  // of the rule; may be 0
    bool search;  // an element's key may take a search in the table, or among what it would hold
    std::uint64_t result_cost;  // other cost of a segment, as bytes read in the same time
};

CountShape choose_count_shape(const CountWorkload& work, const CountPolicy& policy,
                              const DeviceLimits& limits);

// The part of a job that one launch counts: segments [first, first + count), and in each at most
// shape.at_once stretches from `stretch` on.
struct CountRange {
    std::uint64_t first;
    std::uint64_t count;
    std::uint64_t stretch;
};

// Sums of several teams or launches: 0 before, and left 0. Then counts need no clearing.
struct CountTotals {
    std::uint64_t* sums;     // [shape.segments, slots], or null
    std::uint32_t* tickets;  // [shape.segments]
};
struct CountLaunch {
    Segments input;
    std::size_t element_bytes;
    CountShape shape;
    CountRange range;
    Stream stream;
    CountTotals totals;
};
struct CountTarget {
    std::uint64_t* counts;  // [segments, slots]; 0 before the first launch where totals are needed but null
    double* edges;          // of bins, [segments, slots + 1], or null
};
// What converts elements to keys: one rule for all segments, or one for each.
template <class Rule>
struct CountRules {
    Rule one;
    const Rule* each;  // [segments] on the device, or null: `one` is used
};

// Clears `count` counters on the stream.
LaunchStatus zero_counters(std::uint64_t* counters, std::uint64_t count, Stream stream);
// Counts the values of 8-bit elements, by their bits: counts [segments, 256]. One launch.
LaunchStatus launch_count_bytes(const CountLaunch& launch, std::uint64_t* counts);

}  // namespace cuda
}  // namespace tegu
