// SPDX-License-Identifier: Apache-2.0
#include "base/latency_histogram.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tegu {
namespace {

constexpr int kSubBits = LatencyHistogram::kSubBits;
constexpr std::uint64_t kSub = std::uint64_t{1} << kSubBits;

// Values below 64 have a bucket each; for larger values the six bits after the leading one select it.
std::size_t bucket_of(std::uint64_t value) {
    if (value >= std::uint64_t{1} << LatencyHistogram::kTopBit) return LatencyHistogram::kBuckets - 1;
    if (value < kSub) return static_cast<std::size_t>(value);
    const int shift = 63 - __builtin_clzll(value) - kSubBits;
    return static_cast<std::size_t>(static_cast<std::uint64_t>(shift) * kSub + (value >> shift));
}

// The first value of a bucket; the next bucket's first value is its exclusive end.
std::uint64_t start_of(std::size_t bucket) {
    if (bucket < kSub) return bucket;
    const auto shift = static_cast<int>(bucket / kSub) - 1;
    return (bucket % kSub + kSub) << shift;
}

double middle_of(std::size_t bucket) {
    const std::uint64_t first = start_of(bucket), last = start_of(bucket + 1) - 1;
    return static_cast<double>(first) + static_cast<double>(last - first) / 2;
}

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

}  // namespace

void LatencyHistogram::add(std::uint64_t ns) {
    ++buckets_[bucket_of(ns)];
    ++count_;
    sum_ns_ = saturated_sum(sum_ns_, ns);
    min_ns_ = std::min(min_ns_, ns);
    max_ns_ = std::max(max_ns_, ns);
}

double LatencyHistogram::percentile_ns(double share) const {
    assert(share >= 0 && share <= 1);
    if (count_ == 0) return 0;
    const auto wanted = std::max<std::uint64_t>(
        static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))), 1);
    const auto smallest = static_cast<double>(min_ns_), largest = static_cast<double>(max_ns_);
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket + 1 < kBuckets; ++bucket) {
        seen += buckets_[bucket];
        if (seen >= wanted) return std::min(std::max(middle_of(bucket), smallest), largest);
    }
    return largest;
}

void LatencyHistogram::count_up_to(Span<const std::uint64_t> bounds_ns, Span<std::uint64_t> counts) const {
    assert(bounds_ns.size() == counts.size());
    std::uint64_t seen = 0;
    std::size_t bucket = 0;
    for (std::size_t i = 0; i < bounds_ns.size(); ++i) {
        const std::size_t last = bucket_of(bounds_ns[i]);
        const std::size_t end = middle_of(last) <= static_cast<double>(bounds_ns[i]) ? last + 1 : last;
        for (; bucket < std::min(end, kBuckets - 1); ++bucket) seen += buckets_[bucket];
        counts[i] = seen;
    }
}

}  // namespace tegu
