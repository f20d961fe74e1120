// SPDX-License-Identifier: Apache-2.0
// What each kernel of the backend takes of a device, as the driver says of the machine code that it would run
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
    std::string moves;       // the bytes that it reads and writes, in words
    unsigned registers = 0;  // of a thread
    unsigned threads = 0;    // of a block
    unsigned max_threads = 0;
    unsigned blocks_per_multiprocessor = 0;  // at once; 0: the device has not what one block asks for
    unsigned static_shared_bytes = 0, dynamic_shared_bytes = 0;  // of a block
    unsigned local_bytes = 0;  // of a thread: spilled registers, and arrays that are indexed
    unsigned constant_bytes = 0;
    unsigned architecture = 0;  // 87: its code is for sm_87
};

// Of the current device, whose limits these are, in the order of the operations. Loads every kernel. Errors:
// those of check_cuda(). A thread that may call CUDA.
Result<std::vector<KernelResources>> kernel_resources(const DeviceLimits& limits);

}  // namespace tegu::cuda
