// SPDX-License-Identifier: Apache-2.0
// WarmUp: waits for a GPU at the start, which takes many seconds on old boards. Meanwhile the service manager
// is asked for more time, up to a limit. A stop meanwhile ends the process at once, as nothing can interrupt
// the thread that opens the GPU.
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
    // after which no more time is asked for
    static constexpr std::chrono::milliseconds kLongest = std::chrono::minutes(5);

    // From now on SIGTERM, SIGINT and SIGHUP end the process within wait_for(), or at the latest with
    // finish(). `before_stop` is called before, unless `longest` is over: who ends it then does not stop it,
    // but has given it up.
    explicit WarmUp(std::function<void()> before_stop, std::chrono::milliseconds longest = kLongest);
    ~WarmUp();
    WarmUp(const WarmUp&) = delete;
    WarmUp& operator=(const WarmUp&) = delete;

    // Returns when `future` has its value.
    template <class T>
    void wait_for(std::future<T>& future, const std::string& what) {
        while (future.wait_for(kStep) != std::future_status::ready) report_long_step(what);
    }
    // All that was waited for is there: signals do what they did before.
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
