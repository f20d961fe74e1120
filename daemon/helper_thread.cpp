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

bool HelperThread::submit(Task& task, Turn turn) {
    std::list<Task> one(1);
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (stopping_) return false;
        one.front() = std::move(task);
        waiting_.splice(turn == Turn::First ? waiting_.begin() : waiting_.end(), one);
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
    return waiting_.empty() && running_.empty() && done_.empty();
}

void HelperThread::stop() {
    std::list<Task> dropped, done;  // end after the lock: what they own may call submit()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
        dropped.swap(waiting_);
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
    done.swap(done_);
}

void HelperThread::loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        running_.splice(running_.end(), waiting_, waiting_.begin());
        lock.unlock();
        running_.front().work();
        lock.lock();
        const bool first = done_.empty();
        done_.splice(done_.end(), running_);
        if (!first) continue;
        lock.unlock();
        try {
            wake_();
        } catch (const std::exception&) {
            // No memory to pass the word on: the io thread looks by itself every second while a task is here.
        }
        lock.lock();
    }
}

}  // namespace tegu::daemon
