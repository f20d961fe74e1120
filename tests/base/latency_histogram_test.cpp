// SPDX-License-Identifier: Apache-2.0
#include "base/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tegu {
namespace {

constexpr double kShares[] = {0, 0.001, 0.5, 0.9, 0.99, 0.999, 1};

double exact_quantile(const std::vector<std::uint64_t>& sorted, double share) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return static_cast<double>(sorted[rank == 0 ? 0 : rank - 1]);
}

void expect_quantiles(const LatencyHistogram& histogram, std::vector<std::uint64_t> values) {
    std::sort(values.begin(), values.end());
    ASSERT_EQ(histogram.count(), values.size());
    EXPECT_EQ(histogram.min_ns(), values.front());
    EXPECT_EQ(histogram.max_ns(), values.back());
    for (const double share : kShares) {
        const double exact = exact_quantile(values, share);
        EXPECT_LE(std::abs(histogram.percentile_ns(share) - exact), 0.01 * exact) << "share " << share;
    }
}

TEST(LatencyHistogram, IsZeroWhileEmpty) {
    const LatencyHistogram histogram;
    EXPECT_EQ(histogram.count(), 0u);
    EXPECT_EQ(histogram.min_ns(), 0u);
    EXPECT_EQ(histogram.max_ns(), 0u);
    EXPECT_EQ(histogram.percentile_ns(0.5), 0);
}

TEST(LatencyHistogram, TellsSmallTimesExactly) {
    LatencyHistogram histogram;
    for (std::uint64_t ns = 0; ns < 64; ++ns) histogram.add(ns);
    for (int k = 1; k <= 64; ++k) EXPECT_EQ(histogram.percentile_ns(k / 64.0), k - 1);
}

TEST(LatencyHistogram, IsWithinOnePercentOfTheExactQuantiles) {
    const unsigned seed = 20260101;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> skewed(11, 3);
    std::exponential_distribution<double> waiting(1e-6);
    std::uniform_int_distribution<int> bits(0, 42);
    for (int distribution = 0; distribution < 3; ++distribution) {
        SCOPED_TRACE(distribution);
        LatencyHistogram histogram;
        std::vector<std::uint64_t> values;
        for (int i = 0; i < 20000; ++i) {
            const std::uint64_t value = distribution == 0
                                            ? static_cast<std::uint64_t>(std::min(skewed(random), 8e12))
                                        : distribution == 1 ? static_cast<std::uint64_t>(waiting(random))
                                                            : random() >> (63 - bits(random));
            values.push_back(value);
            histogram.add(value);
        }
        expect_quantiles(histogram, values);
    }
}

TEST(LatencyHistogram, IsWithinOnePercentAtTheEdgesOfEveryBucket) {
    for (int bit = 0; bit < LatencyHistogram::kTopBit; ++bit)
        for (std::uint64_t step = 0; step < 64; ++step)
            for (const int beside : {-1, 0, 1}) {
                const std::uint64_t edge = (std::uint64_t{1} << bit) + ((step << bit) >> 6);
                const std::uint64_t value = edge + static_cast<std::uint64_t>(beside);
                LatencyHistogram histogram;  // the value between two that do not clamp it
                histogram.add(0);
                histogram.add(value);
                histogram.add(UINT64_MAX);
                const auto exact = static_cast<double>(value);
                ASSERT_LE(std::abs(histogram.percentile_ns(0.5) - exact), 0.01 * exact) << value;
            }
}

TEST(LatencyHistogram, KeepsTimesBeyondItsRange) {
    LatencyHistogram histogram;
    histogram.add(UINT64_MAX);
    histogram.add(UINT64_MAX);
    EXPECT_EQ(histogram.max_ns(), UINT64_MAX);
    EXPECT_EQ(histogram.sum_ns(), UINT64_MAX) << "stops there";
    EXPECT_EQ(histogram.percentile_ns(0.5), static_cast<double>(UINT64_MAX));
}

TEST(LatencyHistogram, CountsUpToBoundsAsTheSamplesDo) {
    LatencyHistogram histogram;
    for (const std::uint64_t us : {1, 1, 3, 700, 5000, 2'000'000}) histogram.add(us * 1000);
    const std::vector<std::uint64_t> bounds = {0, 500, 2'000, 1'000'000, 10'000'000, UINT64_MAX};
    std::vector<std::uint64_t> counts(bounds.size());
    histogram.count_up_to(bounds, counts);
    EXPECT_EQ(counts, (std::vector<std::uint64_t>{0, 0, 2, 4, 5, 6}));
}

}  // namespace
}  // namespace tegu
