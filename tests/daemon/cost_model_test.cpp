// SPDX-License-Identifier: Apache-2.0
#include "daemon/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tegu::daemon {
namespace {

constexpr Operation kOp = Operation::Topk;

// A job as the daemon sees it: predicted, then measured.
void run(CostModel& model, Place place, unsigned threads, std::uint64_t plan_ns, std::uint64_t measured_ns) {
    model.learn(kOp, place, threads, plan_ns, model.predict_ns(kOp, place, plan_ns), measured_ns);
}

TEST(CostModel, BelievesThePlanAtFirstAndAllThreadsToShareIt) {
    const CostModel model(8);
    EXPECT_EQ(40'000u, model.predict_ns(kOp, Place::Inline, 40'000));
    EXPECT_EQ(1'000'000u, model.predict_ns(kOp, Place::Executor, 8'000'000));
    EXPECT_EQ(0u, model.record(kOp).jobs);
    EXPECT_EQ(0.0, model.record(kOp).error());
}

TEST(CostModel, PredictionsAreNeverZeroAndSaturate) {
    CostModel model(4);
    EXPECT_EQ(1u, model.predict_ns(kOp, Place::Executor, 0));
    for (int i = 0; i < 200; ++i) run(model, Place::Executor, 4, 1000, 1'000'000'000);
    EXPECT_EQ(CostModel::kMost, model.correction(kOp, Place::Executor));
    const std::uint64_t huge = model.predict_ns(kOp, Place::Executor, UINT64_MAX);
    EXPECT_GT(huge, std::uint64_t{1} << 62);
    EXPECT_LT(huge, std::uint64_t{1} << 63);
}

TEST(CostModel, LearnsTheSpeedOfTheMachineInBothDirections) {
    for (const double speed : {0.1, 0.5, 1.0, 3.0, 20.0}) {
        CostModel model(1);
        for (int i = 0; i < 100; ++i) run(model, Place::Inline, 1, 10'000, static_cast<std::uint64_t>(10'000 * speed));
        EXPECT_NEAR(speed, model.correction(kOp, Place::Inline), speed * 0.01);
        EXPECT_NEAR(10'000 * speed, static_cast<double>(model.predict_ns(kOp, Place::Inline, 10'000)), 100 * speed);
    }
}

TEST(CostModel, LearnsWhatThreadsGainWithoutCountingThemAsOne) {
    CostModel model(4);
    for (int i = 0; i < 100; ++i) run(model, Place::Executor, 4, 12'000'000, 6'000'000);  // memory allows a gain of 2
    EXPECT_NEAR(0.5, model.correction(kOp, Place::Executor), 0.01);
    EXPECT_NEAR(1.0, model.correction(kOp, Place::Inline), 1e-9);
}

TEST(CostModel, AJobOnOneThreadOfTheExecutorTeachesInlineOnesToo) {
    CostModel model(4);
    for (int i = 0; i < 100; ++i) run(model, Place::Executor, 1, 20'000, 60'000);
    EXPECT_NEAR(3.0, model.correction(kOp, Place::Inline), 0.05);
    EXPECT_NEAR(3.0, model.correction(kOp, Place::Executor), 0.05);
}

TEST(CostModel, AnInlinePredictionIsAtMostWhatAllThreadsTakeTogether) {
    CostModel model(4);
    for (int i = 0; i < 50; ++i) run(model, Place::Inline, 1, 10'000, 10'000 * 50);  // a machine that was busy
    EXPECT_GT(model.correction(kOp, Place::Inline), 40.0);
    for (int i = 0; i < 200; ++i) run(model, Place::Executor, 0, 10'000, 5'000);
    EXPECT_NEAR(2.0, model.correction(kOp, Place::Inline), 0.1);
}

TEST(CostModel, OneWildMeasurementMovesItLittle) {
    CostModel model(1);
    for (int i = 0; i < 50; ++i) run(model, Place::Inline, 1, 10'000, 10'000);
    run(model, Place::Inline, 1, 10'000, 10'000'000'000);
    EXPECT_LE(model.correction(kOp, Place::Inline), 1 + CostModel::kWeight * (CostModel::kMaxStep - 1) + 1e-9);
    run(model, Place::Inline, 1, 10'000, 0);
    EXPECT_GE(model.correction(kOp, Place::Inline), 1.0);
}

TEST(CostModel, OperationsLearnForThemselves) {
    CostModel model(2);
    for (int i = 0; i < 20; ++i) run(model, Place::Inline, 1, 1000, 5000);
    EXPECT_EQ(1.0, model.correction(Operation::Reduce, Place::Inline));
    EXPECT_EQ(0u, model.record(Operation::Reduce).jobs);
}

TEST(CostModel, TheErrorIsTheMeanDeviationOfThePredictionsThatWereMade) {
    CostModel model(1);
    model.learn(kOp, Place::Inline, 1, 1000, 1000, 1500);    // 0.5 too little
    model.learn(kOp, Place::Inline, 1, 1000, 1000, 900);     // 0.1 too much
    model.learn(kOp, Place::Executor, 1, 2000, 1000, 1000);  // right
    const CostRecord& record = model.record(kOp);
    EXPECT_EQ(3u, record.jobs);
    EXPECT_DOUBLE_EQ(3000e-9, record.predicted_seconds);
    EXPECT_DOUBLE_EQ(3400e-9, record.measured_seconds);
    EXPECT_NEAR(0.2, record.error(), 1e-12);
    model.learn(kOp, Place::Inline, 1, 1000, 0, UINT64_MAX);
    EXPECT_NEAR((0.6 + CostModel::kMaxError) / 4, record.error(), 1e-9);
}

TEST(CostModel, AnOverrunRaisesThePredictionAndIsNoRecord) {
    CostModel model(2);
    model.learn_overrun(kOp, 10'000, 5'000'000);
    EXPECT_GT(model.correction(kOp, Place::Inline), 2.0);
    EXPECT_EQ(0u, model.record(kOp).jobs);
    const double before = model.correction(kOp, Place::Inline);
    model.learn_overrun(kOp, 10'000'000, 5'000'000);  // less than expected so far: says nothing
    EXPECT_EQ(before, model.correction(kOp, Place::Inline));
}

TEST(CostModel, ThreadsOfAPolicy) {
    EXPECT_EQ(2u, threads_of_policy("cpu avx2 threads=2 tile=1024"));
    EXPECT_EQ(16u, threads_of_policy("cpu neon threads=16"));
    EXPECT_EQ(0u, threads_of_policy("cpu avx2"));
    EXPECT_EQ(0u, threads_of_policy(""));
    EXPECT_EQ(0u, threads_of_policy("cpu threads="));
    EXPECT_EQ(0u, threads_of_policy("cpu subthreads=3"));
    EXPECT_EQ(4096u, threads_of_policy("cpu avx2 threads=99999999999999999999"));
}

}  // namespace
}  // namespace tegu::daemon
