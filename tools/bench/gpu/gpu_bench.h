// SPDX-License-Identifier: Apache-2.0
// tegu-bench-gpu, started by `tegu-bench gpu`: measures the kernels of every operation, one row per case,
// beside the floor and other libraries.
#pragma once

#include "tools/bench/gpu_benches.h"
#include "tools/bench/gpu_timer.h"

namespace tegu::bench {

class GpuBench : public GpuTimer {
  public:
    struct Options {
        std::string filter;  // cases whose name has this part; empty: all
        bool quick = false;  // a tenth of the repetitions, small sizes only
        bool sweep = false;  // each case with many launch policies
    };
    // Prints the device.
    explicit GpuBench(Options options);

    bool wants(const std::string& name) const { return name.find(options_.filter) != std::string::npos; }
    bool sweep() const { return options_.sweep; }

    // Prints a row. bytes: read and written. `beside`: the compared result; empty name: none.
    void report(const std::string& name, std::uint64_t n, std::uint64_t bytes, const GpuTime& time,
                const std::string& beside = "", const GpuTime& peer = {});

  private:
    Options options_;
};

// The files of cases, <operation>.cpp of this folder. entropy is in that of histogram, dot in that of reduce.
#define TEGU_X(name) void bench_##name(GpuBench& bench);
TEGU_GPU_BENCHES(TEGU_X)
#undef TEGU_X

}  // namespace tegu::bench
