// SPDX-License-Identifier: Apache-2.0
// Gpu: one device: streams, kinds of memory, and jobs. CudaGpu implements it with CUDA. GuardGpu, for tests,
// takes page permissions away from the host as a Nano would; docs/memory.md has the common rules.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "kernels/cuda_policies.h"
#include "kernels/device/device_info.h"
#include "kernels/execution/cuda/kernel_report.h"
#include "kernels/execution/cuda/launch.h"
#include "kernels/execution/cuda/stream_wait.h"
#include "kernels/operation_cuda.h"

namespace tegu::device {

using Stream = cuda::Stream;

enum class StreamUse {
    Jobs,
    JobsBeside,  // short jobs beside those of another stream: they go first, and their workspace is small
};

// This is the interface to CUDA. Beyond it, only cuda_gpu.cpp and probe_cuda.cpp in this folder, the files
// under CUDA_RUNTIME in kernels/execution and the launches call the CUDA runtime. Only these cross it:
// addresses and sizes; streams as opaque pointers; jobs, views, stop tokens and policies as plain structs;
// RunReport and errors of base/status.h. cudaError_t and other CUDA types do not.
// One thread at a time makes all calls; each thread first calls use(). Errors of every call: DeviceLost,
// after which no call succeeds and the process must end; OutOfMemory, which does no harm.
class Gpu {
  public:
    virtual ~Gpu() = default;
    virtual const DeviceInfo& info() const = 0;
    // Makes this the current device of the calling thread.
    virtual Result<void> use() = 0;

    virtual Result<Stream> create_stream(StreamUse use = StreamUse::Jobs) = 0;
    virtual void destroy_stream(Stream stream) = 0;  // waits for its work
    virtual Result<void> synchronize(Stream stream) = 0;

    // Managed memory, created attached to the host, aligned to 256 bytes. It has one address for both sides.
    // Where concurrentManagedAccess is 0, only one side may use it at a time. The host may touch it from the
    // start, and again after attach_to_host() and synchronize() of that stream. Kernels of a stream may touch
    // it from attach_to_stream() on. Free it while attached to the host.
    virtual Result<void*> allocate_managed(std::size_t bytes) = 0;
    virtual void free_managed(void* memory) = 0;
    virtual Result<void> attach_to_stream(void* memory, Stream stream) = 0;
    virtual Result<void> attach_to_host(void* memory, Stream stream) = 0;  // in stream order
    // Moves pages before their use. REQUIRES: concurrentManagedAccess.
    virtual Result<void> prefetch_to_device(void* memory, std::size_t bytes, Stream stream) = 0;
    virtual Result<void> prefetch_to_host(void* memory, std::size_t bytes, Stream stream) = 0;

    // Memory of the host that kernels may touch as well, at the same address and at any time; aligned to 256
    // bytes. The host sees what kernels wrote after synchronize(). Errors also: Unsupported.
    virtual Result<void*> allocate_pinned(std::size_t bytes) {
        static_cast<void>(bytes);
        return make_error(Status::Unsupported, "this device has no pinned memory");
    }
    virtual void free_pinned(void* memory) { static_cast<void>(memory); }

    // Memory that only kernels may touch, aligned to 256 bytes.
    virtual Result<void*> allocate_device(std::size_t bytes) = 0;
    virtual void free_device(void* memory) = 0;
    // Copies between ordinary and device memory, in stream order. Both stay in use until synchronize().
    // REQUIRES: bytes > 0.
    virtual Result<void> copy(void* to, const void* from, std::size_t bytes, Stream stream) = 0;

    // Makes a mapping of the process usable by kernels; returns its address for them. Kernels may only read a
    // read-only mapping. Errors: Unsupported (by the device, or for this mapping), without any effect.
    // REQUIRES: page-aligned; not registered.
    virtual Result<void*> register_mapping(void* data, std::size_t bytes, bool read_only) = 0;
    virtual void unregister_mapping(void* data) = 0;

    // Frees memory that is kept for later jobs of the stream. REQUIRES: the stream has no work.
    virtual void trim(Stream stream) = 0;
    virtual std::size_t workspace_limit() const = 0;  // maximum that it keeps
    // Free memory of the device; for an integrated device, of the board.
    virtual Result<std::size_t> free_bytes() = 0;

    // As cuda::kernel_resources(). Also: Unsupported (a device without kernels).
    virtual Result<std::vector<cuda::KernelResources>> kernels() {
        return make_error(Status::Unsupported, "this device has no list of its kernels");
    }
    // cuda::run_job() on the stream; returns when the outputs are complete. A job in place that fails with
    // OutOfMemory has written nothing. The policies change only the run time.
    virtual Result<kernels::RunReport> run(const cuda::JobRun& run, Stream stream,
                                           const cuda::JobPolicies& policies = cuda::JobPolicies()) = 0;

    // Sets the work that a thread does while it waits in run(). That work may
    // call run() with another stream. Call it while no job runs.
    virtual void set_meanwhile(const cuda::Meanwhile& meanwhile) { meanwhile_ = meanwhile; }
    const cuda::Meanwhile& meanwhile() const { return meanwhile_; }

  private:
    cuda::Meanwhile meanwhile_;
};

struct GpuLimits {
    // For one job, besides its arrays; at most a quarter of the device's memory.
    std::size_t workspace_bytes = std::size_t{256} << 20;
};

// Limits `limit_bytes` to 1 / `parts` of the device's memory.
constexpr std::size_t within_memory(std::size_t limit_bytes, const DeviceInfo& device, std::uint64_t parts) {
    const std::uint64_t share = device.memory_bytes / parts;
    return share != 0 && share < limit_bytes ? static_cast<std::size_t>(share) : limit_bytes;
}

// Opens the device that choose_device() chose, and makes it current for the calling thread. Errors:
// Unavailable, OutOfMemory, DeviceLost.
Result<std::unique_ptr<Gpu>> open_gpu(const DeviceInfo& device, const GpuLimits& limits);

}  // namespace tegu::device
