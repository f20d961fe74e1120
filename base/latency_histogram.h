// SPDX-License-Identifier: Apache-2.0
// LatencyHistogram keeps times in constant memory: 19 KiB, 64 buckets for each power of two of nanoseconds.
// A percentile is wrong by less than 1 %. Count, sum, smallest and largest are exact. One writer; a copy, or
// a merge into another one, is taken on the writer's thread.
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
    void merge(const LatencyHistogram& other);

    std::uint64_t count() const { return count_; }
    std::uint64_t sum_ns() const { return sum_ns_; }  // stops at the largest number
    // 0 while count() is 0, as the percentiles are.
    std::uint64_t min_ns() const { return count_ == 0 ? 0 : min_ns_; }
    std::uint64_t max_ns() const { return max_ns_; }
    double mean_ns() const {
        return count_ == 0 ? 0 : static_cast<double>(sum_ns_) / static_cast<double>(count_);
    }

    // The value that a share of the times does not exceed: of the k-th smallest, k = ceil(share * count), at
    // least the first. Less than 1 % off below 2^43 ns, and never outside [min, max]. REQUIRES: 0 <= share <=
    // 1.
    double percentile_ns(double share) const;
    // How many times are at most bounds[i], into counts[i], as a histogram of Prometheus wants it. A bound is
    // moved to the nearest edge of a bucket, by less than 1 %. REQUIRES: bounds ascend; as many counts as
    // bounds.
    void count_up_to(Span<const std::uint64_t> bounds_ns, Span<std::uint64_t> counts) const;

  private:
    std::array<std::uint64_t, kBuckets> buckets_{};
    std::uint64_t count_ = 0, sum_ns_ = 0;
    std::uint64_t min_ns_ = UINT64_MAX, max_ns_ = 0;
};

}  // namespace tegu
