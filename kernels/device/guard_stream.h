// SPDX-License-Identifier: Apache-2.0
// A stream of a GuardGpu: a thread that runs its queued work in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tegu::device {

class GuardStream {
  public:
    GuardStream() : thread_([this] { loop(); }) {}
    ~GuardStream();

    void push(std::function<void()> work);  // work throws nothing
    // Returns when all queued work is done.
    void drain();

    std::vector<void*>
        // managed memory that the next synchronisation returns to the host; only the owner's thread
        given_back;

  private:
    void loop();

    std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::deque<std::function<void()>> work_;
    bool busy_ = false;
    bool ending_ = false;
    std::thread thread_;  // last: starts after the other members exist
};

}  // namespace tegu::device
