// SPDX-License-Identifier: Apache-2.0
// Counts of the levels of a scale, and the entropy of counts.
#pragma once

#include <mutex>

#include "kernels/counting/cpu/key_counts.h"
#include "kernels/counting/cpu/levels.h"
#include "kernels/execution/cpu/sweep.h"

namespace tegu::kernels {

class LevelCounter {
  public:
    static std::size_t worker_bytes(std::uint32_t levels);

    LevelCounter() = default;
    // `memory`: workers * worker_bytes(levels), 64-byte aligned, not owned.
    LevelCounter(ElementType type, std::uint32_t levels, std::byte* memory, unsigned workers);

    // REQUIRES: the scale has `levels`.
    void begin(const WorkerGroup& group, const LevelScale& scale);
    // Counts n < 2^32 elements at any address.
    void take(const std::byte* data, std::size_t n, unsigned worker, const WorkerGroup& group);
    struct Counts {
        Span<std::uint64_t> levels;  // those of level 0 with the NaN; valid until the group's next begin()
        std::uint64_t nans;
    };
    Counts finish(const WorkerGroup& group);

  private:
    struct alignas(64) Lane {
        KeyCounts counts;
        std::uint64_t* totals = nullptr;
        LevelScale scale;
        std::uint64_t nans = 0;
    };
    std::size_t quantise_and_count(const std::byte* data, std::size_t n, Lane* lane) const;

    ElementType type_ = ElementType::U8;
    std::uint32_t levels_ = 0;
    Lane lanes_[kMaxWorkers];
    std::mutex overflow_;
};

// Entropy of counts: log N - (1/N) sum n log n, as in docs/numerics.md. NaN if nothing was counted. REQUIRES:
// the sum is below 2^62.
double entropy_of(Span<const std::uint64_t> counts, LogBase base);

}  // namespace tegu::kernels
