// SPDX-License-Identifier: Apache-2.0
// GpuEvents: a pair of events of the device, and what its driver tells of a kernel. One of two sources
// is built: with CUDA and without.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "kernels/cuda/launch.h"
#include "tools/field/record.h"

namespace tegu::field {

class GpuEvents {
  public:
    virtual ~GpuEvents() = default;
    virtual Result<void> begin(cuda::Stream stream) = 0;
    // Waits for the work between; returns seconds.
    virtual Result<double> end(cuda::Stream stream) = 0;
    virtual Result<KernelFacts> facts(const void* function, unsigned threads, std::size_t dynamic_shared_bytes,
                                      const cuda::DeviceLimits& limits) = 0;

    // Of the current device. Without CUDA: Unavailable.
    static Result<std::unique_ptr<GpuEvents>> create();
};

}  // namespace tegu::field
