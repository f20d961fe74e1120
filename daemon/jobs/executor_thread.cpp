// SPDX-License-Identifier: Apache-2.0
// The thread of an executor: takes jobs, runs them, and returns them.
#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/relax.h"
#include "daemon/jobs/executor.h"

namespace tegu::daemon {
namespace {

// A job within another one is given up after this time.
constexpr std::chrono::milliseconds kBeside{5};

}  // namespace

// REQUIRES: the lock is held.
bool Executor::has_work() const {
    return stopping_ || !control_tasks_.empty() || queue_.size() > 0;
}

std::shared_ptr<JobTask> Executor::wait_for_job() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        if (!has_work()) spin(lock);
        work_.wait(lock, [this] { return has_work(); });
        if (stopping_) return nullptr;
        if (control_tasks_.empty()) break;
        run_control_tasks(lock);
    }
    return begin(*queue_.pop());
}

// Looks for work for a while, without the lock: waking a sleeping thread takes longer than a small job.
void Executor::spin(std::unique_lock<std::mutex>& lock) {
    const std::chrono::microseconds limit(spin_us_.load(std::memory_order_relaxed));
    if (limit.count() == 0) return;
    const std::uint64_t seen = news_.load();
    lock.unlock();
    spin_wait_.begin(Clock::now());
    while (news_.load() == seen && spin_wait_.stay_awake(Clock::now(), limit)) relax();
    lock.lock();
    work_.wait(lock, [this] { return has_work(); });
    spin_wait_.note_event(Clock::now(), limit);
}

// REQUIRES: the lock is held.
std::shared_ptr<JobTask> Executor::begin(WaitingJobs::Next next) {
    running_.push_back({std::move(next.task), next.cost_ns, Clock::now()});
    const std::shared_ptr<JobTask>& task = running_.back().task.front();
    task->shown_stage().start(running_.back().since);
    return task;
}

// REQUIRES: the lock is held.
void Executor::count_jobs() {
    jobs_.store(queue_.size() + running_.size(), std::memory_order_relaxed);
}

// Keeps the backend until the destructor runs, because other threads may still call it.
void Executor::wait_for_end() {
    std::unique_lock<std::mutex> lock(mutex_);
    work_.wait(lock, [this] { return stopping_; });
}

void Executor::run_control_tasks(std::unique_lock<std::mutex>& lock) {
    std::list<ControlTask> control_tasks;
    control_tasks.swap(control_tasks_);
    control_tasks_at_work_ = control_tasks.size();
    lock.unlock();
    for (ControlTask& control_task : control_tasks) {
        control_task.work();
        control_task.work = nullptr;  // destroys its captures here
    }
    control_tasks.remove_if([](const ControlTask& control_task) { return !control_task.done; });
    const bool awaited = !control_tasks.empty();
    lock.lock();
    control_tasks_at_work_ = 0;
    done_control_tasks_.splice(done_control_tasks_.end(), control_tasks);
    lock.unlock();
    heartbeat_.beat();
    if (awaited) wake();
    lock.lock();
}

JobBackend::Outcome Executor::run(JobTask& task) {
    (void)cores_.offer();
    cores_.begin(
        std::chrono::nanoseconds(task.choice.predicted_ns[static_cast<std::size_t>(Target::Inline)]));
    return run(task, kernels::StopToken(&task.stop_flag(), task.deadline, &heartbeat_, &cores_));
}

// Does not start a job that is past its deadline or cancelled.
JobBackend::Outcome Executor::run(JobTask& task, const kernels::StopToken& stop) {
    task.queue_ns = nanoseconds(Clock::now() - task.received);
    task.target = backend_->target();
    if (!stop.stop_requested()) return backend_->run(task, stop);
    task.error = task.stop_flag().load(std::memory_order_relaxed)
                     ? make_error(Status::Cancelled, "the job was cancelled before it started")
                     : make_error(Status::DeadlineExceeded, "the deadline passed before the job started");
    return JobBackend::Outcome::Done;
}

// Whether a running job has been told to end: no other may hold it up. REQUIRES: the lock is held.
bool Executor::is_one_stopped() const {
    const TimePoint now = Clock::now();
    return std::any_of(running_.begin(), running_.end(), [&](const Running& running) {
        JobTask& task = *running.task.front();
        return task.stop_flag().load(std::memory_order_relaxed) || task.deadline <= now;
    });
}

// Runs a short job within the running one, which waits for its device. False: none can run.
bool Executor::run_meanwhile() noexcept {
    if (!queue_.may_have_short()) return false;
    try {
        std::shared_ptr<JobTask> task;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            const bool has_room = !running_.empty() && running_.size() <= backend_->jobs_beside();
            if (stopping_ || lost_ || !has_room || is_one_stopped()) return false;
            std::optional<WaitingJobs::Next> next = queue_.pop_short();
            if (!next) return false;
            task = begin(std::move(*next));
        }
        const JobBackend::Outcome outcome = run_beside(*task);
        if (outcome == JobBackend::Outcome::Fatal) {  // the job around it ends in the same way
            lost_ = true;
            return false;
        }
        finish(std::move(task), outcome);
        return true;
    } catch (const std::bad_alloc&) {
        lost_ = true;
        fail(Status::OutOfMemory, "no memory");
        return false;
    } catch (const std::exception& exception) {
        lost_ = true;
        fail(Status::Internal, exception.what());
        return false;
    }
}

// A wrong prediction holds up the job around it for a few milliseconds at most. Then the job waits for its
// own turn, and begins again.
JobBackend::Outcome Executor::run_beside(JobTask& task) {
    const TimePoint limit = Clock::now() + kBeside;
    const JobBackend::Outcome outcome =
        run(task, kernels::StopToken(&task.stop_flag(), std::min(task.deadline, limit)));
    const bool given_up = outcome == JobBackend::Outcome::Done && task.error &&
                          task.error->status == Status::DeadlineExceeded && Clock::now() < task.deadline;
    return given_up ? JobBackend::Outcome::Later : outcome;
}

void Executor::finish(std::shared_ptr<JobTask> task, JobBackend::Outcome outcome) {
    bool first = false, alone = false;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        Running running = std::move(running_.back());
        running_.pop_back();
        alone = running_.empty();
        if (alone) busy_ns_ += nanoseconds(Clock::now() - running.since);
        if (outcome == JobBackend::Outcome::Later && task->stop_flag().load(std::memory_order_relaxed)) {
            task->error = make_error(Status::Cancelled, "cancelled");
        } else if (outcome == JobBackend::Outcome::Later && put_back(*task, running)) {
            task.reset();  // while it is locked: the last reference is the io thread's
            return;
        }
        ++finished_;
        if (outcome != JobBackend::Outcome::Passed) {
            first = done_.empty();
            task.reset();  // the list's reference goes to the io thread
            done_.splice(done_.end(), running.task);
        }
        count_jobs();
    }
    if (alone) {
        cores_.end();
        heartbeat_.beat();
    }
    if (outcome == JobBackend::Outcome::Passed) return backend_->pass(std::move(task));
    if (first) wake();
}

// The job waits for its own turn. False if there is no memory for it, which is then its error. REQUIRES: the
// lock is held.
bool Executor::put_back(JobTask& task, Running& running) {
    task.error.reset();
    task.body.clear();
    task.cost = RunCost();
    task.shown_stage().wait_at(backend_->target());
    try {
        queue_.push(running.task.front(), running.cost_ns, WaitingJobs::Turn::Own);
        return true;
    } catch (const std::bad_alloc&) {
        task.error = make_error(Status::OutOfMemory, "out of memory");  // short enough to need none
        return false;
    }
}

void Executor::loop() {
    try {
        backend_->set_meanwhile([this] { return run_meanwhile(); });
        backend_->start();
        while (std::shared_ptr<JobTask> task = wait_for_job()) {
            const JobBackend::Outcome outcome = run(*task);
            if (outcome == JobBackend::Outcome::Fatal) {
                // the job stays in flight and gets the same reply as all others
                fail(std::move(*task->error));
                break;
            }
            finish(std::move(task), outcome);
        }
    } catch (const std::bad_alloc&) {
        fail(Status::OutOfMemory, "no memory");
    } catch (const std::exception& exception) {
        fail(Status::Internal, exception.what());
    }
    try {
        wait_for_end();  // returns at once if it is stopping
        backend_->end();
    } catch (const std::exception&) {  // the daemon ends
    }
}

void Executor::fail(Status status, const char* what) noexcept {
    Error error = make_error(status, "executor ended");  // short enough to need no memory
    try {
        error.message = std::string("the executor ended: ") + what;
    } catch (const std::exception&) {
    }
    fail(std::move(error));
}

void Executor::fail(Error error) noexcept {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!failure_) failure_ = std::move(error);
    }
    wake();
}

void Executor::wake() noexcept {
    try {
        wake_();
    } catch (const std::exception&) {
        // The io thread polls every second while a job or a control task is here.
    }
}

}  // namespace tegu::daemon
