// SPDX-License-Identifier: Apache-2.0
// A tiny job that tells whether a GPU still computes: its result is known.
#pragma once

#include "kernels/device/gpu_runner.h"

namespace tegu::device {

// Sums a few thousand numbers the way that jobs go: copied, computed, brought back. Where there is no memory
// for that just now, or the device does not compute sums, it has at least answered. Errors: DeviceLost;
// Internal: the sum is wrong. The thread of the runner.
Result<void> probe_gpu(GpuRunner& runner);

}  // namespace tegu::device
