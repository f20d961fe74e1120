// SPDX-License-Identifier: Apache-2.0
#include "daemon/executor.h"

#include <pthread.h>

#include <exception>
#include <utility>

namespace tegu::daemon {

Executor::Executor(unsigned threads, std::uint64_t quantum_ns, std::function<void()> wake)
    : pool_(threads), runner_(&pool_), wake_(std::move(wake)), scheduler_(quantum_ns), thread_([this] { loop(); }) {
    (void)::pthread_setname_np(thread_.native_handle(), "tegud-executor");
}

Executor::~Executor() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
        if (running_ != nullptr) running_->stop.store(true, std::memory_order_relaxed);
    }
    work_.notify_one();
    thread_.join();
}

void Executor::submit(std::shared_ptr<JobTask> task) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const Waiting waiting = task->waiting;
        waiting_.emplace(waiting.ticket, std::move(task));
        scheduler_.push(waiting);
    }
    work_.notify_one();
}

bool Executor::remove(const JobTask& task) {
    std::shared_ptr<JobTask> removed;  // ends after the lock
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!scheduler_.remove(task.waiting)) return false;
    const auto found = waiting_.find(task.waiting.ticket);
    removed = std::move(found->second);
    waiting_.erase(found);
    return true;
}

std::vector<std::shared_ptr<JobTask>> Executor::take_done() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(done_, {});
}

ExecutorLoad Executor::load() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    ExecutorLoad load;
    load.waiting = scheduler_.size();
    load.waiting_ns = scheduler_.cost_ns();
    if (running_ != nullptr) {
        load.running = 1;
        load.running_ns = running_->waiting.cost_ns;
        load.running_scratch_bytes = running_->prepared.plan.scratch_bytes;
    }
    return load;
}

void Executor::set_quantum(std::uint64_t quantum_ns) {
    const std::lock_guard<std::mutex> lock(mutex_);
    scheduler_.set_quantum(quantum_ns);
}

std::optional<Error> Executor::failure() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
}

std::shared_ptr<JobTask> Executor::wait_for_job() {
    std::unique_lock<std::mutex> lock(mutex_);
    work_.wait(lock, [this] { return stopping_ || scheduler_.size() > 0; });
    if (stopping_) return nullptr;
    const std::optional<Waiting> next = scheduler_.pop();
    const auto found = waiting_.find(next->ticket);
    running_ = std::move(found->second);
    waiting_.erase(found);
    return running_;
}

// A job whose deadline passed, or that was cancelled just now, is not started.
void Executor::run(JobTask& task) {
    const TimePoint start = Clock::now();
    const kernels::StopToken stop(&task.stop, task.deadline);
    task.queue_ns = nanoseconds(start - task.received);
    if (stop.stop_requested()) {
        task.error = task.stop.load(std::memory_order_relaxed)
                         ? make_error(Status::Cancelled, "the job was cancelled before it started")
                         : make_error(Status::DeadlineExceeded, "the deadline passed before the job started");
        return;
    }
    Result<void> done = runner_.run(task.prepared, stop, task.queue_ns, task.body, task.cost);
    if (!done) task.error = std::move(done).error();
}

void Executor::finish(std::shared_ptr<JobTask> task) {
    bool first = false;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        running_.reset();
        first = done_.empty();
        done_.push_back(std::move(task));
    }
    if (first) wake_();
}

void Executor::loop() {
    try {
        while (std::shared_ptr<JobTask> task = wait_for_job()) {
            run(*task);
            finish(std::move(task));
        }
    } catch (const std::exception& exception) {
        fail(exception.what());
    }
}

void Executor::fail(const char* what) noexcept {
    Error error = make_error(Status::Internal, "executor ended");  // short enough to need no memory
    try {
        error.message = std::string("the executor ended: ") + what;
    } catch (const std::exception&) {
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        failure_ = std::move(error);
    }
    try {
        wake_();
    } catch (const std::exception&) {  // the io thread looks by itself every second while a job is in flight
    }
}

}  // namespace tegu::daemon
