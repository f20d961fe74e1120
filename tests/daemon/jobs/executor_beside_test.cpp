// SPDX-License-Identifier: Apache-2.0
// Short jobs that run within another one, on a made-up backend.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "daemon/jobs/executor.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kLong = 1;          // the ticket of the job that waits for its device
constexpr std::uint64_t kShortNs = 10'000;  // predicted

// The job kLong looks for others until it is let go; `run_other` runs these.
class WaitingBackend final : public JobBackend {
  public:
    using Run = std::function<Outcome(JobTask&, const kernels::StopToken&, unsigned depth)>;
    WaitingBackend(std::atomic<bool>& go, unsigned beside, Run run_other)
        : go_(go), beside_(beside), run_other_(std::move(run_other)) {}
    Target target() const override { return Target::Gpu; }
    unsigned jobs_beside() const override { return beside_; }
    void set_meanwhile(std::function<bool()> work) override { meanwhile_ = std::move(work); }
    bool meanwhile() { return meanwhile_(); }
    Outcome run(JobTask& task, const kernels::StopToken& stop) override {
        ++depth_;
        Outcome outcome = Outcome::Done;
        if (task.waiting.ticket != kLong) {
            outcome = run_other_(task, stop, depth_);
        } else {
            while (!go_)
                if (!meanwhile_()) ::usleep(200);
        }
        --depth_;
        if (lost_ || outcome == Outcome::Fatal) {
            lost_ = true;
            task.error = make_error(Status::DeviceLost, "the device is gone");
            return Outcome::Fatal;
        }
        return outcome;
    }

  private:
    std::atomic<bool>& go_;
    const unsigned beside_;
    const Run run_other_;
    std::function<bool()> meanwhile_;
    unsigned depth_ = 0;
    bool lost_ = false;
};

std::shared_ptr<JobTask> task_of(std::uint64_t ticket, std::uint64_t predicted_ns = kShortNs) {
    auto task = std::make_shared<JobTask>();
    task->waiting = {ticket, 1000, wire::Priority::Normal, 0};
    task->choice.predicted_ns[static_cast<std::size_t>(Target::Gpu)] = predicted_ns;
    task->received = Clock::now();
    return task;
}

std::vector<std::uint64_t> take(Executor& executor, std::size_t count) {
    std::vector<std::uint64_t> tickets;
    while (tickets.size() < count) {
        for (const std::shared_ptr<JobTask>& task : executor.take_done())
            tickets.push_back(task->waiting.ticket);
        ::usleep(200);
    }
    return tickets;
}

class ExecutorBeside : public testing::Test {
  protected:
    // Starts the job that waits.
    void start(unsigned beside, WaitingBackend::Run run_other) {
        auto backend = std::make_unique<WaitingBackend>(go_, beside, std::move(run_other));
        backend_ = backend.get();
        executor_ = std::make_unique<Executor>(std::move(backend), 1000000, [] {});
        executor_->submit(task_of(kLong, 3600'000'000'000));
        while (executor_->load().running == 0) ::usleep(200);
    }
    void TearDown() override { go_ = true; }

    std::atomic<bool> go_{false};
    WaitingBackend* backend_ = nullptr;
    std::unique_ptr<Executor> executor_;
};

JobBackend::Outcome done(JobTask&, const kernels::StopToken&, unsigned) {
    return JobBackend::Outcome::Done;
}

TEST_F(ExecutorBeside, ShortJobsRunWithinALongOne) {
    start(2, done);
    for (std::uint64_t ticket = 2; ticket <= 10; ++ticket) executor_->submit(task_of(ticket));
    EXPECT_EQ((std::vector<std::uint64_t>{2, 3, 4, 5, 6, 7, 8, 9, 10}), take(*executor_, 9));
    EXPECT_EQ(1u, executor_->load().running);
    EXPECT_TRUE(executor_->has_jobs());
    go_ = true;
    EXPECT_EQ(std::vector<std::uint64_t>{kLong}, take(*executor_, 1));
    EXPECT_EQ(10u, executor_->load().finished);
    EXPECT_FALSE(executor_->has_jobs());
}

TEST_F(ExecutorBeside, OthersWaitForTheirTurn) {
    start(2, done);
    const auto in_place = task_of(3), copies = task_of(4);
    in_place->prepared.in_place = true;
    copies->choice.gpu_copy_bytes = 64 << 20;
    executor_->submit(task_of(2, 10'000'000));
    executor_->submit(in_place);
    executor_->submit(copies);
    executor_->submit(task_of(5));
    EXPECT_EQ(std::vector<std::uint64_t>{5}, take(*executor_, 1));
    EXPECT_EQ(3u, executor_->load().waiting);
    go_ = true;
    EXPECT_EQ(4u, take(*executor_, 4).size());
}

TEST_F(ExecutorBeside, NoMoreJobsThanTheBackendHasRoomFor) {
    std::atomic<unsigned> deepest{0};
    start(2, [&](JobTask&, const kernels::StopToken&, unsigned depth) {
        if (depth > deepest) deepest = depth;
        const bool ran = backend_->meanwhile();
        EXPECT_FALSE(ran && depth > 2);
        return JobBackend::Outcome::Done;
    });
    for (std::uint64_t ticket = 2; ticket <= 50; ++ticket) executor_->submit(task_of(ticket));
    EXPECT_EQ(49u, take(*executor_, 49).size());
    EXPECT_LE(deepest.load(), 3u);
}

TEST_F(ExecutorBeside, AJobThatNeedsMoreRunsAloneLater) {
    std::atomic<int> tries{0};
    start(1, [&](JobTask&, const kernels::StopToken&, unsigned depth) {
        ++tries;
        return depth > 1 ? JobBackend::Outcome::Later : JobBackend::Outcome::Done;
    });
    const auto task = task_of(2);
    executor_->submit(task);
    while (tries == 0) ::usleep(200);
    executor_->submit(task_of(3));
    while (tries < 2) ::usleep(200);
    EXPECT_TRUE(executor_->take_done().empty());
    go_ = true;
    EXPECT_EQ((std::vector<std::uint64_t>{kLong, 2, 3}), take(*executor_, 3));
    EXPECT_EQ(4, tries.load());
    EXPECT_FALSE(task->error.has_value());
}

TEST_F(ExecutorBeside, AJobThatTakesTooLongBeginsAgainAlone) {
    std::atomic<bool> given_up{false};
    start(1, [&](JobTask& task, const kernels::StopToken& stop, unsigned depth) {
        if (depth == 1) return JobBackend::Outcome::Done;
        while (!stop.stop_requested()) ::usleep(100);
        task.error = stop.error();
        given_up = true;
        return JobBackend::Outcome::Done;
    });
    const auto task = task_of(2);
    executor_->submit(task);
    while (!given_up) ::usleep(200);
    go_ = true;
    EXPECT_EQ((std::vector<std::uint64_t>{kLong, 2}), take(*executor_, 2));
    EXPECT_FALSE(task->error.has_value());
}

TEST_F(ExecutorBeside, ADeadlineOfItsOwnEndsIt) {
    start(1, [&](JobTask& task, const kernels::StopToken& stop, unsigned) {
        while (!stop.stop_requested()) ::usleep(100);
        task.error = stop.error();
        return JobBackend::Outcome::Done;
    });
    const auto task = task_of(2);
    task->deadline = Clock::now() + std::chrono::milliseconds(1);
    executor_->submit(task);
    EXPECT_EQ(std::vector<std::uint64_t>{2}, take(*executor_, 1));
    EXPECT_EQ(Status::DeadlineExceeded, task->error->status);
}

TEST_F(ExecutorBeside, ALostDeviceEndsBoth) {
    std::atomic<bool> ran{false};
    start(1, [&](JobTask&, const kernels::StopToken&, unsigned) {
        ran = true;
        return JobBackend::Outcome::Fatal;
    });
    const auto task = task_of(2);
    executor_->submit(task);
    while (!ran) ::usleep(200);
    go_ = true;
    while (!executor_->failure()) ::usleep(200);
    EXPECT_EQ(Status::DeviceLost, executor_->failure()->status);
    EXPECT_TRUE(executor_->take_done().empty());
    EXPECT_FALSE(executor_->remove(*task)) << "it ran";
}

TEST_F(ExecutorBeside, TheEndStopsAllThatRun) {
    std::atomic<bool> inside{false};
    start(1, [&](JobTask& task, const kernels::StopToken&, unsigned) {
        inside = true;
        while (!task.stop_flag()) ::usleep(100);
        go_ = true;
        return JobBackend::Outcome::Done;
    });
    executor_->submit(task_of(2));
    while (!inside) ::usleep(200);
    executor_.reset();
}

}  // namespace
}  // namespace tegu::daemon
