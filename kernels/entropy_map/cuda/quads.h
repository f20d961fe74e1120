// SPDX-License-Identifier: Apache-2.0
// The method of entropy_map for square windows of up to 15 rows that pairs do not take. A thread slides four
// adjacent windows down. A word of shared memory has their counts of one level, a byte each.
#pragma once

#include "kernels/entropy_map/cuda/entropy_map.h"
#include "kernels/entropy_map/cuda/plane.h"

namespace tegu {
namespace cuda {

constexpr unsigned kQuadsColumns = 4;    // results of a thread in a row
constexpr unsigned kQuadsThreads = 256;  // of a block at most: each needs many registers
constexpr unsigned kQuadsReadRows = 9;   // of the largest window whose pixels may be read without a plane

// Odd squares up to 15x15.
bool entropy_quads_supports(const EntropyWindow& window);
// Returns whether the pixels are levels, in whole words, so that they are read instead of a plane. Then
// pieces begin at multiples of kQuadsColumns.
bool entropy_quads_read(const EntropyMapImage& image, const EntropyWindow& window);
// Dynamic shared memory of a block.
std::size_t entropy_quads_bytes(const EntropyWindow& window, unsigned threads);

// A step down exchanges window.cols + 3 pixels for four results.
// REQUIRES: entropy_quads_supports(job.window), threads up to kQuadsThreads, their bytes fit a block.
LaunchStatus launch_entropy_quads(const EntropyMapJob& job, const EntropyPiece& piece,
                                  const EntropyPlane& plane, Stream stream);

}  // namespace cuda
}  // namespace tegu
