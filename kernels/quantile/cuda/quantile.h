// SPDX-License-Identifier: Apache-2.0
// The launches of quantile (docs/numerics.md, "Quantiles"): order statistics of segments, as ascending keys.
//
//   short segments   a warp sorts each one, or a block if it is longer. For few statistics, one block narrows
//                    the range of keys until few are left around each statistic.
//   few quantiles    a sample gives a range of keys for each; one pass lists the keys inside. The search
//   of a long one    fails if the sample misled, or if NaN are left out.
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
    std::uint64_t window_elements = 256;     // longer segments are narrowed
    std::uint64_t piece_elements = 1 << 23;  // that a multiprocessor counts in one launch: milliseconds
    // shortest segment in which few quantiles are searched in ranges from a sample
    std::uint64_t bracket_elements = 1 << 17;

    friend constexpr bool operator==(const QuantilePolicy& a, const QuantilePolicy& b) {
        return a.block_threads == b.block_threads && a.capacity == b.capacity &&
               a.count_threads == b.count_threads && a.waves == b.waves && a.shared_bins == b.shared_bins &&
               a.warp_elements == b.warp_elements && a.windows == b.windows &&
               a.window_elements == b.window_elements && a.piece_elements == b.piece_elements &&
               a.bracket_elements == b.bracket_elements;
    }
};
constexpr QuantilePolicy kDefaultQuantilePolicy{1024, 8192, 512, 1, 16384, 256, 8, 256, 1 << 23, 1 << 17};

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

// Methods, as tegu::QuantileMethod.
constexpr unsigned kLinearQuantile = 0, kLowerQuantile = 1, kHigherQuantile = 2, kNearestQuantile = 3,
                   kMidpointQuantile = 4;
// Quantiles that are passed with the launch.
constexpr unsigned kFewQuantiles = 16;

// The quantiles of each segment, and where their results go.
struct QuantileOutput {
    void* results;  // [count, quantiles], doubles or elements, as the method has it
    std::uint64_t quantiles;
    const double* more;  // [quantiles] in device memory; null: the first of `few`
    double few[kFewQuantiles];
    unsigned method;
    bool skip_nans;
};
// A block sorts each segment. One launch. REQUIRES: n <= quantile_capacity(); count <= 2^31 - 1.
LaunchStatus launch_quantile_blocks(const KeySegments& in, const QuantileOutput& output,
                                    const QuantileConfig& config);
// As launch_quantile_blocks(), by warps. REQUIRES: n <= kWarpQuantileElements; width <= 4; count <= 2^31 - 1.
LaunchStatus launch_quantile_rows(const KeySegments& in, const QuantileOutput& output,
                                  const QuantileConfig& config);
// As launch_quantile_blocks(), by blocks that narrow. REQUIRES: n < 2^32 - 1; count <= 2^31 - 1.
LaunchStatus launch_quantile_windows(const KeySegments& in, const QuantileOutput& output,
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

// The search of few quantiles of one long segment, each within a range of keys from a sample. Ranges that
// overlap become one: a group.
constexpr unsigned kBracketQuantiles = 7;
constexpr double kCutSigmas = 4;  // of the sample's rank, on both sides of the expected one
// Classes of keys: below the first group's range, then at its lower end, inside, at its upper end, behind it,
// and so on. Keys behind a range are below the next one.
constexpr unsigned kBracketClasses = 4 * kBracketQuantiles + 1;
struct BracketRange {
    std::uint64_t low;
    std::uint64_t high;
    std::uint64_t first;  // bins of the listed keys divide [first, last]; the sample has no key outside
    std::uint64_t last;
};
struct alignas(16) BracketGroup {
    BracketRange range;
    alignas(16) std::uint32_t bins[2048];  // of keys inside: these are listed
};
struct BracketQuantile {
    BracketRange range;
    std::uint32_t group;
    std::uint32_t near;  // listed keys in the bins of the statistics
};
// Device memory. The first launch writes it.
struct BracketMemory {
    std::uint64_t listed;
    std::uint64_t nans;  // 1 if there is a NaN
    std::uint32_t groups;
    std::uint32_t ticket;
    std::uint64_t counts[kBracketClasses];
    BracketQuantile quantiles[kBracketQuantiles];
    BracketGroup group[kBracketQuantiles];
};
struct Bracket {
    BracketMemory* memory;
    void* sampled;  // [sample] keys
    std::uint32_t sample;
    void* list;  // [capacity] keys
    std::uint64_t capacity;
    void* near;  // [quantiles, near_capacity] keys
    std::uint32_t near_capacity;
};
// Three steps: two launches, one that may be cut into ranges, and one. The last one writes the quantiles, and
// status[i] = 1 for each that is right: not where a sample misled, or where NaN are left out. REQUIRES:
// in.count == 1; output.quantiles <= kBracketQuantiles; the same output and bracket in all steps.
std::uint32_t bracket_sample(std::uint64_t n, unsigned wanted, const QuantileConfig& config);
LaunchStatus launch_bracket_cuts(const KeySegments& in, const QuantileOutput& output, const Bracket& bracket,
                                 const QuantileConfig& config);
LaunchStatus launch_bracket_filter(const KeySegments& in, const ElementRange& range,
                                   const QuantileOutput& output, const Bracket& bracket,
                                   const QuantileConfig& config);
LaunchStatus launch_bracket_finish(const KeySegments& in, const QuantileOutput& output,
                                   const Bracket& bracket, std::uint32_t* status,
                                   const QuantileConfig& config);

}  // namespace cuda
}  // namespace tegu
