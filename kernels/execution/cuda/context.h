// SPDX-License-Identifier: Apache-2.0
// The inputs of a GPU operation besides its job: a stream, the device limits, and a workspace. Kernels are
// independent of devices and memory classes: the caller makes the pointers valid for the stream. The
// workspace is an interface, because tests run the same operations on the host (tests/simt).
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
    // Memory that only kernels of the stream may touch: aligned to 256 bytes, contents unspecified, valid
    // until reset(). Errors: OutOfMemory.
    virtual Result<void*> take(std::size_t bytes) = 0;
    // As take(), but zero before the next launch.
    virtual Result<void*> take_zeroed(std::size_t bytes) = 0;
    // Words that are zero before the next launch, for one user at a time. The user leaves them zero and
    // reports that when its launches are enqueued. Then the next user needs no clearing.
    virtual Result<void*> take_counters(std::size_t bytes) { return take_zeroed(bytes); }
    virtual void counters_are_left_zero() {}
    // At most some KiB that kernels write and the host reads after waiting for the stream. One user at a
    // time; null where unsupported.
    virtual Result<void*> take_shown(std::size_t bytes) {
        static_cast<void>(bytes);
        return static_cast<void*>(nullptr);
    }
    // Copies in stream order. read() waits for all previous work and returns when `to` is filled; write() has
    // read `from` when it returns. Errors: DeviceLost, with CUDA's name of the error: the process cannot use
    // the device any more.
    virtual Result<void> read(void* to, const void* from, std::size_t bytes) = 0;
    virtual Result<void> write(void* to, const void* from, std::size_t bytes) = 0;
    // Copies from device memory to device memory, at any address, in stream order.
    virtual Result<void> copy(void* to, const void* from, std::size_t bytes) = 0;
    // Waits for all work of the stream.
    virtual Result<void> synchronize() = 0;
    // Releases all taken memory and keeps it for the next job.
    virtual void reset() = 0;
};

struct Context {
    Stream stream = nullptr;
    DeviceLimits limits;
    Policies policies;
    Workspace* workspace = nullptr;     // not owned
    JobPolicies parts = JobPolicies();  // policies of the parts of a fused job that differ from `policies`

    // `policy` and the context outlive it.
    template <class Policy>
    LaunchConfig<Policy> config(const Policy& policy) const {
        return {policy, limits, stream};
    }
};

// Takes arrays from a workspace. After an error it takes no more, and the arrays are null.
class ArrayTaker {
  public:
    explicit ArrayTaker(const Context& context) : workspace_(*context.workspace) {}

    template <class T>
    T* take(std::uint64_t count) {
        return static_cast<T*>(take_bytes(&Workspace::take, count * sizeof(T)));
    }
    template <class T>
    T* take_zeroed(std::uint64_t count) {
        return static_cast<T*>(take_bytes(&Workspace::take_zeroed, count * sizeof(T)));
    }
    template <class T>
    T* take_counters(std::uint64_t count) {
        return static_cast<T*>(take_bytes(&Workspace::take_counters, count * sizeof(T)));
    }
    template <class T>
    T* take_shown(std::uint64_t count) {
        return static_cast<T*>(take_bytes(&Workspace::take_shown, count * sizeof(T)));
    }
    // The first error.
    const Result<void>& done() const { return done_; }

  private:
    void* take_bytes(Result<void*> (Workspace::*call)(std::size_t), std::uint64_t bytes) {
        if (!done_) return nullptr;
        Result<void*> taken = (workspace_.*call)(static_cast<std::size_t>(bytes));
        if (taken) return *taken;
        done_ = std::move(taken).error();
        return nullptr;
    }

    Workspace& workspace_;
    Result<void> done_;
};

// Maps a cudaError_t; the only function that does. Ok for 0 (cudaSuccess). Errors name `call` and CUDA's
// error. OutOfMemory (of the device or for a launch) does no harm. DeviceLost: the process cannot use the
// device any more. Internal: the call was wrong or unsupported, and had no effect. Clears CUDA's last error.
Result<void> check_cuda(LaunchStatus status, const char* call);

}  // namespace tegu::cuda
