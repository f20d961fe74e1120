// SPDX-License-Identifier: Apache-2.0
// GpuLab: one GPU for measurements: a device::Gpu for memory and jobs, one stream, and events that time its
// work. Needs no CUDA header, so that parts compile without CUDA; then no GpuLab exists. One thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "kernels/device/gpu.h"
#include "tools/field/record.h"

namespace tegu::field {

class GpuMeter;

class GpuLab {
  public:
    // Opens the device for the calling thread, and makes its context. Errors: Unavailable, OutOfMemory,
    // DeviceLost.
    static Result<std::unique_ptr<GpuLab>> open(const device::DeviceInfo& device);
    // Takes a device that is open already: a guarded one, in tests. Its streams have no events: time() then
    // measures to the end of synchronize().
    static Result<std::unique_ptr<GpuLab>> of(std::unique_ptr<device::Gpu> gpu);
    ~GpuLab();
    GpuLab(const GpuLab&) = delete;
    GpuLab& operator=(const GpuLab&) = delete;

    device::Gpu& gpu() { return *gpu_; }
    const device::DeviceInfo& info() const { return gpu_->info(); }
    const cuda::DeviceLimits& limits() const { return gpu_->info().limits; }
    cuda::Stream stream() const { return stream_; }
    Result<void> synchronize() { return gpu_->synchronize(stream_); }

    bool has_kernels() const { return meter_ != nullptr; }  // false: a guarded device

    // Seconds of the work that `work` puts on stream(), by events before and after. Returns when it is done.
    // Errors: those of `work`; DeviceLost.
    Result<double> time(const std::function<Result<void>()>& work);
    // Facts of a kernel of this program, launched with `threads` a block. Errors: Unsupported (no such code,
    // or a device without kernels).
    Result<KernelFacts> kernel_facts(const void* function, unsigned threads,
                                     std::size_t dynamic_shared_bytes);
    // Facts of a kernel of tegu whose name begins so ("reduce_float<f32"); shared memory in proportion to
    // the threads.
    Result<KernelFacts> kernel_facts(const std::string& kernel, unsigned threads);

  private:
    GpuLab(std::unique_ptr<device::Gpu> gpu, cuda::Stream stream);
    std::unique_ptr<device::Gpu> gpu_;
    cuda::Stream stream_;
    std::unique_ptr<GpuMeter> meter_;  // null: a guarded device
};

// Memory of a lab's device that kernels alone may touch. Freed with the object, which the lab outlives.
class DeviceArray {
  public:
    // Errors: OutOfMemory, DeviceLost.
    static Result<DeviceArray> create(GpuLab& lab, std::size_t bytes);
    DeviceArray() = default;
    ~DeviceArray();
    DeviceArray(DeviceArray&& other) noexcept;
    DeviceArray& operator=(DeviceArray&& other) noexcept;

    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }
    // Both return when the copy is complete. REQUIRES: bytes <= bytes().
    Result<void> upload(const void* from, std::size_t bytes);
    Result<void> download(void* to, std::size_t bytes) const;

  private:
    GpuLab* lab_ = nullptr;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

// Several copies of one content, together more than four times the L2 cache where memory allows. Runs use
// them in turn, so that each run reads from memory.
class DeviceInputs {
  public:
    // Takes at most `limit_bytes` for the pieces, but for one. Errors: OutOfMemory, DeviceLost.
    static Result<DeviceInputs> create(GpuLab& lab, const void* content, std::size_t bytes,
                                       std::uint64_t limit_bytes);

    std::size_t count() const { return count_; }
    void* operator[](std::size_t turn) const { return pieces_.as<std::byte>() + turn % count_ * stride_; }

  private:
    DeviceArray pieces_;
    std::size_t stride_ = 0;
    std::uint64_t count_ = 1;
};

// Managed memory, at one address for both sides. It starts with the host; kernels of the lab's stream may
// touch it between to_device() and to_host(). Without prefetch, so the first touch pays for itself.
class ManagedArray {
  public:
    // Errors: OutOfMemory, DeviceLost.
    static Result<ManagedArray> create(GpuLab& lab, std::size_t bytes);
    ManagedArray() = default;
    ~ManagedArray();
    ManagedArray(ManagedArray&& other) noexcept;
    ManagedArray& operator=(ManagedArray&& other) noexcept;

    void* data() const { return data_; }
    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }
    Result<void> to_device();
    Result<void> to_host();  // returns when the stream's work is complete

  private:
    GpuLab* lab_ = nullptr;
    void* data_ = nullptr;
};

}  // namespace tegu::field
