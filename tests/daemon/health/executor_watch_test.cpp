// SPDX-License-Identifier: Apache-2.0
// Which executor has stalled, over made-up times: of made-up states, and of executors of which one holds its
// job.
#include "daemon/health/executor_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <utility>

#include "daemon/reports/board_health.h"

namespace tegu::daemon {
namespace {

using health::Assessment;
using health::Code;
using health::ExecutorState;
using health::ExecutorWatch;
using health::Reason;

constexpr std::uint64_t kSecondNs = 1'000'000'000;

// What the daemon does once a second.
class Life {
  public:
    // The subjects of the reasons, after some seconds with these states each.
    std::vector<std::string> stalled(const std::vector<ExecutorState>& states, int seconds = 1) {
        for (; seconds > 0; --seconds) {
            now_.monotonic_ns += kSecondNs;
            health::DaemonFacts facts;
            facts.executors = watch_.refresh(states, now_.monotonic_ns);
            assessment_ = health::assess({}, facts, now_, assessment_);
        }
        std::vector<std::string> subjects;
        for (const Reason& reason : assessment_.reasons)
            if (reason.code == Code::ExecutorStalled) subjects.push_back(reason.subject);
        return subjects;
    }

  private:
    ExecutorWatch watch_;
    health::Times now_{1000 * kSecondNs, 1'750'000'000'000};
    Assessment assessment_;
};

using Names = std::vector<std::string>;

TEST(ExecutorWatch, SeesOneThatHoldsItsJobWhileAnotherGoesOn) {
    Life life;
    ExecutorState cpu{"CPU", true, 0, kSecondNs}, gpu{"GPU 0", true, 5, 1000};
    EXPECT_EQ(life.stalled({cpu, gpu}), Names());
    for (int second = 1; second <= 30; ++second) {
        ++cpu.finished;
        EXPECT_EQ(life.stalled({cpu, gpu}), Names()) << second;
    }
    ++cpu.finished;
    EXPECT_EQ(life.stalled({cpu, gpu}), Names{"GPU 0"});
    ++gpu.finished;
    EXPECT_EQ(life.stalled({cpu, gpu}), Names()) << "it got on";
    EXPECT_EQ(life.stalled({cpu, gpu}, 30), Names());
    EXPECT_EQ(life.stalled({cpu, gpu}), Names{"GPU 0"}) << "the CPU has its ten seconds more";
    EXPECT_EQ(life.stalled({cpu, gpu}, 10), (Names{"CPU", "GPU 0"}));
}

TEST(ExecutorWatch, GivesEachTheTimeOfItsOwnJob) {
    Life life;
    const ExecutorState cpu{"CPU", true, 0, 1000 * kSecondNs}, gpu{"GPU 0", true, 0, 2 * kSecondNs};
    EXPECT_EQ(life.stalled({cpu, gpu}, 50), Names()) << "20 s for the job, and 30 s";
    EXPECT_EQ(life.stalled({cpu, gpu}, 2), Names{"GPU 0"})
        << "what the CPU was predicted to take is the CPU's";
    const ExecutorState endless{"CPU", true, 0, UINT64_MAX / 2};
    EXPECT_EQ(life.stalled({endless, gpu}, 20000), Names{"GPU 0"});
}

TEST(ExecutorWatch, CountsNoTimeWithoutWork) {
    Life life;
    ExecutorState cpu{"CPU", false, 7, 0};
    EXPECT_EQ(life.stalled({cpu}, 1000), Names());
    cpu.has_work = true;
    EXPECT_EQ(life.stalled({cpu}, 29), Names());
    EXPECT_EQ(life.stalled({cpu}, 1), Names{"CPU"}) << "jobs wait and none runs";
    cpu.has_work = false;
    EXPECT_EQ(life.stalled({cpu}), Names());
}

// Holds each job until it may go on; where it does not hold, a job is done at once.
class HoldingBackend final : public JobBackend {
  public:
    explicit HoldingBackend(const std::atomic<bool>* go_on = nullptr) : go_on_(go_on) {}
    Target target() const override { return go_on_ == nullptr ? Target::Pool : Target::Gpu; }
    Outcome run(JobTask&, const kernels::StopToken&) override {
        while (go_on_ != nullptr && !*go_on_) ::usleep(200);
        return Outcome::Done;
    }

  private:
    const std::atomic<bool>* go_on_;
};

std::shared_ptr<JobTask> task(std::uint64_t ticket) {
    auto task = std::make_shared<JobTask>();
    task->waiting = {ticket, 1000, wire::Priority::Normal, 0};
    task->choice.predicted_ns = {100, 100, 1000, 1000};
    task->received = Clock::now();
    return task;
}

// Runs one job and takes its result.
void run_one(Executor& executor, std::uint64_t ticket) {
    executor.submit(task(ticket));
    while (executor.take_done().empty()) ::usleep(200);
}

TEST(ExecutorWatch, AnExecutorThatHoldsAJobIsStalledWhileOthersAnswer) {
    std::atomic<bool> go_on{false};
    Executor cpu(std::make_unique<HoldingBackend>(), 1000000, [] {});
    Executor gpu(std::make_unique<HoldingBackend>(&go_on), 1000000, [] {});
    const auto states = [&] {
        return std::vector<ExecutorState>{executor_state("CPU", cpu.load()),
                                          executor_state("GPU 0", gpu.load())};
    };
    Life life;
    gpu.submit(task(1000));
    while (gpu.load().running == 0) ::usleep(200);
    const std::shared_ptr<JobTask> cancelled = task(1001);
    gpu.submit(cancelled);
    EXPECT_EQ(life.stalled(states()), Names());
    for (std::uint64_t second = 1; second <= 30; ++second) {
        run_one(cpu, second);
        EXPECT_EQ(life.stalled(states()), Names()) << second;
    }
    EXPECT_TRUE(gpu.remove(*cancelled)) << "answered, and no sign of life";
    run_one(cpu, 31);
    EXPECT_EQ(31u, cpu.load().finished);
    // A job that is late is expected to run on for as long again, ten times of which it has on top.
    EXPECT_EQ(life.stalled(states(), 3600), Names{"GPU 0"});
    ExecutorLoad both = cpu.load();
    both += gpu.load();
    EXPECT_EQ(31u, both.finished);
    go_on = true;
    while (gpu.take_done().empty()) ::usleep(200);
    EXPECT_EQ(1u, gpu.load().finished);
    EXPECT_EQ(life.stalled(states()), Names());
}

}  // namespace
}  // namespace tegu::daemon
