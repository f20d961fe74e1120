// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/executor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <new>
#include <stdexcept>
#include <thread>

namespace tegu::daemon {
namespace {

std::shared_ptr<JobTask> sum_task(std::uint64_t ticket) {
    static const float kValues[] = {1, 2, 3, 4};
    auto task = std::make_shared<JobTask>();
    task->waiting = {ticket, 1000, wire::Priority::Normal, 0};
    task->choice.predicted_ns = {100, 100, 1000, 10};
    task->received = Clock::now();
    Job& job = task->prepared.job;
    job.type = ElementType::F32;
    job.cols = 4;
    job.params = ReduceParams{statistic_bit(Statistic::Sum), false, 0};
    task->prepared.plan = kernels::plan_job(job).value();
    task->prepared.input_count = 1;
    task->prepared.inputs[0].view = {reinterpret_cast<const std::byte*>(kValues), 4};
    task->prepared.result_bytes =
        wire::layout_arrays(task->prepared.plan.outputs, 8, task->prepared.output.offsets).value();
    return task;
}

// Waits until `done` jobs can be taken.
std::vector<std::shared_ptr<JobTask>> take(Executor& executor, std::size_t count) {
    std::vector<std::shared_ptr<JobTask>> all;
    while (all.size() < count) {
        for (std::shared_ptr<JobTask>& task : executor.take_done()) all.push_back(std::move(task));
        ::usleep(200);
    }
    return all;
}

TEST(Executor, RunsWhatIsSubmittedAndWakes) {
    std::atomic<int> woken{0};
    Executor executor(2, 1000000, [&] { ++woken; });
    for (std::uint64_t ticket = 1; ticket <= 20; ++ticket) executor.submit(sum_task(ticket));
    for (const std::shared_ptr<JobTask>& task : take(executor, 20)) {
        EXPECT_FALSE(task->error.has_value());
        EXPECT_FALSE(task->body.empty());
        EXPECT_GT(task->cost.compute_ns, 0u);
        EXPECT_GE(task->cost.threads, 1u);
    }
    EXPECT_GE(woken.load(), 1);
    EXPECT_FALSE(executor.failure().has_value());
}

TEST(Executor, AJobThatIsOverdueOrStoppedIsNotStarted) {
    Executor executor(1, 1000000, [] {});
    const auto late = sum_task(1);
    late->deadline = Clock::now() - std::chrono::milliseconds(1);
    const auto stopped = sum_task(2);
    stopped->stop = true;
    executor.submit(late);
    executor.submit(stopped);
    take(executor, 2);
    EXPECT_EQ(Status::DeadlineExceeded, late->error->status);
    EXPECT_EQ(Status::Cancelled, stopped->error->status);
    EXPECT_EQ(0u, late->cost.compute_ns + stopped->cost.compute_ns);
}

// Fails or passes on what it is given, as it is told.
class TestBackend final : public JobBackend {
  public:
    explicit TestBackend(Outcome outcome, std::function<void(std::shared_ptr<JobTask>)> pass = nullptr)
        : outcome_(outcome), pass_(std::move(pass)) {}
    Target target() const override { return Target::Gpu; }
    void start() override { started_on_ = std::this_thread::get_id(); }
    Outcome run(JobTask& task, const kernels::StopToken&) override {
        EXPECT_EQ(started_on_, std::this_thread::get_id());
        if (outcome_ == Outcome::Fatal) task.error = make_error(Status::DeviceLost, "the device is gone");
        return outcome_;
    }
    void pass(std::shared_ptr<JobTask> task) override {
        EXPECT_EQ(started_on_, std::this_thread::get_id());
        pass_(std::move(task));
    }
    void end() override { EXPECT_EQ(started_on_, std::this_thread::get_id()); }

  private:
    Outcome outcome_;
    std::function<void(std::shared_ptr<JobTask>)> pass_;
    std::thread::id started_on_;
};

bool beats_soon(Executor& executor) {
    for (int i = 0; i < 300000; ++i) {
        if (executor.take_heartbeat()) return true;
        ::usleep(200);
    }
    return false;
}

TEST(Executor, JobsAndProbesBeat) {
    std::atomic<int> woken{0};
    Executor executor(3, 1000000, [&] { ++woken; });
    EXPECT_FALSE(executor.take_heartbeat()) << "an idle executor is silent until it is asked";
    for (int i = 0; i < 20; ++i) {
        executor.probe();
        EXPECT_TRUE(beats_soon(executor));
    }
    EXPECT_EQ(0, woken.load()) << "a probe wakes nobody else";
    executor.submit(sum_task(1));
    take(executor, 1);
    EXPECT_TRUE(beats_soon(executor));
    EXPECT_FALSE(executor.has_control_tasks());
    EXPECT_FALSE(executor.failure().has_value());
}

// Stands in a probe until it is let go.
class SlowBackend final : public JobBackend {
  public:
    SlowBackend(std::atomic<int>& probes, std::atomic<bool>& go) : probes_(probes), go_(go) {}
    Target target() const override { return Target::Gpu; }
    Outcome run(JobTask&, const kernels::StopToken&) override { return Outcome::Done; }
    Result<void> probe() override {
        ++probes_;
        while (!go_) ::usleep(200);
        return make_error(Status::DeviceLost, "the device is gone");
    }

  private:
    std::atomic<int>& probes_;
    std::atomic<bool>& go_;
};

TEST(Executor, AProbeThatHangsIsAskedForOnceAndOneThatFailsEndsIt) {
    std::atomic<int> probes{0};
    std::atomic<bool> go{false};
    Executor executor(std::make_unique<SlowBackend>(probes, go), 1000000, [] {});
    for (int i = 0; i < 100; ++i) executor.probe();
    while (probes == 0) ::usleep(200);
    EXPECT_FALSE(executor.take_heartbeat());
    go = true;
    EXPECT_TRUE(beats_soon(executor));
    EXPECT_EQ(1, probes.load());
    ASSERT_TRUE(executor.failure().has_value());
    EXPECT_EQ("the device is gone", executor.failure()->message);
}

// Runs until it is let go.
class LongBackend final : public JobBackend {
  public:
    explicit LongBackend(std::atomic<bool>& go) : go_(go) {}
    Target target() const override { return Target::Pool; }
    Outcome run(JobTask&, const kernels::StopToken&) override {
        while (!go_) ::usleep(200);
        return Outcome::Done;
    }

  private:
    std::atomic<bool>& go_;
};

TEST(Executor, SaysHowMuchLongerAJobOfAnotherUserRuns) {
    constexpr uid_t kUser = 1000, kOther = 1001;
    std::atomic<bool> go{false};
    Executor executor(std::make_unique<LongBackend>(go), 1000000, [] {});
    EXPECT_EQ(0u, executor.wait_ns(kOther, wire::Priority::Normal)) << "nothing runs";
    EXPECT_FALSE(executor.runs_other(kOther, 1));
    const auto task = sum_task(1);
    constexpr std::uint64_t kHour = 3600'000'000'000;
    task->pid = 1;
    task->choice.predicted_ns[static_cast<std::size_t>(Target::Pool)] = kHour;
    executor.submit(task);
    while (executor.load().running == 0) ::usleep(200);
    EXPECT_EQ(kUser, task->waiting.uid);
    EXPECT_FALSE(executor.runs_other(kUser, 1));
    EXPECT_TRUE(executor.runs_other(kUser, 2)) << "another process";
    EXPECT_TRUE(executor.runs_other(kOther, 1)) << "another user";
    EXPECT_GT(executor.wait_ns(kOther, wire::Priority::Normal), kHour / 2);
    EXPECT_LT(executor.wait_ns(kOther, wire::Priority::Normal), kHour);
    const auto next = sum_task(2);
    next->choice.predicted_ns[static_cast<std::size_t>(Target::Pool)] = kHour;
    executor.submit(next);
    EXPECT_GT(executor.wait_ns(kUser, wire::Priority::Normal), kHour) << "and what waits before it";
    EXPECT_LT(executor.wait_ns(kUser, wire::Priority::High), kHour) << "which it overtakes";
    go = true;
    take(executor, 2);
    EXPECT_EQ(0u, executor.wait_ns(kOther, wire::Priority::Normal));
}

TEST(Executor, AJobThatRunsLateIsExpectedToRunOnAsLongAgain) {
    std::atomic<bool> go{false};
    Executor executor(std::make_unique<LongBackend>(go), 1000000, [] {});
    executor.submit(sum_task(1));
    while (executor.load().running == 0) ::usleep(200);
    ::usleep(20000);
    EXPECT_GT(executor.wait_ns(1001, wire::Priority::Normal), 10'000'000u);
    go = true;
    take(executor, 1);
}

// A range over many elements, in as many threads as there are.
std::shared_ptr<JobTask> large_sum_task(const std::vector<float>& values) {
    auto task = sum_task(1);
    task->prepared.job.cols = values.size();
    task->prepared.plan = kernels::plan_job(task->prepared.job).value();
    task->prepared.inputs[0].view = {reinterpret_cast<const std::byte*>(values.data()), values.size()};
    return task;
}

TEST(Executor, LeavesACoreToOthersWhileSeveralUsersWork) {
    const unsigned cores = std::thread::hardware_concurrency();
    if (cores < 2) GTEST_SKIP() << "needs two cores";
    const std::vector<float> values(1 << 22);
    Executor executor(cores, 1000000, [] {});
    for (const bool crowded : {false, true, false}) {
        executor.set_crowded(crowded);
        const auto task = large_sum_task(values);
        executor.submit(task);
        take(executor, 1);
        ASSERT_FALSE(task->error.has_value());
        EXPECT_EQ(crowded ? cores - 1 : cores, task->cost.threads);
    }
}

TEST(Executor, AJobThatIsPassedOnIsDoneElsewhere) {
    Executor cpu(1, 1000000, [] {});
    Executor first(
        std::make_unique<TestBackend>(JobBackend::Outcome::Passed,
                                      [&](std::shared_ptr<JobTask> task) { cpu.submit(std::move(task)); }),
        1000000, [] {});
    for (std::uint64_t ticket = 1; ticket <= 5; ++ticket) first.submit(sum_task(ticket));
    for (const std::shared_ptr<JobTask>& task : take(cpu, 5)) {
        EXPECT_FALSE(task->body.empty());
        EXPECT_EQ(Target::Pool, task->target);
    }
    EXPECT_TRUE(first.take_done().empty());
    while (first.load().running != 0) ::usleep(200);
    EXPECT_EQ(0u, first.load().waiting);
}

// What a job holds ends on the thread that takes it: the one that passed it on has nothing left of it,
// however late it is.
TEST(Executor, OneThatPassesAJobOnKeepsNothingOfIt) {
    std::atomic<bool> ended{false};
    std::thread::id ended_on;
    Executor cpu(1, 1000000, [] {});
    {
        Executor first(std::make_unique<TestBackend>(JobBackend::Outcome::Passed,
                                                     [&](std::shared_ptr<JobTask> task) {
                                                         cpu.submit(std::move(task));
                                                         for (int i = 0; i < 60000 && !ended; ++i)
                                                             ::usleep(1000);
                                                     }),
                       1000000, [] {});
        std::shared_ptr<JobTask> task = sum_task(1);
        JobTask* const held = task.get();
        first.submit(std::shared_ptr<JobTask>(held, [&, owned = std::move(task)](JobTask*) {
            ended_on = std::this_thread::get_id();
            ended = true;
        }));
        take(cpu, 1).clear();
        EXPECT_TRUE(ended) << "somebody else has a reference";
    }
    EXPECT_EQ(std::this_thread::get_id(), ended_on);
}

TEST(Executor, AJobCostsWhatItDoesWhereItWaits) {
    std::atomic<bool> go_on{false};
    Executor executor(std::make_unique<TestBackend>(JobBackend::Outcome::Passed,
                                                    [&](const std::shared_ptr<JobTask>&) {
                                                        while (!go_on) ::usleep(200);
                                                    }),
                      1000000, [] {});
    executor.submit(sum_task(1));
    while (executor.load().waiting != 0) ::usleep(200);
    const std::shared_ptr<JobTask> second = sum_task(2);
    second->choice.predicted_ns = {1, 1, 2, 77};
    executor.submit(second);
    EXPECT_EQ(77u, executor.load().waiting_ns);
    EXPECT_TRUE(executor.remove(*second));
    EXPECT_EQ(0u, executor.load().waiting_ns);
    go_on = true;
}

TEST(Executor, AFatalErrorEndsItAndLeavesTheJobInFlight) {
    std::atomic<int> woken{0};
    Executor executor(std::make_unique<TestBackend>(JobBackend::Outcome::Fatal), 1000000, [&] { ++woken; });
    const std::shared_ptr<JobTask> task = sum_task(1);
    executor.submit(task);
    while (!executor.failure()) ::usleep(200);
    EXPECT_EQ(Status::DeviceLost, executor.failure()->status);
    EXPECT_EQ("the device is gone", executor.failure()->message);
    EXPECT_TRUE(executor.take_done().empty());
    EXPECT_FALSE(executor.remove(*task)) << "it ran";
    while (woken == 0) ::usleep(200);  // it wakes others when the failure can be seen
}

TEST(Executor, ControlTasksAreRunBetweenJobsAndBroughtBack) {
    std::atomic<int> woken{0};
    Executor executor(1, 1000000, [&] { ++woken; });
    std::thread::id worked_on, done_on;
    executor.post([&] { worked_on = std::this_thread::get_id(); },
                  [&] { done_on = std::this_thread::get_id(); });
    executor.post([] {}, nullptr);
    executor.submit(sum_task(1));
    take(executor, 1);
    EXPECT_TRUE(executor.has_control_tasks());
    EXPECT_TRUE(executor.run_done_control_tasks());
    EXPECT_FALSE(executor.run_done_control_tasks());
    EXPECT_FALSE(executor.has_control_tasks());
    EXPECT_EQ(std::this_thread::get_id(), done_on);
    EXPECT_NE(std::this_thread::get_id(), worked_on);
    EXPECT_NE(std::thread::id(), worked_on);
    EXPECT_GE(woken.load(), 1);
}

TEST(Executor, ControlTasksThatWaitAreDroppedAtTheEnd) {
    const auto owned = std::make_shared<int>(1);
    {
        Executor executor(std::make_unique<TestBackend>(JobBackend::Outcome::Fatal), 1000000, [] {});
        executor.submit(sum_task(1));
        while (!executor.failure()) ::usleep(200);
        executor.post([owned] { ADD_FAILURE() << "the thread has ended"; }, [owned] {});
        EXPECT_EQ(3, owned.use_count());
    }
    EXPECT_EQ(1, owned.use_count());
}

// The word cannot be passed on: the thread ends, says why, and does not take the process with it.
class ThrowingBackend final : public JobBackend {
  public:
    Target target() const override { return Target::Pool; }
    Outcome run(JobTask& task, const kernels::StopToken&) override {
        if (task.waiting.ticket == 2) throw std::runtime_error("no way");
        if (task.waiting.ticket == 3) throw std::bad_alloc();
        return Outcome::Done;
    }
    void end() override { ended_on = std::this_thread::get_id(); }
    static std::thread::id ended_on;
};
std::thread::id ThrowingBackend::ended_on;

TEST(Executor, SaysWhatEndedIt) {
    Executor executor(std::make_unique<ThrowingBackend>(), 1000000, [] {});
    executor.submit(sum_task(1));
    executor.submit(sum_task(2));
    while (!executor.failure()) ::usleep(200);
    EXPECT_EQ(Status::Internal, executor.failure()->status);
    EXPECT_EQ("the executor ended: no way", executor.failure()->message);
    EXPECT_EQ(1u, executor.take_done().size()) << "what was done before is still there";
}

// A device has not failed because the host had no memory; and what it holds ends on its own thread.
TEST(Executor, WithoutMemoryItEndsAndSaysSo) {
    ThrowingBackend::ended_on = std::thread::id();
    {
        Executor executor(std::make_unique<ThrowingBackend>(), 1000000, [] {});
        executor.submit(sum_task(3));
        while (!executor.failure()) ::usleep(200);
        EXPECT_EQ(Status::OutOfMemory, executor.failure()->status);
        EXPECT_EQ(std::thread::id(), ThrowingBackend::ended_on) << "somebody may still ask for it";
    }
    EXPECT_NE(std::thread::id(), ThrowingBackend::ended_on);
    EXPECT_NE(std::this_thread::get_id(), ThrowingBackend::ended_on);
}

// Without memory to pass the word on: the io thread looks by itself, every second.
TEST(Executor, GoesOnWhenNoWordGoesThrough) {
    Executor executor(1, 1000000, [] { throw std::bad_alloc(); });
    for (std::uint64_t ticket = 1; ticket <= 5; ++ticket) executor.submit(sum_task(ticket));
    take(executor, 5);
    EXPECT_FALSE(executor.failure().has_value());
}

}  // namespace
}  // namespace tegu::daemon
