// SPDX-License-Identifier: Apache-2.0
// The launches of quantile (docs/numerics.md, "Quantiles"): order statistics of segments, as ascending keys.
//
//   short segments   a warp sorts each one, or a block if it is longer. For few statistics, one block narrows
//                    the range of keys until few are left around each statistic.
//   one statistic    searched between two cuts from a sample (kernels/selection/cuda/cut.h); one pass keeps
//   of a long one    the keys in between. The search fails if the sample misled or if there are NaNs.
//   other long ones  counted digit by digit, from the highest. After each pass the host finds the bin of each
//                    statistic, and the next pass counts the next digit in these bins. All statistics of a
//                    segment, and several segments, share the passes.
#pragma once

#include "kernels/selection/cuda/select.h"

namespace tegu {
namespace cuda {

struct QuantilePolicy {
    unsigned block_threads;  // of a block that sorts: a multiple of 32, 32..1024
    // maximum of keys that such a block sorts: a power of two; fewer where shared memory is small
    unsigned capacity;
    unsigned count_threads;  // of a block that counts: a multiple of 32, 32..1024
    unsigned waves;          // number of blocks that count: this many times the resident blocks
    // maximum of bins that a block counts in shared memory: a multiple of 2048; fewer where shared memory is
    // small
    unsigned shared_bins;
    unsigned warp_elements = 256;            // longest segment that a warp sorts: up to kWarpQuantileElements
    unsigned windows = 8;                    // maximum that a block finds by narrowing; more: it sorts
    std::uint64_t window_elements = 1024;    // longer segments are narrowed
    std::uint64_t piece_elements = 1 << 23;  // that a multiprocessor counts in one launch: milliseconds
    // shortest segment in which one quantile is searched between two cuts
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

using QuantileConfig = LaunchConfig<QuantilePolicy>;

constexpr unsigned kWarpQuantileElements = 256;
constexpr unsigned kQuantileDigitBits = 11;
constexpr unsigned kMaxQuantileLevels = 8;
constexpr std::uint16_t kNoNode = 0xffff;

// The maximum of keys of a width that one block of the device can sort: a power of two, at most
// policy.capacity.
unsigned quantile_capacity(unsigned width, const QuantilePolicy& policy, const DeviceLimits& limits);
// The maximum of bins that one block of the device can count in shared memory: at most policy.shared_bins.
unsigned quantile_shared_bins(const QuantilePolicy& policy, const DeviceLimits& limits);

// Ranks of statistics, and the output of their keys.
struct BlockQuantiles {
    const std::uint64_t* ranks;  // [quantiles], or [count, quantiles] if each segment has its own
    bool own_ranks;
    std::uint64_t quantiles;
    std::uint64_t* pairs;  // [count, quantiles, 2]: the keys at the rank and at the next one
    std::uint64_t* nans;   // [count]
};
// A block sorts each segment. One launch. REQUIRES: n <= quantile_capacity(); count <= 2^31 - 1.
LaunchStatus launch_quantile_blocks(const KeySegments& in, const BlockQuantiles& quantiles,
                                    const QuantileConfig& config);
// As launch_quantile_blocks(), by warps. REQUIRES: n <= kWarpQuantileElements; width <= 4; count <= 2^31 - 1.
LaunchStatus launch_quantile_rows(const KeySegments& in, const BlockQuantiles& quantiles,
                                  const QuantileConfig& config);
// As launch_quantile_blocks(), by blocks that narrow. Any n. REQUIRES: count <= 2^31 - 1.
LaunchStatus launch_quantile_windows(const KeySegments& in, const BlockQuantiles& quantiles,
                                     const QuantileConfig& config);

// The digits to count, and the nodes of a tree above them. The root is node 0 at level 0; each node has a
// child for some values of its digit.
struct QuantileLevels {
    unsigned depth;                      // the level that is counted
    unsigned shift[kMaxQuantileLevels];  // bits of the key below its digit
    unsigned bits[kMaxQuantileLevels];   // bits of its digit, up to kQuantileDigitBits
    unsigned nodes[kMaxQuantileLevels];  // maximum for a segment
    // above depth: [count, nodes, 2^bits] nodes of the next level, or kNoNode
    const std::uint16_t* children[kMaxQuantileLevels];
};
// The counts of the level `levels.depth`.
struct QuantileCounts {
    const KeySegments& in;
    const QuantileLevels& levels;
    std::uint64_t* counts;  // [count, nodes, 2^bits]
    std::uint64_t* nans;    // [count]: the number of NaN, for floats at level 0; else 0
};
// Two memory operations and one launch. REQUIRES: count <= 65535. Children may have any content: a value not
// below nodes[level + 1] counts as kNoNode.
LaunchStatus launch_quantile_counts(const QuantileCounts& count, const Pieces& pieces,
                                    const QuantileConfig& config);

// Device memory of the search between two cuts of one segment; zero at first.
struct BracketTarget {
    std::uint64_t low;  // the statistic's key, once found
    std::uint64_t high;
    std::uint64_t before;
    std::uint64_t found;  // 0 or 1
};
struct BracketMemory {
    SelectState states[2];     // the cuts; survivors: pairs up to the first, and pairs between them
    BracketTarget targets[2];  // the statistic at a rank, and at the next one
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
// Lists the keys between the cuts among the elements of a range, in any order, and counts them. One launch.
// REQUIRES: in.count == 1; begin < end <= n.
LaunchStatus launch_bracket_filter(const KeySegments& in, const ElementRange& range, const Bracket& bracket,
                                   const QuantileConfig& config);
// Finds the keys at `rank` and at the next one, if they are in the list. Makes one launch for each 11-bit
// digit of a key; each reads the list.
LaunchStatus launch_bracket_narrow(unsigned width, const Bracket& bracket, std::uint64_t rank,
                                   const QuantileConfig& config);

}  // namespace cuda
}  // namespace tegu
