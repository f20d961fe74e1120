// SPDX-License-Identifier: Apache-2.0
// A guarded device with its runner, and jobs for it.
#pragma once

#include "kernels/device/guard_gpu.h"
#include "tests/kernels/device/runner_cases.h"

namespace tegu::device::test {

struct Board {
    explicit Board(const GuardOptions& options, std::size_t arena_bytes = 1 << 20)
        : Board(options, limits_of(arena_bytes)) {}
    Board(const GuardOptions& options, const GpuRunnerLimits& limits)
        : gpu(options), runner(GpuRunner::create(gpu, limits).value()), jobs(*runner) {}
    // Even the least is registered.
    static GpuRunnerLimits limits_of(std::size_t arena_bytes) {
        GpuRunnerLimits limits;
        limits.arena_bytes = arena_bytes;
        limits.register_from_bytes = 1;
        return limits;
    }
    GuardGpu gpu;
    std::unique_ptr<GpuRunner> runner;
    RunnerCase jobs;
};

inline GuardOptions options_of(MemoryClass memory_class) {
    GuardOptions options;
    options.memory_class = memory_class;
    return options;
}

}  // namespace tegu::device::test
