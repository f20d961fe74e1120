// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/class_meter.h"

#include <gtest/gtest.h>

#include "tests/tools/tune/measure/made_up_job.h"

namespace tegu::tune {
namespace {

const std::atomic<bool> kNotInterrupted{false};

TEST(ClassMeter, SamplesOfShortJobsAreMeansOfSeveralRuns) {
    MadeUp made_up;
    made_up.us = [](const tuning::PolicySet&) { return 50.0; };
    MadeUpPace pace;
    ClassMeter meter(made_up_jobs(made_up, 2), pace, kNotInterrupted);
    ASSERT_TRUE(meter.calibrate({}).ok());
    made_up.runs = 0;
    Samples samples;
    ASSERT_TRUE(meter.sample({}, 3, &samples).ok());
    EXPECT_EQ(made_up.runs, 2u * 3 * 4);  // 200 us are four runs
    ASSERT_EQ(samples.size(), 2u);
    EXPECT_EQ(samples[0], (std::vector<double>{50, 50, 50}));
}

TEST(ClassMeter, ComparesEachPolicyInTurnWithTheDefault) {
    MadeUp made_up;
    std::string order;
    made_up.us = [&](const tuning::PolicySet& policies) {
        const bool tuned = policies.cuda.add.waves == 8;
        order += tuned ? 't' : 'd';
        return tuned ? 600.0 : 800.0;
    };
    MadeUpPace pace;
    ClassMeter meter(made_up_jobs(made_up, 1), pace, kNotInterrupted);
    ASSERT_TRUE(meter.calibrate({}).ok());
    tuning::PolicySet tuned;
    tuned.cuda.add.waves = 8;
    order.clear();
    const Result<std::vector<Duel>> duels = meter.duel(tuned, {}, 4);
    ASSERT_TRUE(duels.ok());
    EXPECT_EQ(order, "tddttddt");
    ASSERT_EQ(duels->size(), 1u);
    EXPECT_EQ(duels->front().tuned.us, 600);
    EXPECT_EQ(duels->front().initial.us, 800);
    EXPECT_EQ(duels->front().tuned.samples, 4u);
}

TEST(ClassMeter, ThrowsAwayWhatWasMeasuredWhileTheBoardWasSlow) {
    MadeUp made_up;
    MadeUpPace pace;
    ClassMeter meter(made_up_jobs(made_up, 1), pace, kNotInterrupted);
    ASSERT_TRUE(meter.calibrate({}).ok());
    // Hot during the first measurement: asked before it, and after it.
    int asked = 0;
    made_up.factor = 3;
    pace.slow = [&]() -> std::string { return ++asked == 2 ? "gpu-throttle-alert" : ""; };
    made_up.before_run = [&] { made_up.factor = pace.waits.empty() ? 3 : 1; };
    Samples samples;
    ASSERT_TRUE(meter.sample({}, 2, &samples).ok());
    EXPECT_EQ(pace.waits, (std::vector<std::string>{"gpu-throttle-alert"}));
    EXPECT_EQ(samples[0], (std::vector<double>{1000, 1000}));
}

TEST(ClassMeter, GivesUpOnABoardThatStaysSlow) {
    MadeUp made_up;
    MadeUpPace pace;
    ClassMeter meter(made_up_jobs(made_up, 1), pace, kNotInterrupted);
    ASSERT_TRUE(meter.calibrate({}).ok());
    pace.slow = [] { return "cpu-throttle-alert"; };
    Samples samples;
    const Result<void> measured = meter.sample({}, 2, &samples);
    ASSERT_FALSE(measured.ok());
    EXPECT_EQ(measured.error().status, Status::Busy);
    EXPECT_NE(measured.error().message.find("cpu-throttle-alert"), std::string::npos);
    EXPECT_TRUE(samples.empty());
    EXPECT_TRUE(ends_class(measured.error()));
}

TEST(ClassMeter, TellsWrongResultsFromRefusals) {
    MadeUp made_up;
    made_up.is_wrong = [](const tuning::PolicySet& policies) { return policies.cuda.add.waves == 2; };
    made_up.is_refused = [](const tuning::PolicySet& policies) { return policies.cuda.add.waves == 4; };
    MadeUpPace pace;
    ClassMeter meter(made_up_jobs(made_up, 2), pace, kNotInterrupted);
    EXPECT_TRUE(meter.check({})->ok());
    tuning::PolicySet policies;
    policies.cuda.add.waves = 2;
    EXPECT_EQ(meter.check(policies)->wrong, "values: element 3 differs");
    policies.cuda.add.waves = 4;
    EXPECT_EQ(meter.check(policies)->cannot_run, "too many resources requested for launch");
}

TEST(ClassMeter, EndsWhenInterrupted) {
    MadeUp made_up;
    MadeUpPace pace;
    std::atomic<bool> interrupted{false};
    ClassMeter meter(made_up_jobs(made_up, 1), pace, interrupted);
    ASSERT_TRUE(meter.calibrate({}).ok());
    interrupted = true;
    Samples samples;
    const Result<void> measured = meter.sample({}, 2, &samples);
    ASSERT_FALSE(measured.ok());
    EXPECT_EQ(measured.error().status, Status::Cancelled);
}

}  // namespace
}  // namespace tegu::tune
