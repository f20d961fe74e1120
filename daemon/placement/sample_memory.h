// SPDX-License-Identifier: Apache-2.0
// SampleMemory: the arrays that sample jobs read and write, and one timed run of a sample on the CPU.
// Page-aligned, so that a GPU may register them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/operation.h"

namespace tegu::daemon {

// What the runs of a sample took.
struct SampleTime {
    double ns = 0;                                // computing, the best run; 0: it could not be run
    std::uint64_t spent_ns = 0;                   // all runs together
    std::uint64_t copied_bytes = 0, copy_ns = 0;  // of the last run
};

class SampleMemory {
  public:
    SampleMemory() = default;
    ~SampleMemory() { release(); }
    SampleMemory(const SampleMemory&) = delete;
    SampleMemory& operator=(const SampleMemory&) = delete;

    // Makes and fills the arrays, if they are not there. False: no memory.
    bool prepare();
    // Gives them back.
    void release();
    // Numbers of 0 to 1, f32: `bytes` of them.
    std::byte* input() const { return input_; }
    std::byte* output() const { return output_; }
    static std::size_t bytes();

    // Whether a job of that plan finds room for its arrays here.
    static bool holds(const Job& job, const kernels::JobPlan& plan);
    // Where the arrays of the plan go, from output() on.
    static std::vector<std::uint64_t> offsets(const kernels::JobPlan& plan);

    // Times the job on the CPU. `pool`: null: on the calling thread alone. REQUIRES: prepare() was true.
    SampleTime time_on_cpu(const Job& job, kernels::ThreadPool* pool) const;

  private:
    std::byte* input_ = nullptr;
    std::byte* output_ = nullptr;
};

}  // namespace tegu::daemon
