// SPDX-License-Identifier: Apache-2.0
// GpuMeter: functions for measurements beyond device::Gpu: events, and the driver's attributes of a kernel.
// One of two sources is built: with CUDA or without.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "kernels/execution/cuda/launch.h"
#include "tools/field/record.h"

namespace tegu::field {

class GpuMeter {
  public:
    virtual ~GpuMeter() = default;
    virtual Result<void> begin(cuda::Stream stream) = 0;
    // Waits for the work between; returns seconds.
    virtual Result<double> end(cuda::Stream stream) = 0;
    // As the functions of GpuLab.
    virtual Result<KernelFacts> facts(const void* function, unsigned threads,
                                      std::size_t dynamic_shared_bytes) = 0;
    virtual Result<KernelFacts> facts(const std::string& kernel, unsigned threads) = 0;

    // Makes the meter of the current device, which has these limits. Without CUDA: Unavailable.
    static Result<std::unique_ptr<GpuMeter>> create(const cuda::DeviceLimits& limits);
};

}  // namespace tegu::field
