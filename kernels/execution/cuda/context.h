// SPDX-License-Identifier: Apache-2.0
// What an operation on a GPU gets besides its job: a stream, the limits of the device, and a workspace. The
// kernels see nothing of devices or of the memory classes of boards: whoever calls them made the pointers
// good for the stream. The workspace is an interface, because the same operations run on a GPU and, in tests,
// on the host (tests/simt).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "kernels/cuda_policies.h"
#include "kernels/execution/cuda/launch.h"

namespace tegu::cuda {

// Memory of one stream, for one job at a time. One thread.
class Workspace {
  public:
    virtual ~Workspace() = default;
    // Memory that kernels of the stream may touch, the host not: aligned to 256 bytes, contents unspecified,
    // good until reset().
    // Errors: OutOfMemory.
    virtual Result<void*> take(std::size_t bytes) = 0;
    // The same, zero before the next launch.
    virtual Result<void*> take_zeroed(std::size_t bytes) = 0;
    // Words that are zero before the next launch, for one user at a time. Whoever takes them leaves them
    // zero, and says so when its launches are enqueued: then they are zero for the next user without more
    // work.
    virtual Result<void*> take_counters(std::size_t bytes) { return take_zeroed(bytes); }
    virtual void counters_are_left_zero() {}
    // Memory of at most some KiB that kernels write and the host reads once the stream was waited for, for
    // one user at a time; null where there is none.
    virtual Result<void*> take_shown(std::size_t bytes) {
        static_cast<void>(bytes);
        return static_cast<void*>(nullptr);
    }
    // Copies in stream order; read() returns when `to` is filled, which waits for all work before it; write()
    // has read `from` when it returns.
    // Errors: DeviceLost, with the name that CUDA gives it: the process cannot use the device any more.
    virtual Result<void> read(void* to, const void* from, std::size_t bytes) = 0;
    virtual Result<void> write(void* to, const void* from, std::size_t bytes) = 0;
    // From device memory to device memory, at any address; in stream order.
    virtual Result<void> copy(void* to, const void* from, std::size_t bytes) = 0;
    // Waits for all work of the stream.
    virtual Result<void> synchronize() = 0;
    // What was taken is free again. Keeps the memory for the next job.
    virtual void reset() = 0;
};

struct Context {
    Stream stream = nullptr;
    DeviceLimits limits;
    Policies policies;
    Workspace* workspace = nullptr;     // not owned
    JobPolicies parts = JobPolicies();  // of the parts of a fused job, where they differ from `policies`
};

// Ok for 0 (cudaSuccess). Else, with `call` and CUDA's name of the error: OutOfMemory, of the device or for a
// launch, which is no harm done; DeviceLost, after which the process cannot use the device any more;
// Internal, for a call that was wrong or not to be had, which had no effect. Takes CUDA's last error back.
// The only place that maps a cudaError_t.
Result<void> check_cuda(LaunchStatus status, const char* call);

}  // namespace tegu::cuda
