// SPDX-License-Identifier: Apache-2.0
// tegu-bench-gpu: times of kernels on a GPU by events, without transfers. Inputs rotate through more memory than the L2 cache holds, so every time is
// one of data from memory. Beside each case stands the floor: the time that the fastest copy or read of this run needs for the same bytes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/cuda/context.h"
#include "kernels/cuda/workspace.h"

namespace tegu::bench {

struct GpuTime {
    double us = 0;     // median of the repetitions
    double noise = 0;  // median of their relative deviation from it
};

// Ends the program with a message if a CUDA call failed.
void require_cuda(int status, const char* call);

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
    // The same content in every piece.
    void fill(const void* content, std::uint64_t bytes);

  private:
    std::vector<void*> pieces_;
};

class GpuBench {
  public:
    struct Options {
        std::string filter;  // cases whose name has this part; empty: all
        bool quick = false;  // a tenth of the repetitions, small sizes only
        bool sweep = false;  // each case with many launch policies
    };
    explicit GpuBench(Options options);
    ~GpuBench();

    const cuda::Context& context() const { return context_; }
    bool wants(const std::string& name) const { return name.find(options_.filter) != std::string::npos; }
    bool quick() const { return options_.quick; }
    bool sweep() const { return options_.sweep; }

    // `launch(turn)` puts the work on the stream.
    GpuTime time(const std::function<void(std::size_t turn)>& launch);
    // Prints a row. bytes: read and written. `beside`: what it is compared with; empty name: nothing.
    void report(const std::string& name, std::uint64_t n, std::uint64_t bytes, const GpuTime& time, const std::string& beside = "", const GpuTime& peer = {});
    // Time in which this device copies (reads and writes half each) that many bytes, from a measurement with 1 GiB.
    double copy_us(std::uint64_t bytes) const { return static_cast<double>(bytes) / copy_bytes_per_us_; }

  private:
    void measure_copy();

    Options options_;
    cuda::Stream stream_ = nullptr;
    cuda::DeviceWorkspace* workspace_ = nullptr;
    cuda::Context context_;
    double copy_bytes_per_us_ = 1;
};

// The cases of an operation, in gpu/<stem>.cpp.
void bench_add(GpuBench& bench);
void bench_entropy_map(GpuBench& bench);
void bench_histogram(GpuBench& bench);  // and entropy and fused
void bench_reduce(GpuBench& bench);
void bench_rowscale(GpuBench& bench);
void bench_select(GpuBench& bench);  // topk and quantile

}  // namespace tegu::bench
