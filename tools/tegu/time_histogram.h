// SPDX-License-Identifier: Apache-2.0
// A histogram of times in constant memory: 128 buckets for each power of two, so that a percentile is wrong by less than 1 %.
// Smallest, largest and mean are exact.
#pragma once

#include <cstdint>
#include <vector>

namespace tegu {
namespace cli {

class TimeHistogram {
  public:
    TimeHistogram();
    void add(std::uint64_t nanoseconds);
    std::uint64_t count() const { return count_; }
    // The rest is 0 while count() is 0.
    double min() const { return count_ != 0 ? static_cast<double>(min_) : 0; }
    double max() const { return static_cast<double>(max_); }
    double mean() const { return count_ != 0 ? sum_ / static_cast<double>(count_) : 0; }
    // The value that a share of the samples does not exceed; within [min, max]. REQUIRES: 0 < share <= 1.
    double percentile(double share) const;

  private:
    std::vector<std::uint64_t> buckets_;
    std::uint64_t count_ = 0, min_ = UINT64_MAX, max_ = 0;
    double sum_ = 0;
};

}  // namespace cli
}  // namespace tegu
