// SPDX-License-Identifier: Apache-2.0
// tegu-bench-gpu, which `tegu-bench gpu` runs: kernels of every operation, a row a case, beside the floor and
// what else computes the same.
#pragma once

#include "tools/bench/gpu_timer.h"

namespace tegu::bench {

class GpuBench : public GpuTimer {
  public:
    struct Options {
        std::string filter;  // cases whose name has this part; empty: all
        bool quick = false;  // a tenth of the repetitions, small sizes only
        bool sweep = false;  // each case with many launch policies
    };
    // Prints what it runs on.
    explicit GpuBench(Options options);

    bool wants(const std::string& name) const { return name.find(options_.filter) != std::string::npos; }
    bool sweep() const { return options_.sweep; }

    // Prints a row. bytes: read and written. `beside`: what it is compared with; empty name: nothing.
    void report(const std::string& name, std::uint64_t n, std::uint64_t bytes, const GpuTime& time,
                const std::string& beside = "", const GpuTime& peer = {});

  private:
    Options options_;
};

// The cases of an operation, in gpu/<stem>.cpp.
void bench_add(GpuBench& bench);
void bench_entropy_map(GpuBench& bench);
void bench_histogram(GpuBench& bench);  // and entropy
void bench_reduce(GpuBench& bench);
void bench_rowscale(GpuBench& bench);
void bench_select(GpuBench& bench);  // topk and quantile

}  // namespace tegu::bench
