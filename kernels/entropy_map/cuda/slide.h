// SPDX-License-Identifier: Apache-2.0
// The method of entropy_map for every window and number of levels. Each thread keeps the histograms of a few
// adjacent windows in shared memory, with their counts of one level in one word.
#pragma once

#include "kernels/entropy_map/cuda/entropy_map.h"
#include "kernels/entropy_map/cuda/plane.h"

namespace tegu {
namespace cuda {

// Results of a thread in a row: 4 or 2 where the histograms of enough threads fit shared memory, else 1.
unsigned entropy_slide_columns(const EntropyWindow& window, const DeviceLimits& limits);
// Dynamic shared memory of a block.
std::size_t entropy_slide_bytes(const EntropyWindow& window, unsigned columns, unsigned threads);

// The windows slide down. A pixel that enters or leaves changes all histograms at once, and the sum of F by
// differences of the table.
// REQUIRES: columns is 1, or 4 for windows of up to 255 pixels, or 2 for larger ones; threads up to 512.
LaunchStatus launch_entropy_slide(const EntropyMapJob& job, const EntropyPiece& piece,
                                  const EntropyPlane& plane, Stream stream);

}  // namespace cuda
}  // namespace tegu
