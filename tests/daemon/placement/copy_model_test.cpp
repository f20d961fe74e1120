// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/copy_model.h"

#include <gtest/gtest.h>

namespace tegu::daemon {
namespace {

TEST(CopyModel, NothingTakesNoTime) {
    CopyModel copies;
    EXPECT_EQ(0u, copies.predict_ns(0));
    EXPECT_GT(copies.predict_ns(1), 0u);
    EXPECT_FALSE(copies.is_measured());
    copies.learn(0, 1000);
    copies.learn(1000, 0);
    EXPECT_EQ(CopyModel().predict_ns(1), copies.predict_ns(1)) << "what says nothing teaches nothing";
}

TEST(CopyModel, LearnsItsFixedTimeAndItsSpeed) {
    CopyModel copies;
    for (int i = 0; i < 30; ++i) copies.learn(64, 30'000);
    for (int i = 0; i < 30; ++i) copies.learn(16 << 20, 30'000 + (16 << 20) / 10);
    EXPECT_TRUE(copies.is_measured());
    EXPECT_NEAR(30'000, static_cast<double>(copies.predict_ns(64)), 600);
    EXPECT_NEAR(10, copies.gb_per_s(), 0.2);
    EXPECT_NEAR(30'000 + 4e6, static_cast<double>(copies.predict_ns(40'000'000)), 1e5);
}

TEST(CopyModel, OneThatWasHeldUpMovesItLittle) {
    CopyModel copies;
    for (int i = 0; i < 30; ++i) copies.learn(16 << 20, 2'000'000);
    copies.learn(16 << 20, 2'000'000'000);
    EXPECT_LT(copies.predict_ns(16 << 20), 2'400'000u);
}

TEST(CopyModel, HugeSizesDoNotOverflow) {
    EXPECT_LT(CopyModel().predict_ns(UINT64_MAX), std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace tegu::daemon
