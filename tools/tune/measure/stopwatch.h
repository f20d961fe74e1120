// SPDX-License-Identifier: Apache-2.0
// Stopwatch: the time of work on a stream. CUDA devices use events on the stream; tests with a simulated
// device pass their own implementation.
#pragma once

#include <memory>

#include "base/result.h"
#include "kernels/device/gpu.h"

namespace tegu::tune {

class Stopwatch {
  public:
    virtual ~Stopwatch() = default;
    // Errors of both: DeviceLost.
    virtual Result<void> start(device::Stream stream) = 0;
    // Microseconds since start(), when all work of the stream until now is done. Waits for that.
    virtual Result<double> stop(device::Stream stream) = 0;
};

// Makes one for the current device of the calling thread. Errors: DeviceLost, OutOfMemory.
Result<std::unique_ptr<Stopwatch>> make_stopwatch(device::Gpu& gpu);

}  // namespace tegu::tune
