// SPDX-License-Identifier: Apache-2.0
// Executor: a thread that runs one job at a time on its backend, and the queue of the waiting jobs for it.
// The backend is the CPU with a thread pool, the CPU with one thread (the express lane), or a GPU. A job
// belongs to the io thread before submit() and after take_done(), which therefore holds the last reference.
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
#include <unordered_map>
#include <vector>

#include "daemon/jobs/job_runner.h"
#include "daemon/jobs/scheduler.h"
#include "daemon/placement/choice.h"
#include "daemon/placement/sample_memory.h"
#include "kernels/execution/cpu/thread_pool.h"

namespace tegu::daemon {

class DividedJob;
class Session;

// A job in flight that did not run at once.
struct JobTask {
    Waiting waiting;  // its ticket, user and priority; what it costs is said by:
    Choice choice;    // where it goes, and the wall time at each target where it may run
    pid_t pid = 0;    // of the client
    std::uint64_t request_id = 0;
    std::weak_ptr<Session> session;  // gone if the client is
    TimePoint received;
    TimePoint deadline = kNever;
    PreparedJob prepared;
    wire::ByteBuffer data;                // the inline inputs
    std::atomic<bool> stop{false};        // set by the io thread: the job is to end
    std::shared_ptr<JobTask> whole;       // that it is a piece of; null: it is a job itself
    std::shared_ptr<DividedJob> divided;  // io thread only: what is known of its pieces, if it has any
    bool cancelled_by_client = false;     // io thread only
    std::size_t gpu = 0;                  // io thread only: the number of the one that it was given to

    // Set by the executor.
    std::optional<Error> error;
    wire::ByteBuffer body;  // of the reply, if there is no error
    std::uint64_t queue_ns = 0;
    RunCost cost;
    Target target = Target::Pool;  // where it ran
    std::string policy;            // of a piece

    // What ends it: a piece ends with the job.
    std::atomic<bool>& stop_flag() { return whole != nullptr ? whole->stop : stop; }
};

// Lists, in which a job that is done lies where it lay while it waited: no allocation can fail in between.
using TaskList = std::list<std::shared_ptr<JobTask>>;

// What an executor does with a job. start() to end() are called on the executor's thread.
class JobBackend {
  public:
    enum class Outcome {
        Done,    // error or body is set
        Passed,  // pass() gives it to another executor
        Fatal,   // error is set, and the daemon has to end
    };
    virtual ~JobBackend() = default;
    virtual Target target() const = 0;
    virtual void start() {}
    // Several users work at the same time, or not any more. Any thread.
    virtual void set_crowded(bool crowded) { (void)crowded; }
    // `stop` was not requested a moment ago. task.queue_ns and task.target are set.
    virtual Outcome run(JobTask& task, const kernels::StopToken& stop) = 0;
    // Hands on a job for which run() said Passed. The executor holds no other reference to it.
    virtual void pass(std::shared_ptr<JobTask> task) { (void)task; }
    // A little work that needs all that jobs need, between two jobs: it does not return if any of that hangs.
    // An error: the daemon has to end.
    virtual Result<void> probe() { return {}; }
    virtual void end() {}
};

// The CPU: each job on the whole pool, but for one core if several users work. A job that computes on all
// cores keeps the io thread and the clients of others waiting until the kernel's next tick, some
// milliseconds, whatever their priorities are.
class CpuBackend final : public JobBackend {
  public:
    explicit CpuBackend(unsigned threads)
        : threads_(threads), cores_(std::thread::hardware_concurrency()), pool_(threads), runner_(&pool_) {}
    Target target() const override { return Target::Pool; }
    void set_crowded(bool crowded) override { crowded_.store(crowded, std::memory_order_relaxed); }
    Outcome run(JobTask& task, const kernels::StopToken& stop) override;
    Result<void> probe() override;
    // Times a sample on the pool, or on one thread, that of the executor. Between jobs.
    SampleTime time_sample(const Job& job, const SampleMemory& memory, bool alone);

  private:
    const unsigned threads_, cores_;
    std::atomic<bool> crowded_{false};
    kernels::ThreadPool pool_;
    JobRunner runner_;
};

// The CPU with the executor's own thread.
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
    std::uint64_t running = 0;     // 0 or 1, of each executor
    std::uint64_t running_ns = 0;  // how much longer those will run
    std::uint64_t running_scratch_bytes = 0;
    std::uint64_t finished = 0;  // jobs since the start, however they ended, also those that were passed on
    std::uint64_t busy_ns = 0;   // with jobs since the start, that of the one that runs included
    std::array<std::uint64_t, wire::kPriorityCount> waiting_by_priority{};

    ExecutorLoad& operator+=(const ExecutorLoad& other);
};

class Executor {
  public:
    // `wake` is called on the executor's thread when done jobs or control tasks wait to be taken, or when the
    // executor failed; it must only pass the word on. `name`: of the thread, up to 15 characters.
    Executor(std::unique_ptr<JobBackend> backend, std::uint64_t quantum_ns, std::function<void()> wake,
             const char* name = "tegud-executor");
    // One of the CPU. `threads`: of the pool, the executor's own included.
    Executor(unsigned threads, std::uint64_t quantum_ns, std::function<void()> wake)
        : Executor(std::make_unique<CpuBackend>(threads), quantum_ns, std::move(wake)) {}
    // Waits for the job that runs (its stop flag ends it soon); drops those that wait, and control tasks.
    ~Executor();

    // Any thread.
    void submit(std::shared_ptr<JobTask> task);
    // Takes a job out before it starts. False: it runs, or is done, or is another executor's.
    bool remove(const JobTask& task);
    TaskList take_done();
    ExecutorLoad load() const;
    void set_quantum(std::uint64_t quantum_ns);
    // As of JobBackend; while it is so, jobs that run offer their cores to others, too.
    void set_crowded(bool crowded) {
        backend_->set_crowded(crowded);
        cores_.set(crowded);
    }
    // How long a new job of the user would wait: for the job that runs, and for those that wait and go before
    // it. A job that takes longer than was predicted will take as long again.
    std::uint64_t wait_ns(uid_t uid, wire::Priority priority) const;
    // Whether a job of another user runs now, or of another process of this user.
    bool runs_other(uid_t uid, pid_t pid) const;
    // Predicted, of the user's waiting jobs and run.
    std::uint64_t backlog_ns(uid_t uid) const;
    // Why the executor runs nothing any more, if it does not: the daemon must end.
    std::optional<Error> failure() const;

    // Something to be done between two jobs, before the next one: `work` on the executor's thread, then
    // `done` by run_done_control_tasks(). Neither may throw; `done` may be empty.
    void post(std::function<void()> work, std::function<void()> done);
    // Returns whether there were any. Io thread.
    bool run_done_control_tasks();
    bool has_control_tasks() const;

    // For the watchdog, io thread. Whether anything went on here since the last call: a job began, looked
    // whether to stop, or ended; control tasks, or a probe, were done.
    bool take_heartbeat() { return heartbeat_.take(); }
    // Has the backend probe itself between two jobs, which ends with a heartbeat; does nothing if it is to do
    // so already.
    void probe();

  private:
    struct ControlTask {
        std::function<void()> work;
        std::function<void()> done;
    };
    // The next job, once the control tasks before it are done; null: the executor is to end.
    std::shared_ptr<JobTask> wait_for_job();
    void wait_for_end();
    void run_control_tasks(std::unique_lock<std::mutex>& lock);
    JobBackend::Outcome run(JobTask& task);
    void finish(std::shared_ptr<JobTask> task, JobBackend::Outcome outcome);
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

    mutable std::mutex mutex_;  // guards all below
    std::condition_variable work_;
    Scheduler scheduler_;
    std::unordered_map<std::uint64_t, TaskList> waiting_;  // one each, by ticket
    TaskList running_;                                     // one at most
    std::uint64_t running_ns_ = 0;                         // predicted, of that
    TimePoint running_since_;
    std::uint64_t busy_ns_ = 0;  // with those that ended
    std::uint64_t finished_ = 0;
    TaskList done_;
    std::list<ControlTask>
        control_tasks_;  // lists: control tasks move between them without an allocation that could fail
    std::list<ControlTask> done_control_tasks_;
    std::size_t control_tasks_at_work_ = 0;
    std::optional<Error> failure_;
    bool stopping_ = false;

    std::thread thread_;  // last member: starts after the others are initialized
};

}  // namespace tegu::daemon
