// SPDX-License-Identifier: Apache-2.0
// SelectBench: an array, and whole jobs that select of it by order. Each is first compared with the CPU
// backend. The peer is a kernel that only reads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/job.h"
#include "tools/bench/gpu/gpu_bench.h"

namespace tegu::bench {

enum class Values { Uniform, Sorted, Few, Equal };
const char* word_of(Values values);

class SelectBench {
  public:
    // REQUIRES: a type of four bytes.
    SelectBench(GpuBench& bench, ElementType type, Values values, std::uint64_t rows, std::uint64_t cols);

    Job job_of(JobParams params) const {
        return Job{type_, rows_ == 1 ? Axis::Whole : Axis::Rows, rows_, cols_, std::move(params)};
    }
    // Compares the results, then reports the time of the job, with the host's part.
    void verify_and_time(const std::string& name, const Job& job);

  protected:
    GpuBench& bench_;
    const ElementType type_;
    const std::uint64_t rows_;
    const std::uint64_t cols_;
    const std::vector<std::byte> content_;
    Rotation inputs_;
    GpuTime read_;
};

}  // namespace tegu::bench
