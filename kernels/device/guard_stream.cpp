// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/guard_stream.h"

#include <utility>

namespace tegu::device {

GuardStream::~GuardStream() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void GuardStream::push(std::function<void()> work) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        work_.push_back(std::move(work));
    }
    changed_.notify_all();
}

void GuardStream::drain() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return work_.empty() && !busy_; });
}

void GuardStream::loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
        if (work_.empty()) return;
        const std::function<void()> work = std::move(work_.front());
        work_.pop_front();
        busy_ = true;
        lock.unlock();
        work();
        lock.lock();
        busy_ = false;
        changed_.notify_all();
    }
}

}  // namespace tegu::device
