// SPDX-License-Identifier: Apache-2.0
// Counts of the levels of a scale, and the entropy of counts.
#pragma once

#include <mutex>

#include "kernels/counting/cpu/key_counts.h"
#include "kernels/execution/cpu/crew.h"
#include "kernels/numerics/levels.h"

namespace tegu::kernels {

class LevelCounter {
  public:
    static std::size_t worker_bytes(std::uint32_t levels);

    LevelCounter() = default;
    // `memory`: workers * worker_bytes(levels), 64-byte aligned, not owned.
    LevelCounter(ElementType type, std::uint32_t levels, std::byte* memory, unsigned workers);

    // REQUIRES: the scale has `levels`.
    void begin(const Crew& crew, const LevelScale& scale);
    // Counts n < 2^32 elements at any address.
    void take(const std::byte* data, std::size_t n, unsigned worker, const Crew& crew);
    struct Counts {
        Span<std::uint64_t> levels;  // those of level 0 with the NaN; valid until the crew's next begin()
        std::uint64_t nans;
    };
    Counts finish(const Crew& crew);

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
    Lane lanes_[kMaxCrew];
    std::mutex overflow_;
};

// Entropy of counts: log N - (1/N) sum n log n, as docs/numerics.md has it. NaN if nothing was counted.
// REQUIRES: the sum is below 2^62.
double entropy_of(Span<const std::uint64_t> counts, LogBase base);

}  // namespace tegu::kernels
