// SPDX-License-Identifier: Apache-2.0
// Choices of decide() for one job after another, which depend on those before.
#include <gtest/gtest.h>

#include "daemon/placement/correction_curve.h"
#include "daemon/placement/decide.h"
#include "tests/daemon/placement/decide_cases.h"

namespace tegu::daemon {
namespace {

TEST(DecideSeries, ACopyThatLaterJobsUseIsMadeOnceItsLackHasCostAsMuch) {
    PlacementInputs inputs = example();
    inputs.gpus[0].keep_ns = 1 * kMs;
    std::uint64_t jobs = 0;
    for (; decide(inputs)->target != Target::Gpu && jobs < 100; ++jobs) {
        const Choice choice = *decide(inputs);
        EXPECT_EQ(reason_word(Reason::Copy), reason_word(choice.reason));
        EXPECT_EQ(200 * kUs, choice.missed_ns);
        EXPECT_FALSE(choice.makes_copy);
        inputs.paid_ns += choice.missed_ns;
    }
    EXPECT_EQ(5u, jobs) << "1 ms in steps of 0.2 ms, of which the last is left to gain";
    EXPECT_TRUE(decide(inputs)->makes_copy);
    inputs.gpus[0].run_ns = 400 * kUs;
    EXPECT_EQ(0u, decide(inputs)->missed_ns) << "a copy would gain nothing";
}

TEST(DecideSeries, TriesWhatIsNotKnownBeforeItIsForgotten) {
    PlacementInputs inputs = example();
    inputs.trial_jobs = 128;
    inputs.pool.seen = 16;
    inputs.gpus[0] = offer(360 * kUs);
    const auto jobs_until_trial = [&](Offer& tried) {
        for (tried.elsewhere = 0; tried.elsewhere < 100'000; ++tried.elsewhere)
            if (decide(inputs)->reason == Reason::Trial) return tried.elsewhere;
        return 100'000u;
    };
    EXPECT_LE(jobs_until_trial(inputs.gpus[0]), 8u) << "never tried: soon";
    EXPECT_EQ(target_word(Target::Gpu), target_word(decide(inputs)->target));
    inputs.gpus[0].seen = 16;
    const unsigned known = jobs_until_trial(inputs.gpus[0]);
    EXPECT_GE(known, 3 * 128u) << "as they come in threes";
    EXPECT_LE(known, 3 * 256u) << "once in a while, if it costs little";
    inputs.gpus[0].run_ns = 1200 * kUs;
    EXPECT_GT(jobs_until_trial(inputs.gpus[0]), 4 * known) << "more seldom, if it costs much";
    inputs.gpus[0].run_ns = 10 * kMs;
    EXPECT_EQ(60'000u, jobs_until_trial(inputs.gpus[0]))
        << "a device that was throttled must be able to come back";
    inputs.gpus[0].run_ns = 30 * kMs;
    EXPECT_EQ(100'000u, jobs_until_trial(inputs.gpus[0])) << "never, if one trial costs too much";
    // The same for the CPU, where the GPU is chosen.
    inputs = example();
    inputs.trial_jobs = 128;
    const unsigned of_the_cpu = jobs_until_trial(inputs.pool);
    EXPECT_LE(of_the_cpu, 32u);
    EXPECT_EQ(target_word(Target::Pool), target_word(decide(inputs)->target));
}

TEST(DecideSeries, TrialsCostLittle) {
    for (const double ratio : {1.05, 1.5, 2.0, 4.0, 8.0, 15.0, 50.0}) {
        PlacementInputs inputs = example();
        inputs.trial_jobs = 128;
        inputs.gpus[0] = offer(static_cast<std::uint64_t>(ratio * 320 * kUs) - 20 * kUs);
        inputs.gpus[0].seen = 16;
        double spent = 0, best = 0;
        unsigned row = 0;
        for (int i = 0; i < 200'000; ++i) {
            const Choice choice = *decide(inputs);
            spent += static_cast<double>(choice.done_ns);
            best += 320.0 * kUs;
            const bool tried = choice.reason == Reason::Trial;
            row = tried ? (row + 1) % CorrectionCurve::kTrialsInARow : row;
            if (tried) inputs.gpus[0].elsewhere = row == 0 ? 0 : UINT16_MAX;
            if (!tried) ++inputs.gpus[0].elsewhere;
        }
        EXPECT_LT(spent / best, 1.005) << ratio;
    }
}

}  // namespace
}  // namespace tegu::daemon
