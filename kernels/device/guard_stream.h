// SPDX-License-Identifier: Apache-2.0
// A stream of a GuardGpu: a thread that does what it is given, in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tegu::device {

// Whether the calling thread is one of a stream: a kernel runs on it.
bool on_guard_stream();

class GuardStream {
  public:
    GuardStream() : thread_([this] { loop(); }) {}
    ~GuardStream();

    void push(std::function<void()> work);  // which throws nothing
    // Returns when all that was pushed is done.
    void drain();

    std::vector<void*>
        // managed memory that goes to the host with the next synchronisation; the owner's thread alone
        given_back;

  private:
    void loop();

    std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::deque<std::function<void()>> work_;
    bool busy_ = false;
    bool ending_ = false;
    std::thread thread_;  // last: starts when all else is there
};

}  // namespace tegu::device
