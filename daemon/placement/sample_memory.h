// SPDX-License-Identifier: Apache-2.0
// SampleMemory: the arrays that sample jobs read and write, and one timed run of a sample on the CPU.
// Page-aligned, so that a GPU may register them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/operation.h"

namespace tegu::daemon {

// Cost of the runs of a sample.
struct SampleTime {
    double ns = 0;                                // computing time of the best run; 0: it could not run
    std::uint64_t spent_ns = 0;                   // all runs together
    std::uint64_t copied_bytes = 0, copy_ns = 0;  // of the last run
};

class SampleMemory {
  public:
    SampleMemory() = default;
    ~SampleMemory() { release(); }
    SampleMemory(const SampleMemory&) = delete;
    SampleMemory& operator=(const SampleMemory&) = delete;

    // Allocates and fills the arrays if needed. False: out of memory.
    bool prepare();
    // Frees the arrays.
    void release();
    // The inputs: f32 numbers of 0 to 1, of this many bytes.
    std::byte* input() const { return input_; }
    std::byte* output() const { return output_; }
    static std::size_t bytes();

    // Whether the arrays of a job with that plan fit this memory.
    static bool holds(const Job& job, const kernels::JobPlan& plan);
    // Offsets of the plan's output arrays from output().
    static std::vector<std::uint64_t> offsets(const kernels::JobPlan& plan);

    // Times the job on the CPU. `pool`: null for the calling thread only. REQUIRES: prepare() was true.
    SampleTime time_on_cpu(const Job& job, kernels::ThreadPool* pool) const;

  private:
    std::byte* input_ = nullptr;
    std::byte* output_ = nullptr;
};

}  // namespace tegu::daemon
