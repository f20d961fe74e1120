// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/cost_accuracy.h"

#include <gtest/gtest.h>

namespace tegu::daemon {
namespace {

TEST(CostAccuracy, SaysHowFarMostPredictionsWereOffAndWhichWay) {
    CostAccuracy accuracy;
    EXPECT_EQ(accuracy.bias(), 1);
    EXPECT_EQ(accuracy.error(0.9), 0);
    for (int i = 0; i < 50; ++i) accuracy.add(2), accuracy.add(0.5);
    EXPECT_EQ(accuracy.jobs(), 100u);
    EXPECT_NEAR(accuracy.bias(), 1, 1e-9) << "as often too long as too short";
    EXPECT_NEAR(accuracy.error(0.9), 1, 0.1) << "by a factor of two, in either direction";
    for (int i = 0; i < 900; ++i) accuracy.add(1);
    EXPECT_LT(accuracy.error(0.9), 0.1) << "nine of ten are right";
    EXPECT_NEAR(accuracy.error(1), 1, 0.1);
}

TEST(CostAccuracy, ForgetsWhatWasLongAgo) {
    CostAccuracy accuracy;
    for (int i = 0; i < 10'000; ++i) accuracy.add(1000);
    EXPECT_NEAR(accuracy.bias(), 1000, 1);
    EXPECT_GT(accuracy.error(0.9), 200) << "beyond what it tells apart";
    for (int i = 0; i < 5 * static_cast<int>(CostAccuracy::kMax); ++i) accuracy.add(1.25);
    EXPECT_LT(accuracy.jobs(), CostAccuracy::kMax);
    EXPECT_NEAR(accuracy.error(0.9), 0.25, 0.1);
    EXPECT_NEAR(accuracy.bias(), 1.25, 0.1);
}

TEST(CostRecord, TheErrorIsTheShareOfTheMeasuredTimeThatWasPredictedWrongly) {
    CostRecord record;
    EXPECT_EQ(0.0, record.error());
    record.add(10'000, 15'000);        // 5 us too little
    record.add(10'000, 9'000);         // 1 us too much
    record.add(1'000'000, 1'000'000);  // right
    EXPECT_EQ(3u, record.jobs);
    EXPECT_DOUBLE_EQ(1020e-6, record.predicted_seconds);
    EXPECT_DOUBLE_EQ(1024e-6, record.measured_seconds);
    EXPECT_NEAR(6.0 / 1024, record.error(), 1e-12);
    record.add(0, 0);
    EXPECT_EQ(4u, record.accuracy.jobs());
}

}  // namespace
}  // namespace tegu::daemon
