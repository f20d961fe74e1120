// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/gain.h"

#include <gtest/gtest.h>

namespace tegu::tune {
namespace {

Duel duel(double tuned_us, double initial_us, double noise) {
    return {{tuned_us, noise, 9}, {initial_us, noise, 9}};
}

TEST(Gain, TakesGeometricMeansOverTheJobs) {
    const Gain gain = gain_of({duel(50, 100, 0.001), duel(200, 200, 0.004)});
    EXPECT_NEAR(gain.time_us, 100, 1e-9);
    EXPECT_NEAR(gain.default_us, 141.42135623730951, 1e-9);
    EXPECT_NEAR(gain.speed(), 1.4142135623730951, 1e-12);
    EXPECT_NEAR(gain.share(), 1 - 1 / 1.4142135623730951, 1e-12);
    EXPECT_EQ(gain.worst, 1);
    EXPECT_EQ(gain.noise, 0.004);
}

TEST(Gain, OfNothingIsNone) {
    EXPECT_EQ(gain_of({}).speed(), 1);
    EXPECT_FALSE(is_clear(gain_of({})));
    EXPECT_FALSE(is_clear(gain_of({duel(0, 0, 0)})));
}

TEST(Gain, IsClearFromThreePercentOn) {
    EXPECT_TRUE(is_clear(gain_of({duel(96.9, 100, 0.001)})));
    EXPECT_FALSE(is_clear(gain_of({duel(97.1, 100, 0.001)})));
    EXPECT_FALSE(is_clear(gain_of({duel(103, 100, 0.001)})));
}

TEST(Gain, IsClearFromThreeNoisesOn) {
    EXPECT_FALSE(is_clear(gain_of({duel(91, 100, 0.04)})));
    EXPECT_TRUE(is_clear(gain_of({duel(87, 100, 0.04)})));
    EXPECT_TRUE(is_clear(gain_of({duel(91, 100, 0.02)})));
}

TEST(Gain, IsNotClearIfOneJobGetsSlower) {
    EXPECT_TRUE(is_clear(gain_of({duel(50, 100, 0.001), duel(100.5, 100, 0.001)})));
    EXPECT_FALSE(is_clear(gain_of({duel(50, 100, 0.001), duel(101.5, 100, 0.001)})));
}

}  // namespace
}  // namespace tegu::tune
