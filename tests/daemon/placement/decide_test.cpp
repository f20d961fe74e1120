// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/decide.h"

#include <gtest/gtest.h>

#include "daemon/placement/correction_curve.h"

namespace tegu::daemon {
namespace {

using wire::BackendChoice;

constexpr std::uint64_t kUs = 1000, kMs = 1'000'000;

Offer offer(std::uint64_t run_ns, std::uint64_t wait_ns = 0, std::uint64_t copy_ns = 0,
            std::uint64_t keep_ns = 0) {
    Offer made;
    made.run_ns = run_ns;
    made.wait_ns = wait_ns;
    made.start_ns = 20 * kUs;
    made.copy_ns = copy_ns;
    made.keep_ns = keep_ns;
    return made;
}

Offer without_memory() {
    Offer made;
    made.has_memory = false;
    return made;
}

// A job of 2 ms on one thread, 300 us on the pool, 100 us on a GPU.
PlacementInputs example() {
    PlacementInputs inputs;
    inputs.inline_budget_ns = 50 * kUs;
    inputs.max_scratch_bytes = 1000;
    inputs.express = offer(2 * kMs);
    inputs.pool = offer(300 * kUs);
    inputs.gpus = {offer(100 * kUs)};
    return inputs;
}

// Both backends are busy with others' long jobs.
void make_busy(PlacementInputs& inputs) {
    inputs.pool.wait_ns = 500 * kMs;
    inputs.pool_runs_others = true;
    inputs.gpus[0].wait_ns = 28 * kMs;
}

// One trial on the GPU is due, if trials are allowed.
void make_trial_due(PlacementInputs& inputs) {
    inputs.gpus[0] = offer(360 * kUs);
    inputs.gpus[0].elsewhere = 60'000;
    inputs.trial_jobs = 128;
}

// The same for one thread in place of the pool, on a machine without a GPU.
void make_thread_trial_due(PlacementInputs& inputs) {
    inputs.gpus.clear();
    inputs.trial_jobs = 128;
    inputs.express = offer(120 * kUs);
    inputs.express.elsewhere = 5'000;
    inputs.pool.run_ns = 60 * kUs;
}

struct Case {
    const char* rule;
    void (*change)(PlacementInputs&);  // what differs from example()
    Target target;
    Reason reason;
};
using In = PlacementInputs;

const Case kCases[] = {
    {"done first: the GPU", [](In&) {}, Target::Gpu, Reason::Fastest},
    {"done first: the CPU", [](In& in) { in.gpus[0].run_ns = 400 * kUs; }, Target::Pool, Reason::Fastest},
    {"of equals the CPU", [](In& in) { in.gpus[0].run_ns = 300 * kUs; }, Target::Pool, Reason::Fastest},

    {"inline: below the budget", [](In& in) { in.express.run_ns = 49 * kUs; }, Target::Inline, Reason::Small},
    {"inline: wish for the CPU",
     [](In& in) {
         in.express.run_ns = 49 * kUs;
         in.wish = BackendChoice::Cpu;
     },
     Target::Inline, Reason::Small},
    {"inline: not with a wish for a GPU",
     [](In& in) {
         in.express.run_ns = 49 * kUs;
         in.wish = BackendChoice::Gpu;
     },
     Target::Gpu, Reason::Asked},
    {"inline: not at the budget", [](In& in) { in.express.run_ns = 50 * kUs; }, Target::Express,
     Reason::Fastest},
    {"inline: not again after it took too long",
     [](In& in) {
         in.express.run_ns = 10 * kUs;
         in.gave_up_inline = true;
     },
     Target::Express, Reason::Fastest},
    {"inline: working memory is left beside the running jobs",
     [](In& in) {
         in.express.run_ns = 10 * kUs;
         in.scratch_bytes = 400;
         in.running_scratch_bytes = 600;
     },
     Target::Inline, Reason::Small},
    {"inline: too little working memory is left",
     [](In& in) {
         in.express.run_ns = 10 * kUs;
         in.scratch_bytes = 401;
         in.running_scratch_bytes = 600;
     },
     Target::Express, Reason::Fastest},
    {"inline: a job without working memory needs none",
     [](In& in) {
         in.express.run_ns = 10 * kUs;
         in.running_scratch_bytes = 2000;
     },
     Target::Inline, Reason::Small},
    {"inline: never with a budget of 0",
     [](In& in) {
         in.inline_budget_ns = 0;
         in.express.run_ns = 0;
     },
     Target::Express, Reason::Fastest},

    {"wish: the CPU", [](In& in) { in.wish = BackendChoice::Cpu; }, Target::Pool, Reason::Asked},
    {"wish: a GPU, whatever it takes",
     [](In& in) {
         in.wish = BackendChoice::Gpu;
         in.gpus[0] = offer(900 * kMs, 900 * kMs);
     },
     Target::Gpu, Reason::Asked},
    {"wish: a GPU without memory, which gives the error",
     [](In& in) {
         in.wish = BackendChoice::Gpu;
         in.gpus = {without_memory()};
     },
     Target::Gpu, Reason::Asked},
    {"only: no GPU has memory", [](In& in) { in.gpus = {without_memory()}; }, Target::Pool, Reason::Only},
    {"only: no GPU", [](In& in) { in.gpus.clear(); }, Target::Pool, Reason::Only},

    {"queue: a long one at the GPU", [](In& in) { in.gpus[0].wait_ns = 28 * kMs; }, Target::Pool,
     Reason::Queue},
    {"queue: a short wait is worth it", [](In& in) { in.gpus[0].wait_ns = 100 * kUs; }, Target::Gpu,
     Reason::Fastest},
    {"queue: a long one at the pool",
     [](In& in) {
         in.pool.wait_ns = 10 * kMs;
         in.gpus[0] = offer(600 * kUs);
     },
     Target::Gpu, Reason::Queue},
    {"copy: for this job alone, short enough", [](In& in) { in.gpus[0].copy_ns = 199 * kUs; }, Target::Gpu,
     Reason::Fastest},
    {"copy: for this job alone, too long", [](In& in) { in.gpus[0].copy_ns = 201 * kUs; }, Target::Pool,
     Reason::Copy},
    {"copy: for later jobs too, not paid yet",
     [](In& in) {
         in.gpus[0].keep_ns = kMs;
         in.paid_ns = 799 * kUs;
     },
     Target::Pool, Reason::Copy},
    {"copy: for later jobs too, paid",
     [](In& in) {
         in.gpus[0].keep_ns = kMs;
         in.paid_ns = 801 * kUs;
     },
     Target::Gpu, Reason::Fastest},

    {"express: beside a long job of another client", make_busy, Target::Express, Reason::Express},
    {"express: not if the GPU is free",
     [](In& in) {
         make_busy(in);
         in.gpus[0].wait_ns = 0;
     },
     Target::Gpu, Reason::Fastest},
    {"express: with a wish for the CPU, too",
     [](In& in) {
         make_busy(in);
         in.wish = BackendChoice::Cpu;
     },
     Target::Express, Reason::Express},
    {"express: not behind a job of the same client",
     [](In& in) {
         in.gpus.clear();
         in.pool.wait_ns = 500 * kMs;
     },
     Target::Pool, Reason::Only},
    {"express: not with more working memory than 8 MiB",
     [](In& in) {
         make_busy(in);
         in.gpus.clear();
         in.scratch_bytes = (8 << 20) + 1;
     },
     Target::Pool, Reason::Only},
    {"express: not if one thread takes too long",
     [](In& in) {
         make_busy(in);
         in.gpus.clear();
         in.express.run_ns = kExpressNs + 1;
     },
     Target::Pool, Reason::Only},
    {"express: not if the user has enough there",
     [](In& in) {
         make_busy(in);
         in.gpus.clear();
         in.express_own_ns = 4 * kMs;
     },
     Target::Pool, Reason::Only},
    {"express: not if the pool is done sooner",
     [](In& in) {
         make_busy(in);
         in.gpus.clear();
         in.express.wait_ns = 600 * kMs;
     },
     Target::Pool, Reason::Only},

    {"one thread: waking the pool takes longer",
     [](In& in) {
         in.gpus[0].run_ns = 400 * kUs;
         in.express = offer(200 * kUs);
     },
     Target::Express, Reason::Fastest},
    {"one thread: not behind another job there",
     [](In& in) {
         in.gpus[0].run_ns = 400 * kUs;
         in.express = offer(200 * kUs, 101 * kUs);
     },
     Target::Pool, Reason::Fastest},
    {"one thread: not while the pool works, as jobs of one client keep their order",
     [](In& in) {
         in.gpus[0].run_ns = 400 * kUs;
         in.express = offer(200 * kUs);
         in.pool.wait_ns = 1;
     },
     Target::Pool, Reason::Fastest},
    {"one thread: not if a GPU is faster", [](In& in) { in.express = offer(200 * kUs); }, Target::Gpu,
     Reason::Fastest},
    {"one thread: with a wish for the CPU",
     [](In& in) {
         in.express = offer(200 * kUs);
         in.wish = BackendChoice::Cpu;
     },
     Target::Express, Reason::Asked},
    {"one thread: the pool is tried in its place",
     [](In& in) {
         in.express = offer(200 * kUs);
         in.wish = BackendChoice::Cpu;
         in.trial_jobs = 128;
         in.pool.elsewhere = 5'000;
     },
     Target::Pool, Reason::Trial},

    {"trial: due on the GPU", make_trial_due, Target::Gpu, Reason::Trial},
    {"trial: none with placement.trial_jobs = 0",
     [](In& in) {
         make_trial_due(in);
         in.trial_jobs = 0;
     },
     Target::Pool, Reason::Fastest},
    {"trial: not with memory that is used for the first time",
     [](In& in) {
         make_trial_due(in);
         in.cold = true;
     },
     Target::Pool, Reason::Fastest},
    {"trial: not with a deadline",
     [](In& in) {
         make_trial_due(in);
         in.has_deadline = true;
     },
     Target::Pool, Reason::Fastest},
    {"trial: not with high priority",
     [](In& in) {
         make_trial_due(in);
         in.high_priority = true;
     },
     Target::Pool, Reason::Fastest},
    {"trial: not where somebody works",
     [](In& in) {
         make_trial_due(in);
         in.gpus[0].wait_ns = 1;
     },
     Target::Pool, Reason::Fastest},
    {"trial: not for 30 ms",
     [](In& in) {
         make_trial_due(in);
         in.gpus[0].run_ns = 100 * kMs;
         in.pool.run_ns = in.express.run_ns = 70 * kMs;
     },
     Target::Pool, Reason::Fastest},
    {"trial: not against a wish",
     [](In& in) {
         make_trial_due(in);
         in.wish = BackendChoice::Cpu;
     },
     Target::Pool, Reason::Asked},
    {"trial: one thread, if it may be near the pool", make_thread_trial_due, Target::Express, Reason::Trial},
    {"trial: on the io thread, if it may be below the budget",
     [](In& in) {
         make_thread_trial_due(in);
         in.express.run_ns = 60 * kUs;
         in.pool.run_ns = 30 * kUs;
     },
     Target::Inline, Reason::Trial},
    {"trial: not on the io thread again",
     [](In& in) {
         make_thread_trial_due(in);
         in.express.run_ns = 60 * kUs;
         in.pool.run_ns = 30 * kUs;
         in.gave_up_inline = true;
     },
     Target::Express, Reason::Trial},
    {"trial: not beside another job",
     [](In& in) {
         make_thread_trial_due(in);
         in.pool.wait_ns = 1;
     },
     Target::Pool, Reason::Only},
    {"trial: not far above the budget",
     [](In& in) {
         make_thread_trial_due(in);
         in.express.run_ns = 220 * kUs;
     },
     Target::Pool, Reason::Only},
};

TEST(Decide, EachRule) {
    for (const Case& each : kCases) {
        PlacementInputs inputs = example();
        each.change(inputs);
        const Result<Choice> choice = decide(inputs);
        ASSERT_TRUE(choice.ok()) << each.rule;
        EXPECT_EQ(target_word(each.target), target_word(choice->target)) << each.rule;
        EXPECT_EQ(reason_word(each.reason), reason_word(choice->reason)) << each.rule;
        EXPECT_EQ(each.reason == Reason::Small, is_inline(inputs)) << each.rule;
    }
}

TEST(Decide, RefusesAWishForAGpuOnlyWhereNoneRunsJobs) {
    struct Wish {
        BackendChoice wish;
        bool has_gpu, refused;
    };
    for (const Wish& each : {Wish{BackendChoice::Auto, false, false}, Wish{BackendChoice::Cpu, false, false},
                             Wish{BackendChoice::Gpu, false, true}, Wish{BackendChoice::Auto, true, false},
                             Wish{BackendChoice::Cpu, true, false}, Wish{BackendChoice::Gpu, true, false}}) {
        const Result<void> checked = check_wish(each.wish, each.has_gpu, "no driver");
        ASSERT_EQ(each.refused, !checked.ok());
        if (checked) continue;
        EXPECT_EQ(Status::Unsupported, checked.error().status);
        EXPECT_EQ("backend", checked.error().field);
        EXPECT_EQ("this daemon has no GPU backend: no driver", checked.error().message);
    }
}

TEST(Decide, RefusesAJobWhenTheQueueIsFull) {
    struct Full {
        const char* rule;
        JobQueue queue;
        const char* field;  // "": not refused
        std::uint64_t retry_after_ns;
    };
    // The job takes 100 us on the GPU.
    const Full table[] = {
        {"room for one job", {9, 0, 0, 10, 2}, "", 0},
        {"no room for one job", {10, 3 * kMs, 4 * kMs, 10, 2}, "limits.queued_jobs", 7 * kMs},
        {"as much work as may wait", {1, 1900 * kUs, 0, 10, 2}, "", 0},
        {"more work than may wait", {1, 1901 * kUs, 0, 10, 2}, "limits.queued_work_ms", 1901 * kUs},
        {"long running jobs are no waiting work", {1, 0, 900 * kMs, 10, 2}, "", 0},
        {"the first in the queue may be longer", {0, 0, 900 * kMs, 10, 0}, "", 0},
        {"retry: not sooner than 1 ms", {10, 0, 1, 10, 2}, "limits.queued_jobs", kMs},
        {"retry: not later than 1 s", {10, 0, 9000 * kMs, 10, 2}, "limits.queued_jobs", 1000 * kMs},
    };
    for (const Full& each : table) {
        PlacementInputs inputs = example();
        inputs.queue = each.queue;
        const Result<Choice> choice = decide(inputs);
        ASSERT_EQ(each.field[0] == 0, choice.ok()) << each.rule;
        if (choice) continue;
        EXPECT_EQ(Status::Busy, choice.error().status) << each.rule;
        EXPECT_EQ(each.field, choice.error().field) << each.rule;
        EXPECT_EQ(each.retry_after_ns, choice.error().retry_after_ns) << each.rule;
    }
    PlacementInputs inputs = example();
    inputs.queue = {10, 0, 0, 10, 2};
    inputs.express.run_ns = 10 * kUs;
    EXPECT_EQ(target_word(Target::Inline), target_word(decide(inputs)->target)) << "it never waits";
}

TEST(Decide, TheCpuRunsAgainWhatLackedMemoryOnTheGpu) {
    using Failed = FailedGpuJob;
    constexpr Status kMemory = Status::OutOfMemory;
    EXPECT_TRUE(falls_back_to_cpu(Failed{BackendChoice::Auto, kMemory, false, false}));
    EXPECT_FALSE(falls_back_to_cpu(Failed{BackendChoice::Gpu, kMemory, false, false})) << "a wish";
    EXPECT_FALSE(falls_back_to_cpu(Failed{BackendChoice::Auto, Status::Overflow, false, false}));
    EXPECT_FALSE(falls_back_to_cpu(Failed{BackendChoice::Auto, kMemory, true, false})) << "a piece";
    EXPECT_FALSE(falls_back_to_cpu(Failed{BackendChoice::Auto, kMemory, false, true})) << "lost input";
}

TEST(Decide, ADividedJobThatFailedRunsAgainOnTheGpuWithTheLeastWork) {
    EXPECT_EQ(0u, gpu_to_repeat_on({5}));
    EXPECT_EQ(2u, gpu_to_repeat_on({5, 4, 3}));
    EXPECT_EQ(1u, gpu_to_repeat_on({5, 3, 3})) << "the first of equals";
}

TEST(Decide, PredictsTheTimeAtEachTarget) {
    PlacementInputs inputs = example();
    inputs.gpus = {offer(100 * kUs, 0, 10 * kUs, 5 * kUs), offer(90 * kUs, 50 * kMs)};
    inputs.gpus[0].copy_bytes = 77;
    const Choice choice = *decide(inputs);
    EXPECT_EQ((std::array<std::uint64_t, kTargets>{2 * kMs, 2 * kMs, 300 * kUs, 115 * kUs}),
              choice.predicted_ns);
    EXPECT_EQ(115 * kUs, choice.predicted());
    EXPECT_EQ(100 * kUs, choice.gpu_run_ns);
    EXPECT_EQ(77u, choice.gpu_copy_bytes);
    EXPECT_EQ(135 * kUs, choice.done_ns);
    EXPECT_TRUE(choice.idle);
    EXPECT_TRUE(choice.considered);
    inputs.wish = BackendChoice::Cpu;
    inputs.gpus.clear();
    inputs.pool.wait_ns = 1;
    EXPECT_FALSE(decide(inputs)->idle);
    EXPECT_FALSE(decide(inputs)->considered);
}

TEST(Decide, ACopyThatLaterJobsUseIsMadeOnceItsLackHasCostAsMuch) {
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

TEST(Decide, OfSeveralGpusTheOneThatIsDoneFirst) {
    const auto chosen = [](std::vector<Offer> gpus, std::uint64_t paid_ns = 0) {
        PlacementInputs inputs = example();
        inputs.wish = BackendChoice::Gpu;
        inputs.gpus = std::move(gpus);
        inputs.paid_ns = paid_ns;
        return decide(inputs)->gpu;
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
    EXPECT_EQ(0u, chosen({without_memory(), offer(kMs, kMs)})) << "its error is the answer";
    EXPECT_EQ(1u, chosen({offer(300 * kUs), offer(100 * kUs)})) << "two kinds";
    PlacementInputs inputs = example();
    inputs.gpus = {without_memory(), offer(100 * kUs)};
    EXPECT_EQ(1u, decide(inputs)->gpu) << "the first one lacks memory";
}

TEST(Decide, AJobThatWaitsForItsCopyMissesAnother) {
    PlacementInputs inputs = example();
    inputs.gpus = {offer(100 * kUs, 50 * kUs), offer(100 * kUs, 0, 0, kMs)};
    const Choice choice = *decide(inputs);
    EXPECT_EQ(0u, choice.gpu);
    EXPECT_EQ(50 * kUs, choice.missed_ns);
}

TEST(Decide, ALongJobIsDividedOverIdleGpus) {
    PlacementInputs inputs = example();
    inputs.pool.run_ns = inputs.express.run_ns = 100 * kMs;
    inputs.can_divide = true;
    inputs.divide_ns = kMs;
    inputs.gpus = {offer(8 * kMs, 1), offer(8 * kMs), offer(8 * kMs)};
    Choice choice = *decide(inputs);
    EXPECT_TRUE(choice.divided());
    EXPECT_EQ(1u, choice.gpu) << "the first idle one";
    EXPECT_EQ((std::vector<std::size_t>{1, 2}), choice.shared);
    EXPECT_EQ(4 * kMs + 20 * kUs, choice.done_ns);
    inputs.gpus[2].wait_ns = 1;
    EXPECT_FALSE(decide(inputs)->divided()) << "one is idle";
    inputs.gpus = {offer(900 * kUs), offer(900 * kUs)};
    EXPECT_FALSE(decide(inputs)->divided()) << "too short";
    inputs.gpus = {offer(900 * kUs, 0, 2 * kMs), offer(900 * kUs, 0, 2 * kMs)};
    EXPECT_TRUE(decide(inputs)->divided()) << "if only by what is copied for it";
    inputs.divide_ns = 0;
    EXPECT_FALSE(decide(inputs)->divided()) << "never";
    inputs.divide_ns = kMs;
    inputs.gpus[0].has_memory = false;
    EXPECT_FALSE(decide(inputs)->divided()) << "one has memory";
    inputs.gpus[0].has_memory = true;
    inputs.can_divide = false;
    EXPECT_FALSE(decide(inputs)->divided());
    // Two GPUs may be worth it where one is not.
    inputs.can_divide = true;
    inputs.pool.run_ns = 6 * kMs;
    inputs.gpus = {offer(10 * kMs), offer(10 * kMs)};
    EXPECT_EQ(target_word(Target::Gpu), target_word(decide(inputs)->target));
    EXPECT_EQ(reason_word(Reason::Fastest), reason_word(decide(inputs)->reason));
}

TEST(Decide, TriesWhatIsNotKnownBeforeItIsForgotten) {
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

TEST(Decide, TrialsCostLittle) {
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

TEST(Decide, HugePredictionsDoNotOverflow) {
    PlacementInputs inputs = example();
    inputs.pool = offer(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    inputs.express = inputs.pool;
    inputs.pool_runs_others = true;
    inputs.trial_jobs = 1;
    EXPECT_EQ(target_word(Target::Gpu), target_word(decide(inputs)->target));
    inputs.gpus[0] = offer(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    inputs.express_own_ns = UINT64_MAX;
    inputs.can_divide = true;
    inputs.divide_ns = 1;
    (void)decide(inputs);
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
