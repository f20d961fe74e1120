// SPDX-License-Identifier: Apache-2.0
// Crossover: from how many elements on a job is worth the way to the GPU, for each operation. Below, the CPU has the result before a launch
// and its synchronisation are over. Pure.
#pragma once

#include <array>
#include <cstdint>

#include "base/job.h"

namespace tegu::daemon {

struct Crossover {
    std::array<std::uint64_t, kOperationSlots> elements{};

    std::uint64_t& at(Operation operation) { return elements[static_cast<std::size_t>(operation)]; }
    // Whether a job that may run anywhere goes to the GPU.
    bool prefers_gpu(const Job& job) const {
        std::uint64_t count = 0;
        const bool huge = __builtin_mul_overflow(job.rows, job.cols, &count);
        return huge || count >= elements[static_cast<std::size_t>(operation_of(job))];
    }
};

// What holds where nothing was tuned: one pass over a megabyte or more; an entropy map, which computes more for each element, earlier.
inline Crossover default_crossover() {
    Crossover crossover;
    crossover.elements.fill(1'000'000);
    crossover.at(Operation::EntropyMap) = 163'840;
    return crossover;
}

}  // namespace tegu::daemon
