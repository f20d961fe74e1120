// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/time_histogram.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tegu {
namespace cli {
namespace {

constexpr int kSubBits = 7;
constexpr std::uint64_t kSub = 1u << kSubBits;

// Values below 128 have a bucket each; above, the seven bits after the leading one choose it.
std::size_t bucket_of(std::uint64_t value) {
    if (value < kSub) return static_cast<std::size_t>(value);
    const int shift = 63 - __builtin_clzll(value) - kSubBits;
    return static_cast<std::size_t>(static_cast<std::uint64_t>(shift + 1) * kSub + (value >> shift) - kSub);
}

// The middle of a bucket.
double middle_of(std::size_t bucket) {
    if (bucket < kSub) return static_cast<double>(bucket);
    const int shift = static_cast<int>(bucket / kSub) - 1;
    return std::ldexp(static_cast<double>(bucket % kSub + kSub) + (shift == 0 ? 0.0 : 0.5), shift);
}

}  // namespace

TimeHistogram::TimeHistogram() : buckets_((64 - kSubBits + 1) * kSub) {}

void TimeHistogram::add(std::uint64_t nanoseconds) {
    ++buckets_[bucket_of(nanoseconds)];
    ++count_;
    min_ = std::min(min_, nanoseconds);
    max_ = std::max(max_, nanoseconds);
    sum_ += static_cast<double>(nanoseconds);
}

double TimeHistogram::percentile(double share) const {
    assert(share > 0 && share <= 1);
    if (count_ == 0) return 0;
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        seen += buckets_[bucket];
        if (seen >= wanted) return std::min(std::max(middle_of(bucket), min()), max());
    }
    return max();
}

}  // namespace cli
}  // namespace tegu
