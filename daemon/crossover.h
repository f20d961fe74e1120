// SPDX-License-Identifier: Apache-2.0
// Crossover: from how many bytes of input on a job is worth the way to the GPU, for each operation. Below, the CPU has the result before a launch
// and its synchronisation are over. Bytes that have to be copied for this job alone, as nobody promised that they stay what
// they are, or as the result goes into memory of the host, count besides: a CPU that reads them once is often done before. Pure.
#pragma once

#include <array>
#include <cstdint>

#include "base/job.h"

namespace tegu::daemon {

struct Crossover {
    std::array<std::uint64_t, kOperationSlots> bytes{};  // of all inputs
    std::uint64_t moved_bytes_per_ns = 1;                // between the host and a device

    std::uint64_t& at(Operation operation) { return bytes[static_cast<std::size_t>(operation)]; }
    // Whether a job that may run anywhere goes to the GPU. `moved_bytes`: to be copied for it alone; `cpu_ns`: how long the CPU would take.
    bool prefers_gpu(const Job& job, std::uint64_t moved_bytes, std::uint64_t cpu_ns) const {
        if (moved_bytes / moved_bytes_per_ns > cpu_ns) return false;
        const auto inputs = static_cast<std::uint64_t>(
            find_operation(static_cast<std::uint16_t>(operation_of(job)))->inputs * element_bytes(job.type));
        std::uint64_t count = 0;
        const bool huge =
            __builtin_mul_overflow(job.rows, job.cols, &count) || __builtin_mul_overflow(count, inputs, &count);
        return huge || count >= bytes[static_cast<std::size_t>(operation_of(job))];
    }
};

// What holds where nothing was tuned: where the round trips cross that were measured of f32 arrays, resident on an H200, beside 16 threads of
// a CPU with AVX-512 that read them from memory; docs/daemon.md has the numbers.
inline Crossover default_crossover() {
    constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;
    Crossover crossover;
    crossover.moved_bytes_per_ns = 8;
    crossover.bytes.fill(4 * kMiB);
    crossover.at(Operation::Reduce) = 2 * kMiB;
    crossover.at(Operation::Topk) = 1 * kMiB;
    crossover.at(Operation::Quantile) = 1 * kMiB;
    crossover.at(Operation::Histogram) = 128 * kKiB;
    crossover.at(Operation::Entropy) = 512 * kKiB;
    crossover.at(Operation::EntropyMap) = 128 * kKiB;
    return crossover;
}

}  // namespace tegu::daemon
