// SPDX-License-Identifier: Apache-2.0
// Executor: a thread that runs jobs on its backend, and the queue of waiting jobs. The backend is the CPU
// with a thread pool, the CPU with one thread (express lane), or a GPU. The io thread owns a job before
// submit() and after take_done(), so it holds the last reference.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/spin_wait.h"
#include "daemon/jobs/waiting_jobs.h"
#include "daemon/placement/sample_memory.h"
#include "kernels/execution/cpu/thread_pool.h"

namespace tegu::daemon {

// Runs the jobs of an executor. start() to end() are called on the executor's thread.
class JobBackend {
  public:
    enum class Outcome {
        Done,    // error or body is set
        Passed,  // pass() moves the job to another executor
        Later,   // within another job: it needs more of the device, and nothing is set
        Fatal,   // error is set, and the daemon must end
    };
    virtual ~JobBackend() = default;
    virtual Target target() const = 0;
    virtual void start() {}
    // Sets whether several users are active at the same time. Any thread.
    virtual void set_crowded(bool crowded) { (void)crowded; }
    // Called when `stop` was just checked and not requested. task.queue_ns and task.target are set.
    virtual Outcome run(JobTask& task, const kernels::StopToken& stop) = 0;
    // Jobs that may run within another one, each within the last, while that waits for its device. Any
    // thread, after start().
    virtual unsigned jobs_beside() const { return 0; }
    // Sets the work of such a wait: runs one job, or returns false. Before start().
    virtual void set_meanwhile(std::function<bool()> work) { (void)work; }
    // Moves on a job for which run() returned Passed. The executor holds no other reference to it.
    virtual void pass(std::shared_ptr<JobTask> task) { (void)task; }
    // A small task between two jobs that uses all resources of a job, so it hangs if any of them hangs. After
    // an error the daemon must end.
    virtual Result<void> probe() { return {}; }
    virtual void end() {}
};

// The CPU: each job uses the whole pool; if several users are active, one core stays free. With all cores
// busy, the io thread and other clients wait for the kernel's next tick. That takes some milliseconds,
// regardless of priorities.
class CpuBackend final : public JobBackend {
  public:
    explicit CpuBackend(unsigned threads)
        : threads_(threads), cores_(std::thread::hardware_concurrency()), pool_(threads), runner_(&pool_) {}
    Target target() const override { return Target::Pool; }
    void set_crowded(bool crowded) override { crowded_.store(crowded, std::memory_order_relaxed); }
    Outcome run(JobTask& task, const kernels::StopToken& stop) override;
    Result<void> probe() override;
    // Times a sample on the pool, or, with `alone`, on the executor's thread. Call between jobs.
    SampleTime time_sample(const Job& job, const SampleMemory& memory, bool alone);

  private:
    const unsigned threads_, cores_;
    std::atomic<bool> crowded_{false};
    kernels::ThreadPool pool_;
    JobRunner runner_;
};

// The CPU with only the executor's thread.
class ExpressBackend final : public JobBackend {
  public:
    Target target() const override { return Target::Express; }
    Outcome run(JobTask& task, const kernels::StopToken& stop) override;

  private:
    JobRunner runner_{nullptr};
};

struct ExecutorLoad {
    std::uint64_t waiting = 0;     // jobs
    std::uint64_t waiting_ns = 0;  // predicted wall time
    std::uint64_t running = 0;     // 0 or 1, of each executor; more where jobs run within another
    std::uint64_t running_ns = 0;  // predicted remaining time of the first of each executor
    std::uint64_t running_scratch_bytes = 0;
    std::uint64_t finished = 0;  // jobs since the start with any outcome, including passed ones
    std::uint64_t busy_ns = 0;   // time in jobs since the start, including the running one
    std::array<std::uint64_t, wire::kPriorityCount> waiting_by_priority{};

    ExecutorLoad& operator+=(const ExecutorLoad& other);
};

class Executor {
  public:
    // The executor thread calls `wake` when done jobs or control tasks are ready, or after a failure; it must
    // only signal the io thread. `name`: thread name, up to 15 characters.
    Executor(std::unique_ptr<JobBackend> backend, std::uint64_t quantum_ns, std::function<void()> wake,
             const char* name = "tegud-executor");
    // An executor of the CPU. `threads`: of the pool, including the executor's thread.
    Executor(unsigned threads, std::uint64_t quantum_ns, std::function<void()> wake)
        : Executor(std::make_unique<CpuBackend>(threads), quantum_ns, std::move(wake)) {}
    // Waits for the running job (its stop flag ends it soon); drops waiting jobs and control tasks.
    ~Executor();

    // Any thread.
    void submit(std::shared_ptr<JobTask> task);
    // Removes a waiting job. False if it runs, is done, or belongs to another executor.
    bool remove(const JobTask& task);
    TaskList take_done();
    ExecutorLoad load() const;
    void set_quantum(std::uint64_t quantum_ns);
    // How long the thread looks for the next job before it sleeps, as base/spin_wait.h says; 0: it sleeps.
    void set_spin(std::chrono::microseconds limit) { spin_us_ = limit.count(); }
    // Whether a job waits or runs here.
    bool has_jobs() const { return jobs_.load(std::memory_order_relaxed) > 0; }
    // As in JobBackend; while true, running jobs also yield their cores to other threads.
    void set_crowded(bool crowded) {
        backend_->set_crowded(crowded);
        cores_.set(crowded);
    }
    // Predicted wait of a new job of the user: the running job and the waiting jobs ahead of it. A job past
    // its predicted time counts as if it takes as long again.
    std::uint64_t wait_ns(uid_t uid, wire::Priority priority) const;
    // Whether a job of another user, or of another process of this user, runs now.
    bool runs_other(uid_t uid, pid_t pid) const;
    // Predicted time of the user's waiting and running jobs.
    std::uint64_t backlog_ns(uid_t uid) const;
    // The error that stopped the executor, if any; the daemon must end.
    std::optional<Error> failure() const;

    // Queues a control task before the next job: `work` runs on the executor's thread, then
    // run_done_control_tasks() calls `done`. Neither may throw; `done` may be empty.
    void post(std::function<void()> work, std::function<void()> done);
    // Returns whether there were any. Io thread.
    bool run_done_control_tasks();
    bool has_control_tasks() const;

    // For the watchdog, io thread. Whether the executor made progress since the last call: a job started,
    // checked its stop flag or ended, or a control task or probe finished.
    bool take_heartbeat() { return heartbeat_.take(); }
    // Requests JobBackend::probe() between two jobs, which ends with a heartbeat. No effect if a probe is
    // pending.
    void probe();

  private:
    struct ControlTask {
        std::function<void()> work;
        std::function<void()> done;
    };
    struct Running {
        TaskList task;              // one job
        std::uint64_t cost_ns = 0;  // predicted time
        TimePoint since;
    };
    // Runs pending control tasks and returns the next job; null: the executor must end.
    std::shared_ptr<JobTask> wait_for_job();
    bool has_work() const;
    void spin(std::unique_lock<std::mutex>& lock);
    std::shared_ptr<JobTask> begin(WaitingJobs::Next next);
    void wait_for_end();
    void run_control_tasks(std::unique_lock<std::mutex>& lock);
    JobBackend::Outcome run(JobTask& task);
    JobBackend::Outcome run(JobTask& task, const kernels::StopToken& stop);
    bool is_one_stopped() const;
    bool run_meanwhile() noexcept;
    JobBackend::Outcome run_beside(JobTask& task);
    void finish(std::shared_ptr<JobTask> task, JobBackend::Outcome outcome);
    bool put_back(JobTask& task, Running& running);
    void count_jobs();
    std::uint64_t left_ns() const;
    void fail(Status status, const char* what) noexcept;
    void fail(Error error) noexcept;
    void wake() noexcept;
    void loop();

    std::unique_ptr<JobBackend> backend_;
    std::function<void()> wake_;
    Heartbeat heartbeat_;
    CoreSharing cores_;
    std::atomic<bool> probing_{false};
    std::atomic<std::chrono::microseconds::rep> spin_us_{0};
    std::atomic<std::uint64_t> news_{0};  // of work for the thread
    std::atomic<std::uint64_t> jobs_{0};  // that wait or run
    SpinWait spin_wait_;                  // the thread's

    mutable std::mutex mutex_;  // guards all below
    std::condition_variable work_;
    WaitingJobs queue_;
    std::vector<Running> running_;  // each runs within the last
    bool lost_ = false;             // the backend, within a job
    std::uint64_t busy_ns_ = 0;     // time in finished jobs
    std::uint64_t finished_ = 0;
    TaskList done_;
    std::list<ControlTask> control_tasks_;  // list: moving a control task allocates nothing
    std::list<ControlTask> done_control_tasks_;
    std::size_t control_tasks_at_work_ = 0;
    std::optional<Error> failure_;
    bool stopping_ = false;

    std::thread thread_;  // last member: starts after the others are initialized
};

}  // namespace tegu::daemon
