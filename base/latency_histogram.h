// SPDX-License-Identifier: Apache-2.0
// LatencyHistogram stores times in constant memory: 19 KiB, 64 buckets for each power of two of nanoseconds.
// A percentile is wrong by less than 1 %; count, sum, minimum and maximum are exact. One writer thread, which
// also makes copies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/span.h"

namespace tegu {

class LatencyHistogram {
  public:
    // Times from 2^43 ns (2.4 hours) on share the last bucket.
    static constexpr int kSubBits = 6;
    static constexpr int kTopBit = 43;
    static constexpr std::size_t kBuckets = ((kTopBit - kSubBits + 1) << kSubBits) + 1;

    void add(std::uint64_t ns);

    std::uint64_t count() const { return count_; }
    std::uint64_t sum_ns() const { return sum_ns_; }  // saturates at the largest number
    // 0 while count() is 0; the percentiles too.
    std::uint64_t min_ns() const { return count_ == 0 ? 0 : min_ns_; }
    std::uint64_t max_ns() const { return max_ns_; }
    double mean_ns() const {
        return count_ == 0 ? 0 : static_cast<double>(sum_ns_) / static_cast<double>(count_);
    }

    // The k-th smallest time, k = max(1, ceil(share * count)). Less than 1 % off below 2^43 ns, and never
    // outside [min, max]. REQUIRES: 0 <= share <= 1.
    double percentile_ns(double share) const;
    // counts[i] = number of times that are at most bounds[i], as in a Prometheus histogram. A bound is moved
    // to the nearest bucket edge, by less than 1 %. REQUIRES: bounds ascend; as many counts as bounds.
    void count_up_to(Span<const std::uint64_t> bounds_ns, Span<std::uint64_t> counts) const;

  private:
    std::array<std::uint64_t, kBuckets> buckets_{};
    std::uint64_t count_ = 0, sum_ns_ = 0;
    std::uint64_t min_ns_ = UINT64_MAX, max_ns_ = 0;
};

}  // namespace tegu
