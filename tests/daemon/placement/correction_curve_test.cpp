// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/correction_curve.h"

#include <gtest/gtest.h>

namespace tegu::daemon {
namespace {

constexpr double kTime = 1e6;

TEST(CorrectionCurve, BelievesItsParentUntilItHasSeenAJob) {
    CorrectionCurve curve;
    EXPECT_TRUE(curve.empty());
    EXPECT_EQ(1.5, curve.at(kTime, {1.5, 1}));
    curve.observe(kTime, 0.5, {1.5, 1});
    EXPECT_FALSE(curve.empty());
    EXPECT_LT(curve.at(kTime, {1.5, 1}), 1);
    EXPECT_NEAR(curve.at(1000 * kTime, {1.5, 1}), 1.5, 0.1) << "far away it knows nothing";
}

TEST(CorrectionCurve, NeighboursCountUntilACellKnowsBetter) {
    CorrectionCurve curve;
    for (int i = 0; i < 20; ++i) curve.observe(kTime, 3, {});
    EXPECT_GT(curve.at(2 * kTime, {}), 2) << "an octave away";
    EXPECT_LT(curve.at(1024 * kTime, {}), 0.6) << "ten octaves away";
    EXPECT_GT(curve.at(1024 * kTime, {0, 0.01}), 2) << "nobody else knows anything";
    for (int i = 0; i < 20; ++i) curve.observe(2 * kTime, -1, {});
    EXPECT_NEAR(curve.at(2 * kTime, {}), -1, 0.2);
    EXPECT_NEAR(curve.at(kTime, {}), 3, 0.2);
}

TEST(CorrectionCurve, TheFirstJobsMoveItFarAndLaterOnesLittle) {
    CorrectionCurve curve;
    curve.observe(kTime, 20, {});
    EXPECT_LE(curve.at(kTime, {}), CorrectionCurve::kFirstStep) << "one job is no proof";
    for (int i = 0; i < 30; ++i) curve.observe(kTime, 2, {});
    const double settled = curve.at(kTime, {});
    curve.observe(kTime, 10, {});
    EXPECT_LT(curve.at(kTime, {}) - settled, 0.2);
}

TEST(CorrectionCurve, StaysWithinItsBounds) {
    CorrectionCurve curve;
    for (int i = 0; i < 1000; ++i) curve.observe(kTime, 1000, {});
    EXPECT_LE(curve.at(kTime, {}), CorrectionCurve::kMaxOctaves);
    for (int i = 0; i < 2000; ++i) curve.observe(kTime, -1000, {});
    EXPECT_GE(curve.at(kTime, {}), -CorrectionCurve::kMaxOctaves);
    for (const double odd : {0.0, -1.0, 1.0, 1e300}) {
        curve.observe(odd, 1, {});
        curve.seed(odd, 1e9);
        EXPECT_LE(curve.at(odd, {}), CorrectionCurve::kMaxOctaves) << odd;
    }
}

TEST(CorrectionCurve, ASampleIsBelievedAtOnce) {
    CorrectionCurve curve;
    curve.seed(kTime, 5);
    EXPECT_GT(curve.at(kTime, {}), 3.9);
    curve.seed(kTime, 7);
    EXPECT_GT(curve.at(kTime, {}), 4.5) << "the mean of two";
    EXPECT_EQ(2u, curve.seen(kTime));
}

TEST(CorrectionCurve, WhatWasGivenUpRaisesIt) {
    CorrectionCurve curve;
    curve.raise(kTime, 8);
    EXPECT_GT(curve.at(kTime, {}), 2.5);
    curve.raise(kTime, 1);
    EXPECT_GT(curve.at(kTime, {}), 2.5) << "it is above that already";
}

TEST(CorrectionCurve, AnUpperBoundIsNoEvidence) {
    CorrectionCurve curve;
    for (int i = 0; i < 20; ++i) curve.observe(kTime, 5, {});
    curve.lower(kTime, 6, {});
    EXPECT_NEAR(curve.at(kTime, {}), 5, 0.3) << "it is below that already";
    curve.lower(kTime, 2, {});
    EXPECT_LT(curve.at(kTime, {}), 2.1);
    curve.observe(kTime, 0, {});
    EXPECT_LT(curve.at(kTime, {}), 1.3) << "what is seen then counts for much";
}

TEST(CorrectionCurve, CountsJobsThatRanElsewhereUntilItLearns) {
    CorrectionCurve curve;
    for (int i = 0; i < 70'000; ++i) curve.note_elsewhere(kTime);
    EXPECT_EQ(65'535u, curve.elsewhere(kTime));
    EXPECT_EQ(0u, curve.elsewhere(4 * kTime));
    curve.observe(kTime, 0, {});
    EXPECT_EQ(0u, curve.elsewhere(kTime));
}

// A large job that is never tried follows the smaller ones that are.
TEST(CorrectionCurve, WhatWasSeenLongAgoGivesWayToNewerNeighbours) {
    CorrectionCurve curve;
    for (int i = 0; i < 20; ++i) curve.observe(4 * kTime, 5, {});
    for (int i = 0; i < 20; ++i) curve.observe(kTime, 0, {});
    const double before = curve.at(4 * kTime, {});
    EXPECT_NEAR(before, 5, 0.3);
    for (int i = 0; i < 50'000; ++i) curve.note_elsewhere(4 * kTime);
    EXPECT_LT(curve.at(4 * kTime, {}), 2.5);
}

TEST(CorrectionCurve, OneMeasurementMayBeLeftOutBeforeAnyIsLearnt) {
    CorrectionCurve fresh, known;
    EXPECT_TRUE(fresh.skip_first());
    EXPECT_FALSE(fresh.skip_first());
    known.observe(kTime, 0, {});
    EXPECT_FALSE(known.skip_first());
}

// What runs again after others ran elsewhere finds cold caches.
TEST(CorrectionCurve, TheFirstOfARowOfTrialsSaysNothing) {
    CorrectionCurve curve;
    EXPECT_FALSE(curve.warms_up(1e5)) << "nothing ran elsewhere";
    curve.observe(1e5, 1, {0, 0.02});
    for (int i = 0; i < 20; ++i) curve.note_elsewhere(1e5);
    EXPECT_EQ(20u, curve.elsewhere(1e5));
    curve.note_trial(1e5);
    EXPECT_TRUE(curve.warms_up(1e5));
    for (unsigned next = 1; next < CorrectionCurve::kTrialsInARow; ++next) {
        EXPECT_GT(curve.elsewhere(1e5), 60'000u) << "the next one is due";
        curve.note_trial(1e5);
        EXPECT_FALSE(curve.warms_up(1e5));
        curve.observe(1e5, 1, {0, 0.02});
    }
    EXPECT_EQ(0u, curve.elsewhere(1e5));
    EXPECT_FALSE(curve.warms_up(1e5));
}

// They end without a result, or with one that says nothing.
TEST(CorrectionCurve, TrialsThatAreNotLearntFromCountAsWell) {
    CorrectionCurve curve;
    for (int i = 0; i < 20; ++i) curve.note_elsewhere(1e5);
    for (unsigned trial = 0; trial < CorrectionCurve::kTrialsInARow; ++trial) curve.note_trial(1e5);
    EXPECT_EQ(0u, curve.elsewhere(1e5));
}

TEST(CorrectionCurve, OneJobThatWasGivenUpIsTakenBackSoon) {
    CorrectionCurve curve;
    const CorrectionCurve::Parent plain{0, 0.02};
    curve.raise(4e4, 7);
    for (int i = 0; i < 15; ++i) curve.observe(4e4, 0, plain);
    EXPECT_LT(curve.at(4e4, plain), 1);
}

}  // namespace
}  // namespace tegu::daemon
