// SPDX-License-Identifier: Apache-2.0
// The launches of quantile (docs/numerics.md, "Quantiles"): order statistics of segments, as ascending
// keys.
//   short segments  are sorted by a warp each, longer ones by a block each, or, for few statistics, looked
//                    through by one: it narrows the range of keys until little is left around each
//                    statistic;
//   one statistic of a long one is looked for between two cuts from a sample (selection/cuda/cut.h): one
//   pass keeps what lies between; it is not found there if
//                    the sample misled, or NaN are not among the elements;
//   long ones        are counted digit by digit from the highest on. After a pass the host knows in which bin
//                    each wanted statistic lies; the next pass counts the next digit in these bins alone. All
//                    statistics of a segment, and several segments, share the passes.
#pragma once

#include "kernels/selection/cuda/select.h"

namespace tegu {
namespace cuda {

struct QuantilePolicy {
    unsigned block_threads;  // of a block that sorts: a multiple of 32, 32..1024
    // keys that such a block sorts at most: a power of two; fewer where shared memory is small
    unsigned capacity;
    unsigned count_threads;  // of a block that counts: a multiple of 32, 32..1024
    unsigned waves;          // blocks that count: this many times what is resident at once
    // bins that a block counts in shared memory at most: a multiple of 2048; fewer where shared memory is
    // small
    unsigned shared_bins;
    unsigned warp_elements = 256;            // longest segment that a warp sorts: up to kWarpQuantileElements
    unsigned windows = 8;                    // quantiles that a block finds by narrowing; more are sorted
    std::uint64_t window_elements = 1024;    // above which it does
    std::uint64_t piece_elements = 1 << 23;  // that a multiprocessor counts in one launch: milliseconds
    // shortest segment in which one quantile is looked for between two cuts
    std::uint64_t bracket_elements = 1 << 17;

    friend constexpr bool operator==(const QuantilePolicy& a, const QuantilePolicy& b) {
        return a.block_threads == b.block_threads && a.capacity == b.capacity &&
               a.count_threads == b.count_threads && a.waves == b.waves && a.shared_bins == b.shared_bins &&
               a.warp_elements == b.warp_elements && a.windows == b.windows &&
               a.window_elements == b.window_elements && a.piece_elements == b.piece_elements &&
               a.bracket_elements == b.bracket_elements;
    }
};
constexpr QuantilePolicy kDefaultQuantilePolicy{1024, 8192, 512, 1, 16384, 256, 8, 1024, 1 << 23, 1 << 17};

constexpr unsigned kWarpQuantileElements = 256;
constexpr unsigned kQuantileDigitBits = 11;
constexpr unsigned kMaxQuantileLevels = 8;
constexpr std::uint16_t kNoNode = 0xffff;

// Keys of a width that one block of the device can sort: a power of two, at most policy.capacity.
unsigned quantile_capacity(unsigned width, const QuantilePolicy& policy, const DeviceLimits& limits);
// Bins that one block of the device can count in shared memory: at most policy.shared_bins.
unsigned quantile_shared_bins(const QuantilePolicy& policy, const DeviceLimits& limits);

// Places of statistics in sorted segments, and where the keys go.
struct BlockQuantiles {
    const std::uint64_t* places;  // [quantiles], or [count, quantiles] if each segment has its own
    bool own_places;
    std::uint64_t quantiles;
    std::uint64_t* pairs;  // [count, quantiles, 2]: the key at the place and the one behind it
    std::uint64_t* nans;   // [count]
};
// All sorted by blocks. One launch. REQUIRES: n <= capacity <= quantile_capacity(); count <= 2^31 - 1.
LaunchStatus launch_quantile_blocks(const KeySegments& in, const BlockQuantiles& quantiles, unsigned capacity,
                                    const QuantilePolicy& policy, Stream stream);
// The same by warps. REQUIRES: n <= kWarpQuantileElements; width <= 4; count <= 2^31 - 1.
LaunchStatus launch_quantile_rows(const KeySegments& in, const BlockQuantiles& quantiles, Stream stream);
// The same by blocks that narrow. Any n. REQUIRES: count <= 2^31 - 1.
LaunchStatus launch_quantile_windows(const KeySegments& in, const BlockQuantiles& quantiles,
                                     const QuantilePolicy& policy, const DeviceLimits& limits, Stream stream);

// The digits that are counted, and the nodes of a tree above them: node 0 at level 0, and each node has a
// child for some values of its digit.
struct QuantileLevels {
    unsigned depth;                      // the level that is counted
    unsigned shift[kMaxQuantileLevels];  // its digit lies above so many bits of the key
    unsigned bits[kMaxQuantileLevels];   // and has so many, up to kQuantileDigitBits
    unsigned nodes[kMaxQuantileLevels];  // of a segment, at most
    // above depth: [count, nodes, 2^bits] nodes of the next level, or kNoNode
    const std::uint16_t* children[kMaxQuantileLevels];
};
// counts[s, node, digit] at level depth. nans[s]: how many elements are NaN, of floats at level 0; else 0.
// Two memory operations and one launch.
// REQUIRES: count <= 65535. Children may hold anything: what is not below nodes[level + 1] counts as kNoNode.
LaunchStatus launch_quantile_counts(const KeySegments& in, const QuantileLevels& levels,
                                    std::uint64_t* counts, std::uint64_t* nans, const QuantilePolicy& policy,
                                    const Pieces& pieces, const DeviceLimits& limits, Stream stream);

// What the search between two cuts of one segment keeps in device memory, zero at first.
struct BracketTarget {
    std::uint64_t low;  // the statistic's key, where it is found
    std::uint64_t high;
    std::uint64_t before;
    std::uint64_t found;  // 0 or 1
};
struct BracketMemory {
    SelectState states[2];     // the cuts; survivors: pairs up to the first, and pairs between them
    BracketTarget targets[2];  // the statistic at a place, and the one behind it
    std::uint64_t nans;
    std::uint32_t tickets[2];
    std::uint64_t bins[2 * 2048];
};
struct Bracket {
    BracketMemory* memory;
    bool from_below;  // there is no lower cut
    void* list;       // [capacity] keys
    std::uint64_t capacity;
};
// The keys between the cuts among elements [begin, end) to the list, in any order, and the numbers. One
// launch. REQUIRES: in.count == 1; begin < end <= n.
LaunchStatus launch_bracket_filter(const KeySegments& in, std::uint64_t begin, std::uint64_t end,
                                   const Bracket& bracket, const QuantilePolicy& policy,
                                   const DeviceLimits& limits, Stream stream);
// The targets, if they are in the list. As many launches as a key has digits of 11 bits; each reads the
// list.
LaunchStatus launch_bracket_narrow(unsigned width, const Bracket& bracket, std::uint64_t place,
                                   const QuantilePolicy& policy, const DeviceLimits& limits, Stream stream);

}  // namespace cuda
}  // namespace tegu
