// SPDX-License-Identifier: Apache-2.0
// A small job with a known result that checks whether a GPU still computes.
#pragma once

#include "kernels/device/gpu_runner.h"

namespace tegu::device {

// Sums a few thousand numbers on the path of a normal job: copy in, compute, copy out. Success also where no
// memory is free or the device does not compute sums: the device has answered. Errors: DeviceLost; Internal:
// the sum is wrong. Runs on the thread of the runner.
Result<void> probe_gpu(GpuRunner& runner);

}  // namespace tegu::device
