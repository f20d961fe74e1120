// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "daemon/placement/gpu_work.h"
#include "daemon/placement/sample_job.h"
#include "tests/daemon/placement/placement_cases.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kLong = 2'000'000;  // of a plan
constexpr CostResource kGpu = kFirstGpu;

CostModel machine(unsigned threads, std::vector<double> gpus = {}) {
    return CostModel(CostMachine{threads, std::move(gpus)});
}

double predicted(const CostModel& model, const CostClass& job, CostResource resource) {
    return static_cast<double>(model.predict_ns(job, resource));
}

// As the daemon sees it: predicted, then measured.
void run(CostModel& model, Target target, unsigned threads, const CostClass& job, double measured_ns,
         bool cold = false) {
    MeasuredJob measured;
    measured.job = job;
    measured.target = target;
    measured.threads = threads;
    measured.predicted_ns = model.predict_ns(job, resource_of(target, 0));
    measured.measured_ns = static_cast<std::uint64_t>(measured_ns);
    measured.cold = cold;
    model.learn(measured);
}

TEST(CostModel, BelievesThePlanAtFirstAndAllThreadsToShareIt) {
    const CostModel model = machine(8);
    EXPECT_EQ(10'000u, model.predict_ns(planned(10'000), kOneThread));
    EXPECT_EQ(10'000u, model.predict_ns(planned(10'000), kPool)) << "too short to be divided";
    EXPECT_NEAR(1'000'000, predicted(model, planned(8'000'000), kPool), 10'000);
    EXPECT_EQ(CostSource::Default, model.source(kPool));
    EXPECT_EQ(0u, model.record(Operation::Topk).jobs);
}

// The default for a GPU comes from its multiprocessors and clock, so a small one is not believed to be a
// large one.
TEST(CostModel, WithoutMeasurementsAGpuIsAsFastAsItsAttributesSay) {
    const CostModel model = machine(4, {0.92, 261});
    const CostClass job = class_of_job(job_of(sum(), 1, 100'000'000));
    EXPECT_GT(predicted(model, job, kFirstGpu), 50 * predicted(model, job, kFirstGpu + 1));
    EXPECT_GT(predicted(model, job, kFirstGpu), predicted(model, job, kPool))
        << "one multiprocessor of a small board is not worth the way";
    EXPECT_EQ(gpu_speed(cuda::DeviceLimits{53, 1, 2048, 48 << 10, 256 << 10}, 921'600), 0.9216);
    EXPECT_EQ(gpu_speed(cuda::DeviceLimits{53, 2, 2048, 48 << 10, 256 << 10}, 0), 2.0) << "not told";
}

TEST(CostModel, LearnsOfAGpuByItself) {
    CostModel model = machine(4, {10});
    const double one = predicted(model, planned(kLong), kOneThread),
                 pool = predicted(model, planned(kLong), kPool);
    for (int i = 0; i < 100; ++i) run(model, Target::Gpu, 1, planned(kLong), kLong / 20.0);
    EXPECT_NEAR(kLong / 20.0, predicted(model, planned(kLong), kGpu), kLong / 400.0);
    EXPECT_EQ(one, predicted(model, planned(kLong), kOneThread)) << "it says nothing of the CPU";
    EXPECT_EQ(pool, predicted(model, planned(kLong), kPool));
    EXPECT_NEAR(0.05, model.correction(Operation::Topk, kGpu), 0.01);
}

TEST(CostModel, PredictionsAreNeverZeroAndSaturate) {
    CostModel model = machine(4, {10});
    EXPECT_EQ(1u, model.predict_ns(planned(1), kPool));
    const std::uint64_t huge = model.predict_ns(planned(UINT64_MAX), kOneThread);
    EXPECT_GT(huge, std::uint64_t{1} << 62);
    EXPECT_LT(huge, std::uint64_t{1} << 63);
    for (int i = 0; i < 200; ++i) run(model, Target::Pool, 4, planned(kLong), kLong * 1e6);
    EXPECT_LE(predicted(model, planned(kLong), kPool), 1024.0 * kLong) << "a correction has its bounds";
}

TEST(CostModel, LearnsTheSpeedOfTheMachineInBothDirections) {
    for (const double speed : {0.1, 0.5, 1.0, 3.0, 20.0}) {
        CostModel model = machine(1);
        for (int i = 0; i < 30; ++i) run(model, Target::Inline, 1, planned(kLong), kLong * speed);
        EXPECT_NEAR(kLong * speed, predicted(model, planned(kLong), kOneThread), kLong * speed * 0.05)
            << speed;
        CostClass other = planned(kLong);
        other.key ^= 1 << 16;
        EXPECT_NEAR(kLong * speed, predicted(model, other, kOneThread), kLong * speed * 0.25)
            << "another class of the operation is believed to be alike: " << speed;
    }
}

TEST(CostModel, WhatOneClassShowsDoesNotMoveAnotherThatIsKnown) {
    CostModel model = machine(1);
    CostClass other = planned(kLong);
    other.key ^= 1 << 16;
    for (int i = 0; i < 30; ++i) run(model, Target::Inline, 1, other, kLong);
    for (int i = 0; i < 300; ++i) run(model, Target::Inline, 1, planned(kLong), 8.0 * kLong);
    EXPECT_NEAR(8.0 * kLong, predicted(model, planned(kLong), kOneThread), 0.4 * kLong);
    EXPECT_NEAR(kLong, predicted(model, other, kOneThread), 0.15 * kLong);
    EXPECT_EQ(planned(kLong, Operation::Reduce).plan_ns,
              model.predict_ns(planned(kLong, Operation::Reduce), kOneThread));
}

// Small jobs of a class do not move what is known of its large ones.
TEST(CostModel, SizesOfAClassLearnForThemselves) {
    CostModel model = machine(1);
    for (int i = 0; i < 30; ++i) run(model, Target::Inline, 1, planned(50 * kLong), 50.0 * kLong);
    for (int i = 0; i < 1000; ++i) run(model, Target::Inline, 1, planned(20'000), 80'000);
    EXPECT_NEAR(80'000, predicted(model, planned(20'000), kOneThread), 4'000);
    EXPECT_NEAR(50.0 * kLong, predicted(model, planned(50 * kLong), kOneThread), 5.0 * kLong);
}

TEST(CostModel, LearnsWhatThreadsGainWithoutCountingThemAsOne) {
    CostModel model = machine(4);
    const CostClass job = planned(12'000'000);
    for (int i = 0; i < 30; ++i) run(model, Target::Pool, 4, job, 6'000'000);  // memory allows a gain of 2
    EXPECT_NEAR(6'000'000, predicted(model, job, kPool), 200'000);
    EXPECT_EQ(12'000'000u, model.predict_ns(job, kOneThread));
}

TEST(CostModel, AJobOnOneThreadOfThePoolTeachesInlineOnesToo) {
    CostModel model = machine(4);
    for (int i = 0; i < 30; ++i) run(model, Target::Pool, 1, planned(kLong), 3.0 * kLong);
    EXPECT_NEAR(3.0 * kLong, predicted(model, planned(kLong), kOneThread), 0.15 * kLong);
    EXPECT_NEAR(3.0 * kLong, predicted(model, planned(kLong), kPool), 0.15 * kLong);
}

TEST(CostModel, AnInlinePredictionIsAtMostWhatAllThreadsTakeTogether) {
    CostModel model = machine(4);
    for (int i = 0; i < 50; ++i)
        run(model, Target::Inline, 1, planned(kLong), 50.0 * kLong);  // a machine that was busy
    EXPECT_GT(predicted(model, planned(kLong), kOneThread), 40.0 * kLong);
    for (int i = 0; i < 100; ++i) run(model, Target::Pool, 4, planned(kLong), 0.5 * kLong);
    EXPECT_NEAR(2.0 * kLong, predicted(model, planned(kLong), kOneThread), 0.2 * kLong);
}

TEST(CostModel, OneWildMeasurementMovesItLittle) {
    CostModel model = machine(1);
    for (int i = 0; i < 50; ++i)
        run(model, Target::Inline, 1, planned(kLong), i % 2 ? 1.04 * kLong : 0.96 * kLong);
    run(model, Target::Inline, 1, planned(kLong), 1000.0 * kLong);
    EXPECT_LE(predicted(model, planned(kLong), kOneThread), 1.05 * kLong);
    run(model, Target::Inline, 1, planned(kLong), 0);
    EXPECT_GE(predicted(model, planned(kLong), kOneThread), 0.95 * kLong);
}

// A power mode, or a device that is shared from now on.
TEST(CostModel, ALastingChangeIsLearntWithinSomeTenJobs) {
    CostModel model = machine(1);
    for (int i = 0; i < 100; ++i) run(model, Target::Inline, 1, planned(kLong), kLong);
    for (int i = 0; i < 40; ++i) run(model, Target::Inline, 1, planned(kLong), 10.0 * kLong);
    EXPECT_GT(predicted(model, planned(kLong), kOneThread), 7.0 * kLong);
    for (int i = 0; i < 40; ++i) run(model, Target::Inline, 1, planned(kLong), kLong);
    EXPECT_LT(predicted(model, planned(kLong), kOneThread), 1.4 * kLong) << "and forgotten";
}

TEST(CostModel, TinyAndColdJobsTeachNothingAndAreNoRecord) {
    CostModel model = machine(2);
    for (int i = 0; i < 1000; ++i) run(model, Target::Inline, 1, planned(CostModel::kMinNs - 1), 1'000'000);
    for (int i = 0; i < 1000; ++i) run(model, Target::Pool, 2, planned(kLong), 100.0 * kLong, true);
    EXPECT_EQ(kLong, model.predict_ns(planned(kLong), kOneThread));
    EXPECT_EQ(0u, model.record(Operation::Topk).jobs);
    run(model, Target::Inline, 1, planned(CostModel::kMinNs), 6000);
    EXPECT_EQ(1u, model.record(Operation::Topk).jobs);
}

// A first launch on a device loads its code; it says nothing of the second.
TEST(CostModel, TheFirstJobOfAClassMayBeACold) {
    CostModel model = machine(2, {10});
    const double before = predicted(model, planned(kLong), kGpu);
    run(model, Target::Gpu, 1, planned(kLong), 100 * before);
    EXPECT_EQ(before, predicted(model, planned(kLong), kGpu));
    EXPECT_EQ(0u, model.record(Operation::Topk).jobs);
    run(model, Target::Gpu, 1, planned(kLong), 4 * before);
    EXPECT_GT(predicted(model, planned(kLong), kGpu), 2 * before) << "the second one is believed";
    CostClass other = planned(kLong);
    other.key ^= 1 << 16;
    const double expected = predicted(model, other, kGpu);
    run(model, Target::Gpu, 1, other, expected / 3);
    EXPECT_LT(predicted(model, other, kGpu), expected / 2) << "so is a first one that is quick";
}

TEST(CostModel, AnOverrunRaisesThePredictionAndIsNoRecord) {
    CostModel model = machine(2);
    model.learn_overrun(planned(1'000), 5'000'000);  // however small the plan
    EXPECT_GT(model.predict_ns(planned(1'000), kOneThread), 20'000u);
    EXPECT_EQ(0u, model.record(Operation::Topk).jobs);
    const std::uint64_t before = model.predict_ns(planned(10'000'000), kOneThread);
    model.learn_overrun(planned(10'000'000), 5'000'000);  // less than expected so far: says nothing
    EXPECT_EQ(before, model.predict_ns(planned(10'000'000), kOneThread));
}

TEST(CostModel, SamplesAreBelievedWhateverTheySay) {
    CostModel model = machine(4, {0.92});
    const Sample sample{Operation::Topk, ElementType::F32, 1, 1 << 20, 16, 0, false};
    const CostClass job = *class_of(sample);
    const double expected = predicted(model, job, kGpu);
    model.seed(kGpu, {{job, 40 * expected}}, CostSource::Probed);
    EXPECT_NEAR(40 * expected, predicted(model, job, kGpu), 10 * expected);
    EXPECT_EQ(CostSource::Probed, model.source(kGpu));
    EXPECT_EQ(CostSource::Default, model.source(kPool));
    const CostClass other = *class_of({Operation::Topk, ElementType::I32, 1, 1 << 20, 16, 0, false});
    EXPECT_GT(predicted(model, other, kGpu), 10 * expected) << "what is like it is believed to be as slow";
    model.seed(kPool, {}, CostSource::Kept);
    EXPECT_FALSE(model.is_seeded(kPool)) << "nothing was measured";
}

CostRow row_of(TuningBackend backend, const char* operation, std::vector<CostPoint> points,
               unsigned threads = 0) {
    CostRow row;
    row.jobs.backend = backend;
    row.jobs.operation = operation;
    row.threads = threads;
    row.points = std::move(points);
    return row;
}

TEST(CostModel, ATableSaysWhatItsRowsAreFor) {
    CostModel model = machine(8, {1});
    std::vector<CostRow> rows{row_of(TuningBackend::Cuda, "reduce", {{1000, 12}, {1e6, 15}, {1e8, 115}}),
                              row_of(TuningBackend::Cpu, "reduce", {{1000, 3}, {1e6, 80}}, 8),
                              row_of(TuningBackend::Cpu, "reduce", {{1000, 1}, {1e6, 200}}, 1)};
    EXPECT_EQ(1u, model.set_table(kGpu, rows));
    EXPECT_EQ(1u, model.set_table(kPool, rows));
    EXPECT_EQ(1u, model.set_table(kOneThread, rows));
    const CostClass job = class_of_job(job_of(sum(), 1, 1'000'000));
    EXPECT_NEAR(15'000, predicted(model, job, kGpu), 1);
    EXPECT_NEAR(80'000, predicted(model, job, kPool), 1);
    EXPECT_NEAR(200'000, predicted(model, job, kOneThread), 1);
    EXPECT_EQ(CostSource::Table, model.source(kGpu));
    // Jobs correct it, and one class that is slower than its row says something of the others.
    for (int i = 0; i < 30; ++i) run(model, Target::Gpu, 1, job, 30'000);
    EXPECT_NEAR(30'000, predicted(model, job, kGpu), 1'500);
    const CostClass other = class_of_job(job_of(sum(), 1, 1'000'000, ElementType::I32));
    EXPECT_GT(predicted(model, other, kGpu), 20'000);
    const double learnt = predicted(model, job, kGpu);
    EXPECT_EQ(1u, model.set_table(kGpu, rows)) << "read again";
    EXPECT_EQ(learnt, predicted(model, job, kGpu)) << "the same says nothing new";
    // A new table begins anew.
    EXPECT_EQ(0u, model.set_table(kGpu, {}));
    EXPECT_EQ(CostSource::Default, model.source(kGpu));
    EXPECT_EQ(0u, model.classes(kGpu));
}

// What was not measured on this device is no reason not to measure.
TEST(CostModel, AModelledTableIsCorrectedBySamples) {
    CostModel model = machine(8, {1});
    CostRow row = row_of(TuningBackend::Cuda, "topk", {{1000, 50}, {1e8, 5000}});
    row.evidence.provenance = "model";
    EXPECT_EQ(1u, model.set_table(kGpu, {row}));
    EXPECT_EQ(CostSource::Model, model.source(kGpu));
    EXPECT_FALSE(model.is_seeded(kGpu));
    const CostClass job = *class_of({Operation::Topk, ElementType::F32, 1, 1 << 20, 16, 0, false});
    const CostClass other = *class_of({Operation::Topk, ElementType::I32, 1, 1 << 21, 16, 0, false});
    const double expected = predicted(model, job, kGpu), expected_other = predicted(model, other, kGpu);
    model.seed(kGpu, {{job, 6 * expected}}, CostSource::Probed);
    EXPECT_TRUE(model.is_seeded(kGpu));
    EXPECT_NEAR(6 * expected, predicted(model, job, kGpu), 2 * expected);
    EXPECT_GT(predicted(model, other, kGpu), 2 * expected_other)
        << "a sample says something of the other rows";
    row.evidence.provenance = "measured";
    EXPECT_EQ(1u, machine(8, {1}).set_table(kGpu, {row}));
    CostModel like = machine(8, {1});
    EXPECT_EQ(1u, like.set_table(kGpu, {row}, false));
    EXPECT_EQ(CostSource::Model, like.source(kGpu)) << "of another number of multiprocessors";
}

// Its points say what the operation costs on the device, for jobs that no row is for.
TEST(CostModel, ATableSpeaksOfTheRestOfAnOperation) {
    CostModel plain = machine(8, {1}), model = machine(8, {1});
    CostRow row = row_of(TuningBackend::Cuda, "reduce", {{1000, 12}, {1e6, 15}, {1e8, 115}});
    row.jobs.width = 4;
    ASSERT_EQ(1u, model.set_table(kGpu, {row}));
    const CostClass job = class_of_job(job_of(sum(), 1, 10'000'000, ElementType::U8));
    EXPECT_LT(predicted(model, job, kGpu), predicted(plain, job, kGpu) / 4)
        << "the device is much faster than one multiprocessor";
}

TEST(CostModel, EvidenceCountsWhatWasSeenAndWhatRanElsewhere) {
    CostModel model = machine(2, {10});
    const CostClass job = planned(kLong);
    EXPECT_EQ(0u, model.evidence(job, kGpu).seen);
    for (int i = 0; i < 3; ++i) model.note_elsewhere(job, kGpu);
    EXPECT_EQ(3u, model.evidence(job, kGpu).elsewhere);
    EXPECT_EQ(0u, model.evidence(planned(100 * kLong), kGpu).elsewhere) << "sizes for themselves";
    run(model, Target::Gpu, 1, job, predicted(model, job, kGpu));
    EXPECT_EQ(1u, model.evidence(job, kGpu).seen);
    EXPECT_EQ(0u, model.evidence(job, kGpu).elsewhere);
    for (int i = 0; i < 100; ++i) run(model, Target::Gpu, 1, job, predicted(model, job, kGpu));
    EXPECT_EQ(unsigned{CorrectionCurve::kTrusted}, model.evidence(job, kGpu).seen);
}

// Clients choose which classes there are.
TEST(CostModel, MemoryIsBounded) {
    CostModel model = machine(1);
    const CostClass first = planned(kLong);
    for (int i = 0; i < 20; ++i) run(model, Target::Inline, 1, first, 4.0 * kLong);
    for (std::uint64_t i = 0; i < 3 * CostModel::kMaxClasses; ++i) {
        CostClass job = planned(kLong);
        job.key = i << 32;
        run(model, Target::Inline, 1, job, kLong);
        if (i % 100 == 0) run(model, Target::Inline, 1, first, 4.0 * kLong);
    }
    EXPECT_EQ(std::size_t{CostModel::kMaxClasses}, model.classes(kOneThread));
    EXPECT_NEAR(4.0 * kLong, predicted(model, first, kOneThread), 0.3 * kLong) << "what is in use stays";
}

}  // namespace
}  // namespace tegu::daemon
