// SPDX-License-Identifier: Apache-2.0
// The entropy_map method for large windows and many levels. A block keeps a histogram of each column of its
// strip in shared memory, as high as the window. A group of lanes holds the histogram of one window in
// registers, eight levels a lane.
#pragma once

#include "kernels/entropy_map/cuda/entropy_map.h"
#include "kernels/entropy_map/cuda/plane.h"

namespace tegu {
namespace cuda {

constexpr unsigned kColumnsThreads = 512;  // of a block at most
constexpr unsigned kColumnsStep = 8;       // results that a group of lanes computes together

// Lanes that share a window: 8, 16 or 32.
unsigned entropy_columns_lanes(const EntropyWindow& window);
// Results of a group of lanes in a row, a multiple of kColumnsStep. The shared memory of a block of this many
// threads limits them; 0: it is too small.
unsigned entropy_columns_stretch(const EntropyWindow& window, unsigned threads, const DeviceLimits& limits);
// Dynamic shared memory of a block.
std::size_t entropy_columns_bytes(const EntropyWindow& window, unsigned stretch, unsigned threads);

// The window slides to the right: one column enters, one leaves, and the sum of F is looked up again. The
// cost does not depend on the window.
// REQUIRES: 33 levels or more; shape.columns is a stretch that fits, shape.threads a multiple of 32 up to
//           kColumnsThreads.
LaunchStatus launch_entropy_columns(const EntropyMapJob& job, const EntropyPiece& piece,
                                    const EntropyPlane& plane, Stream stream);

}  // namespace cuda
}  // namespace tegu
