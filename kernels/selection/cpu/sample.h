// SPDX-License-Identifier: Apache-2.0
// The first steps of every selection: the tiles of a segment, and a sample of its keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/execution/cpu/segment.h"
#include "kernels/execution/cpu/worker_group.h"
#include "kernels/selection/cpu/scan.h"

namespace tegu::kernels::selection {

// Elements per call of a scan kernel; elements with gaps are copied first.
constexpr std::uint64_t kTile = 8192;
constexpr std::uint64_t kTask = 4 * kTile;  // elements that a worker takes at a time
constexpr unsigned kDigitBits = 11;         // of an exact search for a key

inline std::uint64_t tasks_of(std::uint64_t n) {
    return blocks_of(n, kTask);
}
// Rounds the bytes of a part of working memory up.
inline std::uint64_t round_up(std::uint64_t bytes) {
    return kernels::round_up(bytes, 64);
}

const ScanKernels& scan_kernels(ElementType type);

// The sorted keys of a spread sample: one element from each of `count` equal stretches of the segment. Its
// position is random and differs between processes, so neither periodic nor hostile data can match the
// sample. `keys` has capacity for 2 * count; the result lies in it. Null if a stop was requested. REQUIRES: 1
// <= count <= elements of the segment.
const std::uint64_t* take_sample(const Segment& segment, const ScanKernels& kernels, std::uint64_t flip,
                                 std::uint64_t count, std::uint64_t* keys, const WorkerGroup& workers);

}  // namespace tegu::kernels::selection
