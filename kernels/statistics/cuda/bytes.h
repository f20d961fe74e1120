// SPDX-License-Identifier: Apache-2.0
// Statistics of one long segment of bytes from the counts of its values. The counts give every statistic but
// the positions of the extremes, for which a search reads the segment until it has met both.
#pragma once

#include "kernels/statistics/cuda/reduce.h"

namespace tegu {
namespace cuda {

struct ByteValues {
    ElementType type;             // U8 or I8
    Segments input;               // one segment
    const std::uint64_t* counts;  // [256], by the bits of the value; of all elements of `input`
    // [2], 0 before the first search: the complements of the first index of the smallest value and of the
    // largest one
    std::uint64_t* found;
};

// Searches the elements of a range. Ranges in ascending order end early. One launch.
LaunchStatus launch_find_bytes(const ByteValues& values, const ElementRange& range,
                               const DeviceLimits& limits, Stream stream);
// Writes the statistics. REQUIRES: the searches cover the segment, if a position is requested. One launch.
LaunchStatus launch_reduce_bytes(const ByteValues& values, const ReduceTarget& target, Stream stream);

}  // namespace cuda
}  // namespace tegu
