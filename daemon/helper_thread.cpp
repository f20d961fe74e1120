// SPDX-License-Identifier: Apache-2.0
#include "daemon/helper_thread.h"

#include <pthread.h>

#include <exception>
#include <utility>

namespace tegu::daemon {

HelperThread::HelperThread(const char* name, std::function<void()> wake)
    : wake_(std::move(wake)), thread_([this] { loop(); }) {
    (void)::pthread_setname_np(thread_.native_handle(), name);
}

bool HelperThread::submit(Task& task) {
    std::list<Task> one(1);
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (stopping_) return false;
        one.front() = std::move(task);
        waiting_.splice(waiting_.end(), one);
    }
    changed_.notify_one();
    return true;
}

bool HelperThread::submit_turn(Turn& turn) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (stopping_) return false;
        turns_.add(turn);
    }
    changed_.notify_one();
    return true;
}

bool HelperThread::run_done() {
    std::list<Task> done;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        done.swap(done_);
    }
    const bool any = !done.empty();
    for (; !done.empty(); done.pop_front())
        if (done.front().done) done.front().done();
    return any;
}

bool HelperThread::idle() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !waits() && !running_ && done_.empty();
}

void HelperThread::stop() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
    // Destroyed outside of the members: their captures may call submit().
    std::list<Task> waiting, done;
    UserTurns<Task> turns;
    waiting.swap(waiting_);
    turns.swap(turns_);
    done.swap(done_);
}

void HelperThread::loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stopping_ || waits(); });
        if (stopping_) return;
        const bool turn = waiting_.empty() || (turn_is_next_ && !turns_.empty());
        turn_is_next_ = !turn;
        running_ = true;
        turn ? run_turn(lock) : run_next(lock);
        running_ = false;
    }
}

void HelperThread::run_next(std::unique_lock<std::mutex>& lock) {
    std::list<Task> task;
    task.splice(task.end(), waiting_, waiting_.begin());
    lock.unlock();
    while (task.front().work() == Progress::More) {
    }
    lock.lock();
    end(std::move(task), lock);
}

void HelperThread::run_turn(std::unique_lock<std::mutex>& lock) {
    Task& task = turns_.front();
    lock.unlock();
    const Progress progress = task.work();
    lock.lock();
    if (progress == Progress::More)
        turns_.pass();
    else
        end(turns_.take(), lock);
}

void HelperThread::end(std::list<Task> task, std::unique_lock<std::mutex>& lock) {
    const bool first = done_.empty();
    done_.splice(done_.end(), task);
    if (!first) return;
    lock.unlock();
    try {
        wake_();
    } catch (const std::exception&) {
        // If the wake-up fails on out of memory, the io thread polls every second while a task is here.
    }
    lock.lock();
}

}  // namespace tegu::daemon
