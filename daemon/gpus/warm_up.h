// SPDX-License-Identifier: Apache-2.0
// WarmUp: waits until a GPU is open, which takes many seconds on old boards. Meanwhile it requests more start
// time from the service manager, up to a limit. A stop signal ends the process at once, because the opening
// thread cannot be interrupted.
#pragma once

#include <signal.h>

#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <string>

#include "daemon/clock.h"

namespace tegu::daemon {

// The main thread. One at a time.
class WarmUp {
  public:
    // after this no more time is requested
    static constexpr std::chrono::milliseconds kLongest = std::chrono::minutes(5);

    // Until finish(), SIGTERM, SIGINT and SIGHUP end the process in wait_for() or finish(). `before_stop` is
    // called first, unless `longest` is over: a signal after that is a timeout, not an orderly stop.
    explicit WarmUp(std::function<void()> before_stop, std::chrono::milliseconds longest = kLongest);
    ~WarmUp();
    WarmUp(const WarmUp&) = delete;
    WarmUp& operator=(const WarmUp&) = delete;

    // Returns when `future` has its value.
    template <class T>
    void wait_for(std::future<T>& future, const std::string& what) {
        while (future.wait_for(kStep) != std::future_status::ready) report_long_step(what);
    }
    // Ends the wait and restores the previous signal handlers.
    void finish();

  private:
    static constexpr auto kStep = std::chrono::milliseconds(400);
    static constexpr std::array<int, 3> kStops{SIGTERM, SIGINT, SIGHUP};

    void report_long_step(const std::string& what) const;
    void end_if_stopped() const;
    void leave_signals() const;

    const TimePoint begin_ = Clock::now();
    const std::chrono::milliseconds longest_;
    const std::function<void()> before_stop_;
    std::array<struct sigaction, kStops.size()> before_{};
};

}  // namespace tegu::daemon
