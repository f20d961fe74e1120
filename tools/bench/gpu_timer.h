// SPDX-License-Identifier: Apache-2.0
// GpuTimer: times GPU work by events, without transfers. Inputs rotate through more memory than the L2 cache
// holds, so all data comes from memory. The floor is the time in which this device copies as many bytes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/execution/cuda/context.h"
#include "kernels/execution/cuda/workspace.h"

namespace tegu::bench {

struct GpuTime {
    double us = 0;     // median of the repetitions
    double noise = 0;  // median of their relative deviation from it
    double min_us = 0;
};

// Ends the program with a message if a CUDA call failed.
void require_cuda(int status, const char* call);
// The reason why no GPU can be measured; empty: one can.
std::string no_gpu_reason();

// Device memory for the run of one case: `count` pieces of `bytes`, filled by the caller, used in turn.
class Rotation {
  public:
    // As many pieces as make up four times the L2 cache, at least two, at most `limit_bytes` in all.
    Rotation(std::uint64_t bytes, std::uint64_t l2_bytes, std::uint64_t limit_bytes = std::uint64_t{6} << 30);
    ~Rotation();
    Rotation(const Rotation&) = delete;
    Rotation& operator=(const Rotation&) = delete;

    std::size_t count() const { return pieces_.size(); }
    void* operator[](std::size_t turn) const { return pieces_[turn % pieces_.size()]; }
    // The same content in every piece; it is there on return, for streams that wait for no other, too.
    void fill(const void* content, std::uint64_t bytes);
    void zero(std::uint64_t bytes);

  private:
    std::vector<void*> pieces_;
};

class GpuTimer {
  public:
    // quick: a tenth of the repetitions, to see that all works.
    explicit GpuTimer(bool quick);
    ~GpuTimer();
    GpuTimer(const GpuTimer&) = delete;
    GpuTimer& operator=(const GpuTimer&) = delete;

    const cuda::Context& context() const { return context_; }
    bool quick() const { return quick_; }
    // "NVIDIA H200, sm_90, 132 multiprocessors, 50 MiB of L2, driver for CUDA 13.0".
    const std::string& device() const { return device_; }

    // `launch(turn)` puts the work on the stream.
    GpuTime time(const std::function<void(std::size_t turn)>& launch);
    // Time in which this device copies (reads and writes half each) that many bytes, from a measurement with
    // copied_bytes().
    double copy_us(std::uint64_t bytes) const { return static_cast<double>(bytes) / copy_bytes_per_us_; }
    double copy_bytes_per_us() const { return copy_bytes_per_us_; }
    std::uint64_t copied_bytes() const { return copied_bytes_; }

  private:
    void measure_copy();

    const bool quick_;
    std::string device_;
    cuda::Stream stream_ = nullptr;
    cuda::DeviceWorkspace* workspace_ = nullptr;
    cuda::Context context_;
    double copy_bytes_per_us_ = 1;
    std::uint64_t copied_bytes_ = 0;
};

}  // namespace tegu::bench
