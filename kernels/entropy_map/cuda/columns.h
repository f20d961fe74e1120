// SPDX-License-Identifier: Apache-2.0
// The entropy_map method for large windows and many levels. Windows slide to the right, each shared by 16
// lanes. Shared memory has the change of every level from each window to the next.
#pragma once

#include "kernels/entropy_map/cuda/entropy_map.h"
#include "kernels/entropy_map/cuda/plane.h"

namespace tegu {
namespace cuda {

constexpr unsigned kColumnsThreads = 192;  // of a block at most
constexpr unsigned kColumnsLanes = 16;     // that share a window
constexpr unsigned kColumnsStep = 16;      // results that a group of lanes computes together

// Results of a group of lanes in a row, a multiple of kColumnsStep. The shared memory of a block of this many
// threads limits them; 0: it is too small.
unsigned entropy_columns_stretch(const EntropyWindow& window, unsigned threads, std::size_t shared_bytes);
// Dynamic shared memory of a block.
std::size_t entropy_columns_bytes(const EntropyWindow& window, unsigned stretch, unsigned threads);

// Each lane follows four levels at a time. Levels without a pixel around a group's windows are left out, 64
// at a time. So the cost depends on the content, but hardly on the window.
// REQUIRES: 33 levels or more; shape.columns is a stretch that fits, shape.threads a multiple of 32 up to
//           kColumnsThreads.
LaunchStatus launch_entropy_columns(const EntropyMapJob& job, const EntropyPiece& piece,
                                    const EntropyPlane& plane, Stream stream);

}  // namespace cuda
}  // namespace tegu
