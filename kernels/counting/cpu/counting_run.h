// SPDX-License-Identifier: Apache-2.0
// The counting code that histogram, entropy and fused share: worker memory, and the cost of counting values.
#pragma once

#include <optional>
#include <string>

#include "kernels/counting/cpu/value_counter.h"
#include "kernels/execution/cpu/aligned_memory.h"
#include "kernels/execution/cpu/worker_group.h"

namespace tegu::kernels {

inline Result<AlignedBytes> allocate_workers(std::size_t worker_bytes, unsigned workers) {
    const std::size_t bytes = worker_bytes * workers;
    AlignedBytes memory = allocate_aligned(bytes);
    if (!memory)
        return make_error(Status::OutOfMemory,
                          "no memory for " + std::to_string(bytes) + " bytes of counters");
    return memory;
}

// The maximum number of workers of one job: their memory stays below 32 MiB.
inline unsigned max_workers(std::size_t worker_bytes) {
    constexpr std::size_t kMaxBytes = std::size_t{32} << 20;
    return static_cast<unsigned>(
        std::clamp<std::size_t>(kMaxBytes / std::max<std::size_t>(worker_bytes, 1), 1, kMaxWorkers));
}

// Picoseconds to count an element of 8 or 16 bits by its value on one thread: docs/operations/histogram.md,
// "Speed".
inline std::uint64_t value_ps(ElementType type) {
    if (element_bytes(type) == 1) return has_byte_planes() ? 140 : 220;
    return 650;
}

inline std::uint64_t predict_counting_ns(const Job& job, std::uint64_t element_ps, std::uint64_t segment_ns) {
    const double elements = static_cast<double>(job.rows) * static_cast<double>(job.cols);
    const double segments = static_cast<double>(segments_of(job));
    return predicted_work_ns(500 + elements * static_cast<double>(element_ps) / 1000 +
                             segments * static_cast<double>(segment_ns));
}

// The fixed cost of a row, as the bytes of input that take equally long to read.
constexpr std::uint64_t kCountingRowCost = 4096;

inline bool segments_are_empty(const Job& job) {
    return segments_of(job) != 0 && segment_elements(job) == 0;
}

}  // namespace tegu::kernels
