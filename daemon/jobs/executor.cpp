// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/executor.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace tegu::daemon {

namespace {

// A job that may have to begin again overwrites no input, and needs no large copy.
bool may_run_beside(const JobTask& task) {
    constexpr std::uint64_t kCopyBytes = 1 << 20;
    return !task.prepared.in_place && task.whole == nullptr && task.divided == nullptr &&
           task.choice.gpu_copy_bytes <= kCopyBytes;
}

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
    : backend_(std::move(backend)), wake_(std::move(wake)), queue_(quantum_ns), thread_([this] { loop(); }) {
    (void)::pthread_setname_np(thread_.native_handle(), name);
}

Executor::~Executor() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
        for (const Running& running : running_)
            running.task.front()->stop_flag().store(true, std::memory_order_relaxed);
        ++news_;
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
        const std::uint64_t cost_ns = task->choice.predicted_ns[static_cast<std::size_t>(backend_->target())];
        const bool shares = may_run_beside(*task) && queue_.may_share(task->waiting.uid, cost_ns) &&
                            backend_->jobs_beside() > 0;
        queue_.push(std::move(task), cost_ns, shares ? WaitingJobs::Turn::MayShare : WaitingJobs::Turn::Own);
        count_jobs();
        ++news_;
    }
    work_.notify_one();
}

bool Executor::remove(const JobTask& task) {
    TaskList removed;  // ends after the lock
    const std::lock_guard<std::mutex> lock(mutex_);
    removed = queue_.remove(task);
    count_jobs();
    return !removed.empty();
}

TaskList Executor::take_done() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(done_, {});
}

ExecutorLoad Executor::load() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    ExecutorLoad load;
    load.waiting = queue_.size();
    load.waiting_ns = queue_.cost_ns();
    load.finished = finished_;
    load.busy_ns = busy_ns_;
    load.waiting_by_priority = queue_.sizes();
    if (!running_.empty()) {
        load.running = running_.size();
        load.running_ns = left_ns();
        load.busy_ns += nanoseconds(Clock::now() - running_.front().since);
        load.running_scratch_bytes = running_.front().task.front()->prepared.plan.scratch_bytes;
    }
    return load;
}

// Predicted rest of the first running job. REQUIRES: the lock is held.
std::uint64_t Executor::left_ns() const {
    const std::uint64_t spent_ns = nanoseconds(Clock::now() - running_.front().since);
    const std::uint64_t cost_ns = running_.front().cost_ns;
    return cost_ns > spent_ns ? cost_ns - spent_ns : spent_ns;
}

std::uint64_t Executor::wait_ns(uid_t uid, wire::Priority priority) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return (running_.empty() ? 0 : std::max<std::uint64_t>(left_ns(), 1)) + queue_.before_ns(uid, priority);
}

bool Executor::runs_other(uid_t uid, pid_t pid) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (running_.empty()) return false;
    const JobTask& task = *running_.front().task.front();
    return task.waiting.uid != uid || task.pid != pid;
}

std::uint64_t Executor::backlog_ns(uid_t uid) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool runs = !running_.empty() && running_.front().task.front()->waiting.uid == uid;
    return queue_.cost_ns(uid) + (runs ? left_ns() : 0);
}

void Executor::set_quantum(std::uint64_t quantum_ns) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.set_quantum(quantum_ns);
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
        ++news_;
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

}  // namespace tegu::daemon
