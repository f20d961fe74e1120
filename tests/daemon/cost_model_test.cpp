// SPDX-License-Identifier: Apache-2.0
#include "daemon/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tegu::daemon {
namespace {

constexpr Operation kOp = Operation::Topk;

constexpr std::uint64_t kLong = 2'000'000;  // of a plan that teaches with the full weight

MeasuredJob job(Place place, unsigned threads, std::uint64_t plan_ns, std::uint64_t measured_ns) {
    MeasuredJob job;
    job.operation = kOp;
    job.place = place;
    job.threads = threads;
    job.plan_ns = plan_ns;
    job.predicted_ns = plan_ns;
    job.measured_ns = measured_ns;
    return job;
}

// As the daemon sees it: predicted, then measured.
void run(CostModel& model, Place place, unsigned threads, std::uint64_t plan_ns, std::uint64_t measured_ns) {
    MeasuredJob measured = job(place, threads, plan_ns, measured_ns);
    measured.predicted_ns = model.predict_ns(kOp, place, plan_ns);
    model.learn(measured);
}

TEST(CostModel, LearnsOfAGpuByItself) {
    CostModel model(4);
    EXPECT_EQ(model.predict_ns(kOp, Place::Executor, 1'000'000), model.predict_ns(kOp, Place::Gpu, 1'000'000));
    for (int i = 0; i < 100; ++i) run(model, Place::Gpu, 1, kLong, kLong / 20);
    EXPECT_NEAR(0.05, model.correction(kOp, Place::Gpu), 0.001);
    EXPECT_EQ(1.0, model.correction(kOp, Place::Inline)) << "it says nothing of the CPU";
    EXPECT_EQ(0.25, model.correction(kOp, Place::Executor));
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
    for (int i = 0; i < 200; ++i) run(model, Place::Executor, 4, kLong, kLong * 1000);
    EXPECT_EQ(CostModel::kMost, model.correction(kOp, Place::Executor));
    const std::uint64_t huge = model.predict_ns(kOp, Place::Executor, UINT64_MAX);
    EXPECT_GT(huge, std::uint64_t{1} << 62);
    EXPECT_LT(huge, std::uint64_t{1} << 63);
}

TEST(CostModel, LearnsTheSpeedOfTheMachineInBothDirections) {
    for (const double speed : {0.1, 0.5, 1.0, 3.0, 20.0}) {
        CostModel model(1);
        for (int i = 0; i < 100; ++i) run(model, Place::Inline, 1, kLong, static_cast<std::uint64_t>(kLong * speed));
        EXPECT_NEAR(speed, model.correction(kOp, Place::Inline), speed * 0.01);
        EXPECT_NEAR(10'000 * speed, static_cast<double>(model.predict_ns(kOp, Place::Inline, 10'000)), 100 * speed);
    }
}

TEST(CostModel, FewSmallJobsSayTheSpeedOfTheMachineRoughly) {
    CostModel model(1);
    for (int i = 0; i < 100; ++i) run(model, Place::Inline, 1, 20'000, 60'000);
    EXPECT_GT(model.correction(kOp, Place::Inline), 2.5);
    EXPECT_LE(model.correction(kOp, Place::Inline), 3.0);
}

TEST(CostModel, LearnsWhatThreadsGainWithoutCountingThemAsOne) {
    CostModel model(4);
    for (int i = 0; i < 100; ++i) run(model, Place::Executor, 4, 12'000'000, 6'000'000);  // memory allows a gain of 2
    EXPECT_NEAR(0.5, model.correction(kOp, Place::Executor), 0.01);
    EXPECT_NEAR(1.0, model.correction(kOp, Place::Inline), 1e-9);
}

TEST(CostModel, AJobOnOneThreadOfTheExecutorTeachesInlineOnesToo) {
    CostModel model(4);
    for (int i = 0; i < 100; ++i) run(model, Place::Executor, 1, kLong, 3 * kLong);
    EXPECT_NEAR(3.0, model.correction(kOp, Place::Inline), 0.05);
    EXPECT_NEAR(3.0, model.correction(kOp, Place::Executor), 0.05);
}

TEST(CostModel, AnInlinePredictionIsAtMostWhatAllThreadsTakeTogether) {
    CostModel model(4);
    for (int i = 0; i < 50; ++i) run(model, Place::Inline, 1, kLong, 50 * kLong);  // a machine that was busy
    EXPECT_GT(model.correction(kOp, Place::Inline), 40.0);
    for (int i = 0; i < 200; ++i) run(model, Place::Executor, 4, kLong, kLong / 2);
    EXPECT_NEAR(2.0, model.correction(kOp, Place::Inline), 0.1);
}

TEST(CostModel, OneWildMeasurementMovesItLittle) {
    CostModel model(1);
    for (int i = 0; i < 50; ++i) run(model, Place::Inline, 1, kLong, kLong);
    run(model, Place::Inline, 1, kLong, 1000 * kLong);
    EXPECT_LE(model.correction(kOp, Place::Inline), 1 + CostModel::kWeight * (CostModel::kMaxStep - 1) + 1e-9);
    run(model, Place::Inline, 1, kLong, 0);
    EXPECT_GE(model.correction(kOp, Place::Inline), 1.0);
}

TEST(CostModel, SmallJobsTeachInProportionToTheirPlannedTime) {
    CostModel model(1);
    for (int i = 0; i < 50; ++i) run(model, Place::Inline, 1, kLong, kLong);
    for (int i = 0; i < 100; ++i) run(model, Place::Inline, 1, 10'000, 40'000);  // half a long job in all
    const double after = model.correction(kOp, Place::Inline);
    EXPECT_GT(after, 1.2);
    EXPECT_LT(after, 1 + CostModel::kWeight * (CostModel::kMaxStep - 1) + 1e-9);
}

TEST(CostModel, TinyAndColdJobsTeachNothingAndAreNoRecord) {
    CostModel model(2);
    for (int i = 0; i < 100'000; ++i) run(model, Place::Inline, 1, CostModel::kLeastNs - 1, 1'000'000);
    MeasuredJob cold = job(Place::Executor, 2, kLong, 100 * kLong);
    cold.cold = true;
    for (int i = 0; i < 1000; ++i) model.learn(cold);
    EXPECT_EQ(1.0, model.correction(kOp, Place::Inline));
    EXPECT_EQ(0.5, model.correction(kOp, Place::Executor));
    EXPECT_EQ(0u, model.record(kOp).jobs);
    run(model, Place::Inline, 1, CostModel::kLeastNs, 6000);
    EXPECT_EQ(1u, model.record(kOp).jobs);
}

TEST(CostModel, OnASlowMachineJobsTeachFromTheTimeThatTheyTakeThere) {
    CostModel model(1);
    for (int i = 0; i < 100; ++i) run(model, Place::Inline, 1, kLong, 10 * kLong);
    const std::uint64_t before = model.record(kOp).jobs;
    run(model, Place::Inline, 1, CostModel::kLeastNs / 5, 2 * CostModel::kLeastNs);
    EXPECT_EQ(before + 1, model.record(kOp).jobs);
}

TEST(CostModel, OperationsLearnForThemselves) {
    CostModel model(2);
    for (int i = 0; i < 20; ++i) run(model, Place::Inline, 1, kLong, 5 * kLong);
    EXPECT_EQ(1.0, model.correction(Operation::Reduce, Place::Inline));
    EXPECT_EQ(0u, model.record(Operation::Reduce).jobs);
}

TEST(CostModel, TheErrorIsTheShareOfTheMeasuredTimeThatWasPredictedWrongly) {
    CostModel model(1);
    model.learn(job(Place::Inline, 1, 10'000, 15'000));          // 5 us too little
    model.learn(job(Place::Inline, 1, 10'000, 9'000));           // 1 us too much
    model.learn(job(Place::Executor, 1, 1'000'000, 1'000'000));  // right
    const CostRecord& record = model.record(kOp);
    EXPECT_EQ(3u, record.jobs);
    EXPECT_DOUBLE_EQ(1020e-6, record.predicted_seconds);
    EXPECT_DOUBLE_EQ(1024e-6, record.measured_seconds);
    EXPECT_NEAR(6.0 / 1024, record.error(), 1e-12);
}

TEST(CostModel, AnOverrunRaisesThePredictionAndIsNoRecord) {
    CostModel model(2);
    model.learn_overrun(kOp, 1'000, 5'000'000);  // however small the plan
    EXPECT_GT(model.correction(kOp, Place::Inline), 2.0);
    EXPECT_EQ(0u, model.record(kOp).jobs);
    const double before = model.correction(kOp, Place::Inline);
    model.learn_overrun(kOp, 10'000'000, 5'000'000);  // less than expected so far: says nothing
    EXPECT_EQ(before, model.correction(kOp, Place::Inline));
}

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
    for (int i = 0; i < 5 * static_cast<int>(CostAccuracy::kMost); ++i) accuracy.add(1.25);
    EXPECT_LT(accuracy.jobs(), CostAccuracy::kMost);
    EXPECT_NEAR(accuracy.error(0.9), 0.25, 0.1);
    EXPECT_NEAR(accuracy.bias(), 1.25, 0.1);
}

TEST(CostAccuracy, OfAnOperationIsOfTheJobsThatTeach) {
    CostModel model(4);
    MeasuredJob cold = job(Place::Inline, 1, kLong, kLong * 100);
    cold.cold = true;
    model.learn(cold);
    model.learn(job(Place::Inline, 1, CostModel::kLeastNs - 1, 1'000'000));
    EXPECT_EQ(model.record(kOp).accuracy.jobs(), 0u);
    model.learn(job(Place::Inline, 1, kLong, kLong * 2));
    model.learn(job(Place::Inline, 1, kLong, 0));
    EXPECT_EQ(model.record(kOp).accuracy.jobs(), 2u);
    CostAccuracy sum;
    sum += model.record(kOp).accuracy;
    EXPECT_EQ(sum.jobs(), 2u);
    EXPECT_EQ(sum.bias(), model.record(kOp).accuracy.bias());
}

}  // namespace
}  // namespace tegu::daemon
