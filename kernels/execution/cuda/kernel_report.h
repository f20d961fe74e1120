// SPDX-License-Identifier: Apache-2.0
// The resources that each kernel takes on a device, as the driver reports them for the machine code that runs
// there.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kernels/execution/cuda/launch.h"

namespace tegu::cuda {

// A kernel as its operation launches it by default.
struct KernelResources {
    std::string name;        // "add_packs<f32, 2>"
    std::string moves;       // the bytes that it reads and writes, as text
    unsigned registers = 0;  // of a thread
    unsigned threads = 0;    // of a block
    unsigned max_threads = 0;
    unsigned blocks_per_multiprocessor = 0;                      // at once; 0: one block exceeds the device
    unsigned static_shared_bytes = 0, dynamic_shared_bytes = 0;  // of a block
    unsigned local_bytes = 0;  // of a thread: spilled registers, and arrays that are indexed
    unsigned constant_bytes = 0;
    unsigned architecture = 0;  // 87: its code is for sm_87
};

// The kernels of the current device, in the order of the operations; `limits` are its limits. Loads every
// kernel. Errors: those of check_cuda(). A thread that may call CUDA.
Result<std::vector<KernelResources>> kernel_resources(const DeviceLimits& limits);

}  // namespace tegu::cuda
