// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/executor.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace tegu::daemon {

namespace {

JobBackend::Outcome run_on_cpu(JobRunner& runner, JobTask& task, const kernels::StopToken& stop) {
    Result<void> done = runner.run(task.prepared, stop, task.queue_ns, task.body, task.cost);
    if (!done) task.error = std::move(done).error();
    return JobBackend::Outcome::Done;
}

}  // namespace

JobBackend::Outcome CpuBackend::run(JobTask& task, const kernels::StopToken& stop) {
    const bool leaves_one = crowded_.load(std::memory_order_relaxed) && cores_ > 1 && threads_ >= cores_;
    pool_.limit(leaves_one ? cores_ - 1 : threads_);
    return run_on_cpu(runner_, task, stop);
}

JobBackend::Outcome ExpressBackend::run(JobTask& task, const kernels::StopToken& stop) {
    return run_on_cpu(runner_, task, stop);
}

// Out of memory is not a pool failure.
Result<void> CpuBackend::probe() {
    try {
        pool_.limit(threads_);
        pool_.meet();
    } catch (const std::bad_alloc&) {
    }
    return {};
}

SampleTime CpuBackend::time_sample(const Job& job, const SampleMemory& memory, bool alone) {
    pool_.limit(threads_);
    return memory.time_on_cpu(job, alone ? nullptr : &pool_);
}

ExecutorLoad& ExecutorLoad::operator+=(const ExecutorLoad& other) {
    waiting += other.waiting;
    waiting_ns += other.waiting_ns;
    running += other.running;
    running_ns += other.running_ns;
    running_scratch_bytes += other.running_scratch_bytes;
    finished += other.finished;
    busy_ns += other.busy_ns;
    for (std::size_t i = 0; i < waiting_by_priority.size(); ++i)
        waiting_by_priority[i] += other.waiting_by_priority[i];
    return *this;
}

Executor::Executor(std::unique_ptr<JobBackend> backend, std::uint64_t quantum_ns, std::function<void()> wake,
                   const char* name)
    : backend_(std::move(backend)),
      wake_(std::move(wake)),
      scheduler_(quantum_ns),
      thread_([this] { loop(); }) {
    (void)::pthread_setname_np(thread_.native_handle(), name);
}

Executor::~Executor() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
        if (!running_.empty()) running_.front()->stop_flag().store(true, std::memory_order_relaxed);
    }
    work_.notify_one();
    thread_.join();
}

void Executor::submit(std::shared_ptr<JobTask> task) {
    task->stage.wait_at(backend_->target());
    if (task->whole != nullptr)
        task->whole->stage.target.store(backend_->target(), std::memory_order_relaxed);
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        Waiting waiting = task->waiting;
        waiting.cost_ns = task->choice.predicted_ns[static_cast<std::size_t>(backend_->target())];
        const auto placed = waiting_.emplace(waiting.ticket, TaskList{std::move(task)}).first;
        try {
            scheduler_.push(waiting);
        } catch (...) {  // out of memory: it was not added
            waiting_.erase(placed);
            throw;
        }
    }
    work_.notify_one();
}

bool Executor::remove(const JobTask& task) {
    TaskList removed;  // ends after the lock
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!scheduler_.remove(task.waiting)) return false;
    const auto found = waiting_.find(task.waiting.ticket);
    removed = std::move(found->second);
    waiting_.erase(found);
    return true;
}

TaskList Executor::take_done() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(done_, {});
}

ExecutorLoad Executor::load() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    ExecutorLoad load;
    load.waiting = scheduler_.size();
    load.waiting_ns = scheduler_.cost_ns();
    load.finished = finished_;
    load.busy_ns = busy_ns_;
    load.waiting_by_priority = scheduler_.sizes();
    if (!running_.empty()) {
        load.running = 1;
        load.running_ns = left_ns();
        load.busy_ns += nanoseconds(Clock::now() - running_since_);
        load.running_scratch_bytes = running_.front()->prepared.plan.scratch_bytes;
    }
    return load;
}

// Predicted rest of the running job. REQUIRES: the lock is held.
std::uint64_t Executor::left_ns() const {
    const std::uint64_t spent_ns = nanoseconds(Clock::now() - running_since_);
    return running_ns_ > spent_ns ? running_ns_ - spent_ns : spent_ns;
}

std::uint64_t Executor::wait_ns(uid_t uid, wire::Priority priority) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return (running_.empty() ? 0 : std::max<std::uint64_t>(left_ns(), 1)) +
           scheduler_.before_ns(uid, priority);
}

bool Executor::runs_other(uid_t uid, pid_t pid) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (running_.empty()) return false;
    const JobTask& task = *running_.front();
    return task.waiting.uid != uid || task.pid != pid;
}

std::uint64_t Executor::backlog_ns(uid_t uid) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool runs = !running_.empty() && running_.front()->waiting.uid == uid;
    return scheduler_.cost_ns(uid) + (runs ? left_ns() : 0);
}

void Executor::set_quantum(std::uint64_t quantum_ns) {
    const std::lock_guard<std::mutex> lock(mutex_);
    scheduler_.set_quantum(quantum_ns);
}

std::optional<Error> Executor::failure() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
}

void Executor::post(std::function<void()> work, std::function<void()> done) {
    std::list<ControlTask> one;
    one.push_back({std::move(work), std::move(done)});
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        control_tasks_.splice(control_tasks_.end(), one);
    }
    work_.notify_one();
}

bool Executor::run_done_control_tasks() {
    std::list<ControlTask> done;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        done.swap(done_control_tasks_);
    }
    for (const ControlTask& control_task : done) control_task.done();
    return !done.empty();
}

bool Executor::has_control_tasks() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !control_tasks_.empty() || !done_control_tasks_.empty() || control_tasks_at_work_ > 0;
}

void Executor::probe() {
    if (probing_.exchange(true)) return;
    try {
        post(
            [this] {
                Result<void> done = backend_->probe();
                probing_ = false;
                if (!done) fail(std::move(done).error());
            },
            nullptr);
    } catch (const std::bad_alloc&) {
        probing_ = false;
    }
}

std::shared_ptr<JobTask> Executor::wait_for_job() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        work_.wait(lock, [this] { return stopping_ || !control_tasks_.empty() || scheduler_.size() > 0; });
        if (stopping_) return nullptr;
        if (control_tasks_.empty()) break;
        run_control_tasks(lock);
    }
    const std::optional<Waiting> next = scheduler_.pop();
    const auto found = waiting_.find(next->ticket);
    running_ = std::move(found->second);
    running_ns_ = next->cost_ns;
    running_since_ = Clock::now();
    running_.front()->shown_stage().start(running_since_);
    waiting_.erase(found);
    return running_.front();
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

// Does not start a job that is past its deadline or cancelled.
JobBackend::Outcome Executor::run(JobTask& task) {
    const TimePoint start = Clock::now();
    (void)cores_.offer();
    cores_.begin(
        std::chrono::nanoseconds(task.choice.predicted_ns[static_cast<std::size_t>(Target::Inline)]));
    const kernels::StopToken stop(&task.stop_flag(), task.deadline, &heartbeat_, &cores_);
    task.queue_ns = nanoseconds(start - task.received);
    task.target = backend_->target();
    if (!stop.stop_requested()) return backend_->run(task, stop);
    task.error = task.stop_flag().load(std::memory_order_relaxed)
                     ? make_error(Status::Cancelled, "the job was cancelled before it started")
                     : make_error(Status::DeadlineExceeded, "the deadline passed before the job started");
    return JobBackend::Outcome::Done;
}

void Executor::finish(std::shared_ptr<JobTask> task, JobBackend::Outcome outcome) {
    cores_.end();
    bool first = false;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++finished_;
        busy_ns_ += nanoseconds(Clock::now() - running_since_);
        if (outcome == JobBackend::Outcome::Done) {
            first = done_.empty();
            task.reset();  // the list's reference goes to the io thread
            done_.splice(done_.end(), running_);
        } else {
            running_.clear();
        }
    }
    heartbeat_.beat();
    if (outcome == JobBackend::Outcome::Passed) return backend_->pass(std::move(task));
    if (first) wake();
}

void Executor::loop() {
    try {
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
