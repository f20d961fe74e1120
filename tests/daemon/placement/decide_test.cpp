// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/decide.h"

#include <gtest/gtest.h>

#include "daemon/placement/correction_curve.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kUs = 1000, kMs = 1'000'000;

Offer offer(std::uint64_t run_ns, std::uint64_t wait_ns = 0, std::uint64_t copy_ns = 0,
            std::uint64_t keep_ns = 0) {
    Offer made;
    made.possible = true;
    made.run_ns = run_ns;
    made.wait_ns = wait_ns;
    made.start_ns = 20 * kUs;
    made.copy_ns = copy_ns;
    made.keep_ns = keep_ns;
    return made;
}

// A job of 2 ms on one thread, 300 us on the pool, 100 us on a GPU.
Question question() {
    Question asks;
    asks.inline_budget_ns = 50 * kUs;
    asks.on_io = offer(2 * kMs);
    asks.express = offer(2 * kMs);
    asks.pool = offer(300 * kUs);
    asks.gpus = {offer(100 * kUs)};
    return asks;
}

void expect(const Question& asks, Target target, Reason reason, const char* what = "") {
    const Answer answer = decide(asks);
    EXPECT_EQ(target_word(target), target_word(answer.target)) << what;
    EXPECT_EQ(reason_word(reason), reason_word(answer.reason)) << what;
}

TEST(Decide, TheBackendThatIsDoneFirst) {
    Question asks = question();
    expect(asks, Target::Gpu, Reason::Fastest);
    EXPECT_EQ(120 * kUs, decide(asks).done_ns);
    asks.gpus[0].run_ns = 400 * kUs;
    expect(asks, Target::Pool, Reason::Fastest);
    asks.gpus[0].run_ns = 300 * kUs;
    expect(asks, Target::Pool, Reason::Fastest, "the CPU, of equals");
}

TEST(Decide, ASmallJobRunsAtOnceUnlessItAsksForAGpu) {
    Question asks = question();
    asks.on_io.run_ns = 49 * kUs;
    expect(asks, Target::Inline, Reason::Small);
    asks.asked = Asked::Cpu;
    expect(asks, Target::Inline, Reason::Small);
    asks.asked = Asked::Gpu;
    expect(asks, Target::Gpu, Reason::Asked);
    asks.asked = Asked::Auto;
    asks.on_io.run_ns = 50 * kUs;
    expect(asks, Target::Gpu, Reason::Fastest, "the budget is over");
    asks.on_io.run_ns = 10 * kUs;
    asks.on_io.possible = false;
    expect(asks, Target::Gpu, Reason::Fastest, "no working memory is left");
    asks = question();
    asks.inline_budget_ns = 0;
    asks.on_io.run_ns = 0;
    expect(asks, Target::Gpu, Reason::Fastest, "never");
}

TEST(Decide, WhatTheClientAsksForIsDone) {
    Question asks = question();
    asks.asked = Asked::Cpu;
    expect(asks, Target::Pool, Reason::Asked);
    asks.asked = Asked::Gpu;
    asks.gpus[0] = offer(900 * kMs, 900 * kMs);
    expect(asks, Target::Gpu, Reason::Asked);
}

TEST(Decide, WithoutAGpuThatCanRunItTheCpuDoes) {
    Question asks = question();
    asks.gpus[0].possible = false;
    expect(asks, Target::Pool, Reason::Only);
    asks.gpus.clear();
    expect(asks, Target::Pool, Reason::Only);
}

// The sum beside another client's long entropy maps.
TEST(Decide, WhatWaitsBeforeItCounts) {
    Question asks = question();
    asks.gpus[0].wait_ns = 28 * kMs;
    expect(asks, Target::Pool, Reason::Queue);
    asks.gpus[0].wait_ns = 100 * kUs;
    expect(asks, Target::Gpu, Reason::Fastest, "a short wait is worth it");
    asks.pool.wait_ns = 10 * kMs;
    asks.gpus[0] = offer(600 * kUs);
    expect(asks, Target::Gpu, Reason::Queue);
}

TEST(Decide, WhatIsCopiedForItAloneCounts) {
    Question asks = question();
    asks.gpus[0].copy_ns = 199 * kUs;
    expect(asks, Target::Gpu, Reason::Fastest);
    asks.gpus[0].copy_ns = 201 * kUs;
    expect(asks, Target::Pool, Reason::Copy);
    EXPECT_EQ(0u, decide(asks).missed_ns) << "no later job would gain";
}

// Rent until the rent is as much as the price.
TEST(Decide, ACopyThatLaterJobsUseIsMadeOnceItsLackHasCostAsMuch) {
    Question asks = question();
    asks.gpus[0].keep_ns = 1 * kMs;
    std::uint64_t jobs = 0;
    for (; decide(asks).target != Target::Gpu && jobs < 100; ++jobs) {
        const Answer answer = decide(asks);
        EXPECT_EQ(reason_word(Reason::Copy), reason_word(answer.reason));
        EXPECT_EQ(200 * kUs, answer.missed_ns);
        EXPECT_FALSE(answer.makes_copy);
        asks.paid_ns += answer.missed_ns;
    }
    EXPECT_EQ(5u, jobs) << "1 ms in steps of 0.2 ms, of which the last is left to gain";
    EXPECT_TRUE(decide(asks).makes_copy);
    asks.gpus[0].run_ns = 400 * kUs;
    EXPECT_EQ(0u, decide(asks).missed_ns) << "a copy would gain nothing";
}

TEST(Decide, OfSeveralGpusTheOneThatIsDoneFirst) {
    const auto chosen = [](std::vector<Offer> gpus, std::uint64_t paid_ns = 0) {
        Question asks = question();
        asks.asked = Asked::Gpu;
        asks.gpus = std::move(gpus);
        asks.paid_ns = paid_ns;
        return decide(asks).gpu;
    };
    constexpr std::uint64_t kCopy = 131 * kUs;  // of 1 MiB
    EXPECT_EQ(0u, chosen({offer(0), offer(0)})) << "the first of equals";
    EXPECT_EQ(1u, chosen({offer(0, 1000), offer(0)}));
    EXPECT_EQ(0u, chosen({offer(0, 1000), offer(0, 0, 0, kCopy)})) << "copying takes longer than waiting";
    EXPECT_EQ(1u, chosen({offer(0, 10 * kMs), offer(0, 0, 0, kCopy)}));
    EXPECT_EQ(2u, chosen({offer(0, 3), offer(0, 2), offer(0, 1)}));
    EXPECT_EQ(0u, chosen({offer(0, 1000), offer(0, 0, 0, kCopy)}, 100 * kUs));
    EXPECT_EQ(1u, chosen({offer(0, 1000), offer(0, 0, 0, kCopy)}, kCopy))
        << "waited long enough to have made it";
    EXPECT_EQ(1u, chosen({Offer(), offer(kMs, kMs)})) << "the first one cannot";
    EXPECT_EQ(1u, chosen({offer(300 * kUs), offer(100 * kUs)})) << "two kinds";
}

TEST(Decide, AJobThatWaitsForItsCopyMissesAnother) {
    Question asks = question();
    asks.gpus = {offer(100 * kUs, 50 * kUs), offer(100 * kUs, 0, 0, kMs)};
    const Answer answer = decide(asks);
    EXPECT_EQ(0u, answer.gpu);
    EXPECT_EQ(50 * kUs, answer.missed_ns);
}

TEST(Decide, ALongJobIsDividedOverIdleGpus) {
    Question asks = question();
    asks.pool.run_ns = asks.express.run_ns = 100 * kMs;
    asks.can_divide = true;
    asks.divide_ns = kMs;
    asks.gpus = {offer(8 * kMs, 1), offer(8 * kMs), offer(8 * kMs)};
    Answer answer = decide(asks);
    EXPECT_TRUE(answer.divided);
    EXPECT_EQ(1u, answer.gpu) << "the first idle one";
    EXPECT_EQ(4 * kMs + 20 * kUs, answer.done_ns);
    asks.gpus[2].wait_ns = 1;
    EXPECT_FALSE(decide(asks).divided) << "one is idle";
    asks.gpus = {offer(900 * kUs), offer(900 * kUs)};
    EXPECT_FALSE(decide(asks).divided) << "too short";
    asks.gpus = {offer(900 * kUs, 0, 2 * kMs), offer(900 * kUs, 0, 2 * kMs)};
    EXPECT_TRUE(decide(asks).divided) << "if only by what is copied for it";
    asks.can_divide = false;
    EXPECT_FALSE(decide(asks).divided);
    // Two GPUs may be worth it where one is not.
    asks.can_divide = true;
    asks.pool.run_ns = 6 * kMs;
    asks.gpus = {offer(10 * kMs), offer(10 * kMs)};
    expect(asks, Target::Gpu, Reason::Fastest);
}

TEST(Decide, AShortJobTakesTheExpressLaneBesideALongOneOfAnotherClient) {
    Question asks = question();
    asks.gpus.clear();
    asks.pool.wait_ns = 500 * kMs;
    expect(asks, Target::Pool, Reason::Only, "nobody else's job runs");
    asks.pool_runs_others = true;
    expect(asks, Target::Express, Reason::Express);
    asks.asked = Asked::Cpu;
    expect(asks, Target::Express, Reason::Express);
    asks.asked = Asked::Auto;
    asks.express.possible = false;
    expect(asks, Target::Pool, Reason::Only, "too much working memory");
    asks.express.possible = true;
    asks.express.run_ns = kExpressNs + 1;
    expect(asks, Target::Pool, Reason::Only, "too long for one thread");
    asks.express.run_ns = 2 * kMs;
    asks.express_own_ns = 4 * kMs;
    expect(asks, Target::Pool, Reason::Only, "the user has enough there");
    asks.express_own_ns = 0;
    asks.express.wait_ns = 600 * kMs;
    expect(asks, Target::Pool, Reason::Only, "done sooner in the pool");
}

// To wake all threads takes longer than one thread takes for the job.
TEST(Decide, OneThreadComputesWhatIsNotWorthThePool) {
    Question asks = question();
    asks.gpus[0].run_ns = 400 * kUs;
    asks.express = offer(200 * kUs);
    expect(asks, Target::Express, Reason::Fastest);
    EXPECT_EQ(220 * kUs, decide(asks).done_ns);
    asks.express.wait_ns = 101 * kUs;
    expect(asks, Target::Pool, Reason::Fastest, "another job is there");
    asks.express.wait_ns = 0;
    asks.pool.wait_ns = 1;
    expect(asks, Target::Pool, Reason::Fastest, "jobs of one client keep their order");
    asks.pool.wait_ns = 0;
    asks.gpus[0].run_ns = 100 * kUs;
    expect(asks, Target::Gpu, Reason::Fastest);
    asks.asked = Asked::Cpu;
    expect(asks, Target::Express, Reason::Asked);
    asks.trial_jobs = 128;
    asks.pool.elsewhere = 5'000;
    expect(asks, Target::Pool, Reason::Trial, "it may be faster than it was");
    asks.pool.elsewhere = 0;
    expect(asks, Target::Express, Reason::Asked);
}

// Both backends are busy with others' long jobs.
TEST(Decide, TheExpressLaneIsWeighedAgainstTheGpu) {
    Question asks = question();
    asks.pool.wait_ns = 500 * kMs;
    asks.pool_runs_others = true;
    asks.gpus[0].wait_ns = 28 * kMs;
    expect(asks, Target::Express, Reason::Express);
    asks.gpus[0].wait_ns = 0;
    expect(asks, Target::Gpu, Reason::Fastest);
}

TEST(Decide, TriesWhatIsNotKnownBeforeItIsForgotten) {
    Question asks = question();
    asks.trial_jobs = 128;
    asks.pool.seen = 16;
    asks.gpus[0] = offer(360 * kUs);
    const auto jobs_until_trial = [&](Offer& tried) {
        for (tried.elsewhere = 0; tried.elsewhere < 100'000; ++tried.elsewhere)
            if (decide(asks).reason == Reason::Trial) return tried.elsewhere;
        return 100'000u;
    };
    EXPECT_LE(jobs_until_trial(asks.gpus[0]), 8u) << "never tried: soon";
    EXPECT_EQ(target_word(Target::Gpu), target_word(decide(asks).target));
    asks.gpus[0].seen = 16;
    const unsigned known = jobs_until_trial(asks.gpus[0]);
    EXPECT_GE(known, 3 * 128u) << "as they come in threes";
    EXPECT_LE(known, 3 * 256u) << "once in a while, if it costs little";
    asks.gpus[0].run_ns = 1200 * kUs;
    EXPECT_GT(jobs_until_trial(asks.gpus[0]), 4 * known) << "more seldom, if it costs much";
    asks.gpus[0].run_ns = 10 * kMs;
    EXPECT_EQ(60'000u, jobs_until_trial(asks.gpus[0]))
        << "a device that was throttled must be able to come back";
    asks.gpus[0].run_ns = 30 * kMs;
    EXPECT_EQ(100'000u, jobs_until_trial(asks.gpus[0])) << "never, if one trial costs too much";
    // The same for the CPU, where the GPU is chosen.
    asks = question();
    asks.trial_jobs = 128;
    const unsigned of_the_cpu = jobs_until_trial(asks.pool);
    EXPECT_LE(of_the_cpu, 32u);
    EXPECT_EQ(target_word(Target::Pool), target_word(decide(asks).target));
}

TEST(Decide, TrialsCostLittle) {
    for (const double ratio : {1.05, 1.5, 2.0, 4.0, 8.0, 15.0, 50.0}) {
        Question asks = question();
        asks.trial_jobs = 128;
        asks.gpus[0] = offer(static_cast<std::uint64_t>(ratio * 320 * kUs) - 20 * kUs);
        asks.gpus[0].seen = 16;
        double spent = 0, best = 0;
        unsigned row = 0;
        for (int i = 0; i < 200'000; ++i) {
            const Answer answer = decide(asks);
            spent += static_cast<double>(answer.done_ns);
            best += 320.0 * kUs;
            const bool tried = answer.reason == Reason::Trial;
            row = tried ? (row + 1) % CorrectionCurve::kTrialsInARow : row;
            if (tried) asks.gpus[0].elsewhere = row == 0 ? 0 : UINT16_MAX;
            if (!tried) ++asks.gpus[0].elsewhere;
        }
        EXPECT_LT(spent / best, 1.005) << ratio;
    }
}

TEST(Decide, NothingIsTriedAtTheExpenseOfOthers) {
    Question asks = question();
    asks.gpus[0] = offer(360 * kUs);
    asks.gpus[0].elsewhere = 60'000;
    expect(asks, Target::Pool, Reason::Fastest, "no trials are wanted");
    asks.trial_jobs = 128;
    expect(asks, Target::Gpu, Reason::Trial);
    asks.gpus[0].wait_ns = 1;
    EXPECT_NE(reason_word(Reason::Trial), reason_word(decide(asks).reason)) << "somebody works there";
    asks.gpus[0] = offer(100 * kMs);
    asks.pool.run_ns = asks.express.run_ns = 70 * kMs;
    asks.gpus[0].elsewhere = 60'000;
    expect(asks, Target::Pool, Reason::Fastest, "30 ms are too much to spend on knowledge");
    asks.asked = Asked::Cpu;
    asks.gpus[0] = offer(360 * kUs);
    asks.gpus[0].elsewhere = 60'000;
    expect(asks, Target::Pool, Reason::Asked, "what is asked for is done");
}

// One thread that was believed too slow for the io thread can show that it is not.
TEST(Decide, TriesOneThreadWhereTheJobMayBeSmall) {
    Question asks = question();
    asks.gpus.clear();
    asks.trial_jobs = 128;
    asks.on_io.run_ns = asks.express.run_ns = 120 * kUs;
    asks.pool.run_ns = 60 * kUs;
    asks.express.elsewhere = 5'000;
    expect(asks, Target::Express, Reason::Trial);
    asks.on_io.run_ns = asks.express.run_ns = 60 * kUs;
    expect(asks, Target::Inline, Reason::Trial, "where it would run if it is small");
    asks.on_io.possible = false;
    expect(asks, Target::Express, Reason::Trial);
    asks.pool.wait_ns = 1;
    expect(asks, Target::Pool, Reason::Only, "beside another job it would tell nothing");
    asks.pool.wait_ns = 0;
    asks.on_io.run_ns = asks.express.run_ns = 220 * kUs;
    expect(asks, Target::Pool, Reason::Only, "far above the budget");
}

TEST(Decide, HugePredictionsDoNotOverflow) {
    Question asks = question();
    asks.on_io = offer(UINT64_MAX, UINT64_MAX);
    asks.pool = offer(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    asks.express = asks.pool;
    asks.pool_runs_others = true;
    asks.trial_jobs = 1;
    expect(asks, Target::Gpu, Reason::Fastest);
    asks.gpus[0] = offer(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    asks.express_own_ns = UINT64_MAX;
    asks.can_divide = true;
    asks.divide_ns = 0;
    (void)decide(asks);
}

TEST(Decide, EveryReasonAndPlaceHasAWord) {
    for (std::size_t reason = 0; reason < kReasons; ++reason)
        for (std::size_t other = 0; other < reason; ++other)
            EXPECT_NE(reason_word(static_cast<Reason>(reason)), reason_word(static_cast<Reason>(other)));
    for (std::size_t target = 0; target < kTargets; ++target)
        EXPECT_FALSE(target_word(static_cast<Target>(target)).empty());
}

}  // namespace
}  // namespace tegu::daemon
