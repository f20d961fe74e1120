// SPDX-License-Identifier: Apache-2.0
// Counts the bins of a range, and builds histograms from counts of values.
#pragma once

#include <mutex>

#include "kernels/counting/cpu/key_counts.h"
#include "kernels/execution/cpu/sweep.h"
#include "kernels/histogram/cpu/bin_scale.h"

namespace tegu::kernels {

// The output of the histogram of one segment.
struct HistogramRow {
    std::uint64_t* counts;  // bins
    double* edges;          // bins + 1
};

class BinCounter {
  public:
    static std::size_t worker_bytes(ElementType type, std::uint32_t bins);

    BinCounter() = default;
    // `memory`: workers * worker_bytes(type, bins), 64-byte aligned, not owned.
    BinCounter(ElementType type, std::uint32_t bins, std::byte* memory, unsigned workers);

    // Writes the edges and zeroes the counts of a segment. REQUIRES: a range that usable_bin_range() gave.
    void begin(const WorkerGroup& group, const BinRange& range, const HistogramRow& row);
    // Counts n < 2^32 elements at any address.
    void take(const std::byte* data, std::size_t n, unsigned worker);
    void finish(const WorkerGroup& group);

  private:
    struct Lane {
        KeyCounts counts;
        std::uint64_t* lower = nullptr;
        BinScale scale;
        std::uint64_t* totals = nullptr;
    };

    ElementType type_ = ElementType::U8;
    std::uint32_t bins_ = 0;
    BinKeys keys_ = nullptr;
    Lane lanes_[kMaxWorkers];
    std::mutex overflow_;
};

// The histogram of a segment from the counts of its values. REQUIRES: an 8- or 16-bit type, a range that
// usable_bin_range() gave.
void bin_values(ElementType type, std::uint32_t bins, const BinRange& range,
                Span<const std::uint64_t> value_counts, const HistogramRow& row);

}  // namespace tegu::kernels
