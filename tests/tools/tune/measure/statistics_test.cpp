// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tegu::tune {
namespace {

TEST(Statistics, MedianOfOddAndEvenNumbers) {
    EXPECT_EQ(median({}), 0);
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({9, 1, 5}), 5);
    EXPECT_EQ(median({9, 1, 5, 7}), 6);
}

TEST(Statistics, GeometricMean) {
    EXPECT_EQ(geometric_mean({}), 1);
    EXPECT_NEAR(geometric_mean({2, 8}), 4, 1e-12);
    EXPECT_NEAR(geometric_mean({1.5, 1 / 1.5, 3}), std::cbrt(3.0), 1e-12);
}

TEST(Statistics, NoiseIsTheMedianDeviationSoOneOutlierDoesNotCount) {
    const Timing timing = timing_of({100, 101, 99, 100, 5000});
    EXPECT_EQ(timing.us, 100);
    EXPECT_NEAR(timing.noise, 0.01, 1e-12);
    EXPECT_EQ(timing.samples, 5u);
    EXPECT_EQ(timing_of({}).us, 0);
    EXPECT_EQ(timing_of({7}).noise, 0);
}

}  // namespace
}  // namespace tegu::tune
