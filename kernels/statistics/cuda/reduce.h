// SPDX-License-Identifier: Apache-2.0
// launch_reduce: any set of statistics of one segment, or of many (the rows of an array), in one pass over
// the data (docs/numerics.md). A team of warps reduces one group: consecutive tiles of one segment.
#pragma once

#include <cstdint>

#include "base/element_type.h"
#include "kernels/execution/cuda/launch.h"
#include "kernels/execution/cuda/segments.h"
#include "kernels/statistics/cuda/shape.h"

namespace tegu {
namespace cuda {

// The statistics, in the order of their numbers (base/statistic.h).
enum ReduceColumn : unsigned {
    kColumnCount,
    kColumnSum,
    kColumnMean,
    kColumnMin,
    kColumnMax,
    kColumnMinmax,
    kColumnArgmin,
    kColumnArgmax,
    kColumnAbsmax,
    kColumnL1,
    kColumnL2,
    kColumnVar,
    kColumnStd,
    kColumnNonzero,
    kColumnNans,
    kReduceColumns
};

// The kernel for a set of statistics. Few kernels are compiled; a set uses the smallest that computes all of
// it.
enum class ReduceKind : std::uint8_t {
    Sum,      // count, sum, mean, nans; l1 of unsigned integers
    Moments,  // those, l2, var, std
    Order,    // those of Sum, the extremes and their positions, nonzero
    All,
};

struct ReduceTarget {
    // element r of a column: the result of segment r; null: not requested. Minmax: two values a segment.
    void* column[kReduceColumns];
    std::uint64_t n;  // number of elements, for the statistics
    bool skip_nans;
    std::uint32_t ddof;
    // The sums of a node, of one segment: moments of floats, 4 words, or sums of integers, 7 words, as in
    // kernels/statistics/nodes.h. Null: not requested.
    std::uint64_t* node;
    unsigned node_needs;  // NodeNeed bits, for integers
};

enum NodeNeed : unsigned { kNodeNeedsSum = 1, kNodeNeedsL1 = 2, kNodeNeedsSquares = 4 };

// Size of a group's partial result for the block that closes the segment.
constexpr std::size_t kReducePartialBytes = 128;

struct ReduceWork {
    // [segments of the launch * partials] of kReducePartialBytes, 8-byte aligned; all 0 when the tickets are.
    // Not used with one group.
    void* partials;
    // [segments of the launch * tickets], 0 before the first launch of a segment and 0 after its last. Not
    // used with one group.
    std::uint32_t* tickets;
    // [segments of the launch] of kReducePartialBytes, 16-byte aligned: the ReduceTotal of each segment whose
    // sum or l1 does not fit. Null: all fit. Integers only.
    void* totals;
    // one word, 0 before: gets the complement of the first segment whose sum or l1 does not fit. Not used
    // without totals.
    std::uint64_t* overflow;
};

// The part of a job that one launch computes: segments [first, first + count). If these have several groups,
// groups [first_group, first_group + group_count) of each.
struct ReduceRange {
    std::uint64_t first;
    std::uint64_t count;
    std::uint64_t first_group;
    std::uint64_t group_count;
};

// What all launches of a job share.
struct ReduceLaunch {
    ElementType type;
    ReduceKind kind;
    const Segments& input;
    const ReduceTarget& target;
    const ReduceWork& work;
    const ReduceShape& shape;
};
// One launch. Results are complete after every group of a segment was launched once. REQUIRES: range.count *
// range.group_count < 2^31.
LaunchStatus launch_reduce(const ReduceLaunch& reduce, const ReduceRange& range, Stream stream);

// The workload for choose_reduce_shape(): the tiles of the kernel for this type and set.
ReduceWorkload reduce_workload(ElementType type, ReduceKind kind, std::uint64_t segments, std::uint64_t n);

// The exact results of a segment of integers, as two's complement little-endian limbs.
struct ReduceTotal {
    std::uint64_t sum[2];
    std::uint64_t zeros;
    std::uint64_t l1[2];
    std::uint64_t squares[3];
    // sign-extended, sign bit inverted: unsigned order is the order of the elements, signed or not
    std::uint64_t min;
    std::uint64_t max;
    std::uint64_t min_at;  // index of the first
    std::uint64_t max_at;
};
static_assert(sizeof(ReduceTotal) <= kReducePartialBytes, "a total fits a partial's slot");

}  // namespace cuda
}  // namespace tegu
