// SPDX-License-Identifier: Apache-2.0
// The entropy_map method for large windows. Windows slide to the left and to the right from one in the
// middle. Shared memory has the change of every level from each window to the next.
#pragma once

#include "kernels/entropy_map/cuda/entropy_map.h"
#include "kernels/entropy_map/cuda/plane.h"

namespace tegu {
namespace cuda {

constexpr unsigned kColumnsResident = 768;  // threads of a multiprocessor, limited by registers

// Results of a warp in a row.
unsigned entropy_columns_across(const EntropyWindow& window);
// Threads of a block at most.
unsigned entropy_columns_threads(const EntropyWindow& window);
// Dynamic shared memory of a block.
std::size_t entropy_columns_bytes(const EntropyWindow& window, unsigned threads);

// Up to 16 lanes share a window, each follows four levels at a time. Of more than 64 levels, those without a
// pixel around a warp's windows are left out. So the cost depends on levels, but hardly on the window.
// REQUIRES: shape.columns is entropy_columns_across(); shape.threads is a multiple of 32 up to
//           entropy_columns_threads().
LaunchStatus launch_entropy_columns(const EntropyMapJob& job, const EntropyPiece& piece,
                                    const EntropyPlane& plane, Stream stream);

}  // namespace cuda
}  // namespace tegu
