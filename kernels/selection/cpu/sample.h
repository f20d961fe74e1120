// SPDX-License-Identifier: Apache-2.0
// The beginning of every selection: the tiles of a segment, and a sample of its keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/execution/cpu/segment.h"
#include "kernels/execution/cpu/worker_group.h"
#include "kernels/selection/cpu/scan.h"

namespace tegu::kernels::selection {

// Elements that one call of a scan kernel gets; with gaps, they are copied first.
constexpr std::uint64_t kTile = 8192;
constexpr std::uint64_t kTask = 4 * kTile;  // elements that a worker takes at a time
constexpr unsigned kDigitBits = 11;         // of an exact search for a key

inline std::uint64_t tasks_of(std::uint64_t n) {
    return blocks_of(n, kTask);
}
// Bytes of a part of working memory.
inline std::uint64_t round_up(std::uint64_t bytes) {
    return kernels::round_up(bytes, 64);
}

const ScanKernels& scan_kernels(ElementType type);

// The keys of a spread sample, sorted: one element from each of `count` stretches of the segment. Its
// position is random and differs between processes: no period in the data and no input made for it meets the
// sample. `keys` has capacity for 2 * count; the result lies in it. Null if a stop was requested.
// REQUIRES: 1 <= count <= elements of the segment.
const std::uint64_t* take_sample(const Segment& segment, const ScanKernels& kernels, std::uint64_t flip,
                                 std::uint64_t count, std::uint64_t* keys, const WorkerGroup& workers);

}  // namespace tegu::kernels::selection
