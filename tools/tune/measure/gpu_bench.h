// SPDX-License-Identifier: Apache-2.0
// A GPU as a Bench: inputs and outputs in device memory, times by a Stopwatch. It uses device::Gpu, so it
// also works on the test device.
#pragma once

#include "kernels/device/gpu.h"
#include "tools/tune/measure/bench.h"

namespace tegu::tune {

// `gpu` outlives it. `memory_bytes`: of the device, that one job's copies may take.
// Errors: those of the device.
Result<std::unique_ptr<Bench>> make_gpu_bench(device::Gpu& gpu, std::uint64_t memory_bytes);

}  // namespace tegu::tune
