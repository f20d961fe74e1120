// SPDX-License-Identifier: Apache-2.0
// Executor: the thread that runs the jobs above the inline budget, one at a time, each on the whole thread pool, and the queue that it
// takes them from. The queue is shared under a mutex, so that the next job is chosen the moment the last one ends and
// priorities hold; everything else of a job belongs to the io thread before submit() and after take_done().
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "daemon/job_runner.h"
#include "daemon/scheduler.h"
#include "kernels/thread_pool.h"

namespace tegu::daemon {

class Session;

// A job in flight that did not run at once.
struct JobTask {
    Waiting waiting;  // its ticket, user, priority and predicted wall time
    std::uint64_t request_id = 0;
    std::weak_ptr<Session> session;  // gone if the client is
    TimePoint received;
    TimePoint deadline = kNever;
    PreparedJob prepared;
    wire::ByteBuffer data;             // the inline inputs
    std::atomic<bool> stop{false};     // set by the io thread: the job is to end
    bool cancelled_by_client = false;  // io thread only

    // Set by the executor.
    std::optional<Error> error;
    wire::ByteBuffer body;  // of the reply, if there is no error
    std::uint64_t queue_ns = 0;
    RunCost cost;
};

struct ExecutorLoad {
    std::uint64_t waiting = 0;     // jobs
    std::uint64_t waiting_ns = 0;  // predicted wall time
    std::uint64_t running = 0;     // 0 or 1
    std::uint64_t running_ns = 0;  // predicted, of the one that runs
    std::uint64_t running_scratch_bytes = 0;
};

class Executor {
  public:
    // `threads`: of the pool, the executor's own included. `wake` is called on the executor's thread when done jobs wait to be taken, or
    // when the executor failed; it must only pass the word on.
    Executor(unsigned threads, std::uint64_t quantum_ns, std::function<void()> wake);
    // Waits for the job that runs (its stop flag ends it soon); drops those that wait.
    ~Executor();

    void submit(std::shared_ptr<JobTask> task);
    // Takes a job out before it starts. False: it runs, or is done.
    bool remove(const JobTask& task);
    std::vector<std::shared_ptr<JobTask>> take_done();
    ExecutorLoad load() const;
    void set_quantum(std::uint64_t quantum_ns);
    unsigned threads() const { return pool_.threads(); }
    // What ended the executor's thread, if anything did: the daemon must end too.
    std::optional<Error> failure() const;

  private:
    std::shared_ptr<JobTask> wait_for_job();
    void run(JobTask& task);
    void finish(std::shared_ptr<JobTask> task);
    void fail(const char* what) noexcept;
    void loop();

    kernels::ThreadPool pool_;
    JobRunner runner_;
    std::function<void()> wake_;

    mutable std::mutex mutex_;  // guards all below
    std::condition_variable work_;
    Scheduler scheduler_;
    std::unordered_map<std::uint64_t, std::shared_ptr<JobTask>> waiting_;  // by ticket
    std::shared_ptr<JobTask> running_;
    std::vector<std::shared_ptr<JobTask>> done_;
    std::optional<Error> failure_;
    bool stopping_ = false;

    std::thread thread_;  // last: starts when all else is there
};

}  // namespace tegu::daemon
