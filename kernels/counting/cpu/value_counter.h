// SPDX-License-Identifier: Apache-2.0
// Counts long segments of 8- and 16-bit elements by value: 256 or 65536 counters, converted to bins or levels
// at the end. An element therefore costs one counter update for any number of bins and levels. The same pass
// gives the minimum, the maximum and the NaN count.
#pragma once

#include <mutex>

#include "kernels/counting/cpu/key_counts.h"
#include "kernels/execution/cpu/sweep.h"

namespace tegu::kernels {

class ValueCounter {
  public:
    // True if counting by value pays for segments of n elements.
    static bool suits(ElementType type, std::uint64_t n);
    static std::size_t worker_bytes(ElementType type);

    ValueCounter() = default;
    // `memory`: workers * worker_bytes(type), 64-byte aligned, not owned.
    ValueCounter(ElementType type, std::byte* memory, unsigned workers);

    void begin(const WorkerGroup& group);
    // Counts n < 2^32 elements at any address.
    void take(const std::byte* data, std::size_t n, unsigned worker, const WorkerGroup& group);
    // The number of occurrences of each value, indexed by its bits. Valid until the group's next begin().
    Span<const std::uint64_t> finish(const WorkerGroup& group);

  private:
    std::uint32_t values_ = 0;
    KeyCounts counts_[kMaxWorkers];
    std::uint64_t* totals_[kMaxWorkers] = {};
    std::mutex overflow_;
};

// Calls take(values, begin, n) with the elements whose bits are begin .. begin + n - 1, for all values of the
// type; n <= kValueBlock.
inline constexpr std::uint32_t kValueBlock = 2048;
template <class Take>
void for_all_values(ElementType type, const Take& take) {
    alignas(64) std::byte block[kValueBlock * 2];
    const std::size_t width = element_bytes(type);
    const std::uint32_t values = width == 1 ? 256 : 65536;
    for (std::uint32_t begin = 0; begin < values; begin += kValueBlock) {
        const std::uint32_t n = std::min(kValueBlock, values - begin);
        for (std::uint32_t i = 0; i < n; ++i) {
            const auto byte = static_cast<std::uint8_t>(begin + i);
            const auto word = static_cast<std::uint16_t>(begin + i);
            std::memcpy(block + i * width, width == 1 ? static_cast<const void*>(&byte) : &word, width);
        }
        take(block, begin, n);
    }
}

}  // namespace tegu::kernels
