// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/decide.h"

#include <gtest/gtest.h>

#include "tests/daemon/placement/decide_cases.h"

namespace tegu::daemon {
namespace {

using wire::BackendChoice;

// The example with changes.
struct Given : PlacementInputs {
    using In = PlacementInputs;
    Given() : PlacementInputs(example()) {}
    template <class Member, class Value>
    Given& with(Member member, Value value) {
        this->*member = value;
        return *this;
    }
    Given& wish_cpu() { return with(&In::wish, BackendChoice::Cpu); }
    Given& wish_gpu() { return with(&In::wish, BackendChoice::Gpu); }
    Given& one_thread(std::uint64_t run_ns) { return with(&In::express, offer(run_ns, express.wait_ns)); }
    Given& express_wait(std::uint64_t wait_ns) { return with(&In::express, offer(express.run_ns, wait_ns)); }
    Given& pool_run(std::uint64_t run_ns) { return with(&In::pool, offer(run_ns)); }
    Given& pool_wait(std::uint64_t wait_ns) { return with(&In::pool, offer(pool.run_ns, wait_ns)); }
    Given& gpu(const Offer& only) { return with(&In::gpus, std::vector<Offer>{only}); }
    Given& no_gpu() { return with(&In::gpus, std::vector<Offer>()); }
    // Another client's long job runs on the pool.
    Given& busy() { return pool_wait(500 * kMs).with(&In::pool_runs_others, true); }
    // A trial is due on a GPU that takes so long.
    Given& due(std::uint64_t run_ns = 360 * kUs, std::uint64_t wait_ns = 0) {
        gpu(offer(run_ns, wait_ns)).gpus[0].elsewhere = 60'000;
        return with(&In::trial_jobs, 128);
    }
    // The pool is fastest, and a trial is due on one thread.
    Given& thread_due(std::uint64_t thread_ns, std::uint64_t pool_ns) {
        no_gpu().one_thread(thread_ns).pool_run(pool_ns).express.elsewhere = 5'000;
        return with(&In::trial_jobs, 128);
    }
    // One thread is fastest, and a trial is due on the pool.
    Given& pool_due() {
        one_thread(200 * kUs).no_gpu().pool.elsewhere = 5'000;
        return with(&In::trial_jobs, 128);
    }
};

struct Case {
    const char* rule;
    PlacementInputs inputs;
    Target target;
    Reason reason;
};

std::vector<Case> cases() {
    using In = PlacementInputs;
    constexpr Target kInline = Target::Inline, kExpress = Target::Express, kPool = Target::Pool,
                     kGpu = Target::Gpu;
    const Offer slow = offer(400 * kUs), full = without_memory();
    return {
        {"done first: the GPU", Given(), kGpu, Reason::Fastest},
        {"done first: the CPU", Given().gpu(slow), kPool, Reason::Fastest},
        {"of equals the CPU", Given().gpu(offer(300 * kUs)), kPool, Reason::Fastest},

        {"inline: below the budget", Given().one_thread(50 * kUs - 1), kInline, Reason::Small},
        {"inline: not at the budget", Given().one_thread(50 * kUs), kExpress, Reason::Fastest},
        {"inline: no budget", Given().one_thread(0).with(&In::inline_budget_ns, 0), kExpress,
         Reason::Fastest},
        {"inline: wish for the CPU", Given().one_thread(kUs).wish_cpu(), kInline, Reason::Small},
        {"inline: not with a wish for a GPU", Given().one_thread(kUs).wish_gpu(), kGpu, Reason::Asked},
        {"inline: not again", Given().one_thread(kUs).with(&In::gave_up_inline, true), kExpress,
         Reason::Fastest},
        {"inline: enough memory",
         Given().one_thread(kUs).with(&In::scratch_bytes, 400).with(&In::running_scratch_bytes, 600), kInline,
         Reason::Small},
        {"inline: too little memory",
         Given().one_thread(kUs).with(&In::scratch_bytes, 401).with(&In::running_scratch_bytes, 600),
         kExpress, Reason::Fastest},
        {"inline: needs no memory", Given().one_thread(kUs).with(&In::running_scratch_bytes, 2000), kInline,
         Reason::Small},

        {"wish: the CPU", Given().wish_cpu(), kPool, Reason::Asked},
        {"wish: a GPU, whatever it takes", Given().gpu(offer(900 * kMs, 900 * kMs)).wish_gpu(), kGpu,
         Reason::Asked},
        {"wish: a GPU without memory", Given().gpu(full).wish_gpu(), kGpu, Reason::Asked},
        {"only: no GPU has memory", Given().gpu(full), kPool, Reason::Only},
        {"only: no GPU", Given().no_gpu(), kPool, Reason::Only},

        {"queue: long at the GPU", Given().gpu(offer(100 * kUs, 28 * kMs)), kPool, Reason::Queue},
        {"queue: short at the GPU", Given().gpu(offer(100 * kUs, 100 * kUs)), kGpu, Reason::Fastest},
        {"queue: long at the pool", Given().gpu(slow).pool_wait(10 * kMs), kGpu, Reason::Queue},
        {"copy: short", Given().gpu(offer(100 * kUs, 0, 199 * kUs)), kGpu, Reason::Fastest},
        {"copy: of equals the CPU", Given().gpu(offer(100 * kUs, 0, 200 * kUs)), kPool, Reason::Copy},
        {"copy: kept, not paid", Given().gpu(offer(100 * kUs, 0, 0, kMs)).with(&In::paid_ns, 800 * kUs),
         kPool, Reason::Copy},
        {"copy: kept, paid", Given().gpu(offer(100 * kUs, 0, 0, kMs)).with(&In::paid_ns, 801 * kUs), kGpu,
         Reason::Fastest},

        {"express: beside a long job", Given().busy().no_gpu(), kExpress, Reason::Express},
        {"express: the GPU is busy, too", Given().busy().gpu(offer(100 * kUs, 28 * kMs)), kExpress,
         Reason::Express},
        {"express: not if the GPU is free", Given().busy(), kGpu, Reason::Fastest},
        {"express: with a wish for the CPU", Given().busy().wish_cpu(), kExpress, Reason::Express},
        {"express: not behind an own job", Given().no_gpu().pool_wait(500 * kMs), kPool, Reason::Only},
        {"express: not above 8 MiB", Given().busy().no_gpu().with(&In::scratch_bytes, (8 << 20) + 1), kPool,
         Reason::Only},
        {"express: not if it takes too long", Given().busy().no_gpu().one_thread(kExpressNs + 1), kPool,
         Reason::Only},
        {"express: not beyond the user's share", Given().busy().no_gpu().with(&In::express_own_ns, 4 * kMs),
         kPool, Reason::Only},
        {"express: not if the pool is sooner", Given().busy().no_gpu().express_wait(600 * kMs), kPool,
         Reason::Only},

        {"one thread: sooner than the pool wakes", Given().one_thread(200 * kUs).gpu(slow), kExpress,
         Reason::Fastest},
        {"one thread: not behind another job",
         Given().one_thread(200 * kUs).gpu(slow).express_wait(101 * kUs), kPool, Reason::Fastest},
        {"one thread: not while the pool works", Given().one_thread(200 * kUs).gpu(slow).pool_wait(1), kPool,
         Reason::Fastest},
        {"one thread: not if a GPU is faster", Given().one_thread(200 * kUs), kGpu, Reason::Fastest},
        {"one thread: with a wish for the CPU", Given().one_thread(200 * kUs).wish_cpu(), kExpress,
         Reason::Asked},

        {"trial: due on the GPU", Given().due(), kGpu, Reason::Trial},
        {"trial: switched off", Given().due().with(&In::trial_jobs, 0), kPool, Reason::Fastest},
        {"trial: not with cold memory", Given().due().with(&In::cold, true), kPool, Reason::Fastest},
        {"trial: not with a deadline", Given().due().with(&In::has_deadline, true), kPool, Reason::Fastest},
        {"trial: not with high priority", Given().due().with(&In::high_priority, true), kPool,
         Reason::Fastest},
        {"trial: not beside another job", Given().due(360 * kUs, 1), kPool, Reason::Fastest},
        {"trial: not for 30 ms", Given().due(100 * kMs).pool_run(70 * kMs).one_thread(70 * kMs), kPool,
         Reason::Fastest},
        {"trial: not against a wish", Given().due().wish_cpu(), kPool, Reason::Asked},
        {"trial: the pool, not one thread", Given().pool_due(), kPool, Reason::Trial},
        {"trial: one thread, not the pool", Given().thread_due(120 * kUs, 60 * kUs), kExpress, Reason::Trial},
        {"trial: on the io thread", Given().thread_due(60 * kUs, 30 * kUs), kInline, Reason::Trial},
        {"trial: not on the io thread again",
         Given().thread_due(60 * kUs, 30 * kUs).with(&In::gave_up_inline, true), kExpress, Reason::Trial},
        {"trial: not beside a job on the pool", Given().thread_due(120 * kUs, 60 * kUs).pool_wait(1), kPool,
         Reason::Only},
        {"trial: not far above the budget", Given().thread_due(220 * kUs, 60 * kUs), kPool, Reason::Only},
    };
}

TEST(Decide, EachRule) {
    for (const Case& each : cases()) {
        const Result<Choice> choice = decide(each.inputs);
        ASSERT_TRUE(choice.ok()) << each.rule;
        EXPECT_EQ(target_word(each.target), target_word(choice->target)) << each.rule;
        EXPECT_EQ(reason_word(each.reason), reason_word(choice->reason)) << each.rule;
        EXPECT_EQ(each.reason == Reason::Small, is_inline(each.inputs)) << each.rule;
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
