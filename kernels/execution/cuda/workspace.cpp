// SPDX-License-Identifier: Apache-2.0
#include "kernels/execution/cuda/workspace.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace tegu::cuda {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kSmallestSlab = 1 << 20;
constexpr std::size_t kSmallestCounters = 1 << 16;
constexpr std::size_t kShownBytes = 4096;

constexpr std::size_t rounded(std::size_t bytes) {
    return (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

DeviceWorkspace::~DeviceWorkspace() {
    drop();
    cudaFree(counters_.memory);
    cudaFreeHost(shown_);
}

Result<void*> DeviceWorkspace::take(std::size_t bytes) {
    if (bytes > limit_)
        return make_error(Status::OutOfMemory,
                          "the job needs " + std::to_string(bytes) +
                              " bytes of work space on the GPU, more than it may have (" +
                              std::to_string(limit_) + ")");
    const std::size_t wanted = rounded(bytes);
    if (slabs_.empty() || slabs_.back().bytes - used_ < wanted) {
        Result<void> grown = grow(wanted);
        if (!grown) return std::move(grown).error();
    }
    void* const at = slabs_.back().memory + used_;
    used_ += wanted;
    taken_ += wanted;
    return at;
}

Result<void*> DeviceWorkspace::take_zeroed(std::size_t bytes) {
    Result<void*> taken = take(bytes);
    if (!taken) return taken;
    Result<void> zeroed = check_cuda(cudaMemsetAsync(*taken, 0, bytes, stream_), "cudaMemsetAsync");
    if (!zeroed) return std::move(zeroed).error();
    return taken;
}

Result<void*> DeviceWorkspace::take_counters(std::size_t bytes) {
    counters_are_lent_ = false;
    if (counters_.bytes < bytes) {
        const std::size_t size = std::max(rounded(bytes), kSmallestCounters);
        if (held_ - counters_.bytes + size > limit_) return take_zeroed(bytes);
        held_ -= counters_.bytes;
        cudaFree(counters_.memory);
        counters_ = Slab{nullptr, 0};
        void* memory = nullptr;
        Result<void> allocated = check_cuda(cudaMalloc(&memory, size), "cudaMalloc of counters");
        if (!allocated) return std::move(allocated).error();
        counters_ = Slab{static_cast<char*>(memory), size};
        held_ += size;
        counters_are_zero_ = false;
    }
    if (!counters_are_zero_) {
        Result<void> zeroed =
            check_cuda(cudaMemsetAsync(counters_.memory, 0, counters_.bytes, stream_), "cudaMemsetAsync");
        if (!zeroed) return std::move(zeroed).error();
    }
    counters_are_zero_ = false;  // until their user leaves them zero
    counters_are_lent_ = true;
    return static_cast<void*>(counters_.memory);
}

Result<void*> DeviceWorkspace::take_shown(std::size_t bytes) {
    if (bytes > kShownBytes) return static_cast<void*>(nullptr);
    if (shown_ == nullptr) {
        const Result<void> allocated =
            check_cuda(cudaHostAlloc(&shown_, kShownBytes, cudaHostAllocMapped), "cudaHostAlloc");
        if (!allocated) shown_ = nullptr;  // then there is no such memory
    }
    return shown_;
}

Result<void> DeviceWorkspace::grow(std::size_t bytes) {
    const std::size_t size = std::max(bytes, kSmallestSlab);
    if (held_ + size > limit_)
        return make_error(Status::OutOfMemory,
                          "the work space of the GPU is full (" + std::to_string(limit_) + " bytes)");
    void* memory = nullptr;
    Result<void> allocated = check_cuda(cudaMalloc(&memory, size), "cudaMalloc of work space");
    if (!allocated) return allocated;
    slabs_.push_back(Slab{static_cast<char*>(memory), size});
    held_ += size;
    used_ = 0;
    return {};
}

Result<void> DeviceWorkspace::read(void* to, const void* from, std::size_t bytes) {
    Result<void> copied =
        check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "copy from the GPU");
    return copied ? synchronize() : copied;
}

Result<void> DeviceWorkspace::write(void* to, const void* from, std::size_t bytes) {
    // CUDA may read unpinned memory at any time before the stream reaches the copy. The caller's memory may
    // be gone by then.
    written_.push_back(std::make_unique<char[]>(bytes));
    std::memcpy(written_.back().get(), from, bytes);
    return check_cuda(cudaMemcpyAsync(to, written_.back().get(), bytes, cudaMemcpyDefault, stream_),
                      "copy to the GPU");
}

Result<void> DeviceWorkspace::copy(void* to, const void* from, std::size_t bytes) {
    return check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "copy on the GPU");
}

Result<void> DeviceWorkspace::synchronize() {
    Result<void> done = wait_for(stream_, wait_);
    if (done) written_.clear();
    return done;
}

void DeviceWorkspace::reset() {
    if (slabs_.size() > 1) {
        // The job needed several slabs; later jobs of this size get one. Freeing waits for the device.
        const std::size_t wanted = taken_;
        drop();
        Result<void> grown = grow(wanted);
        static_cast<void>(grown);  // the next job tries again and reports the error
    }
    used_ = 0;
    taken_ = 0;
}

void DeviceWorkspace::drop() {
    for (const Slab& slab : slabs_) cudaFree(slab.memory);  // fails only where the device is lost
    slabs_.clear();
    held_ = counters_.bytes;
    used_ = 0;
}

}  // namespace tegu::cuda
