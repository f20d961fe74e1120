// SPDX-License-Identifier: Apache-2.0
// WarmUp: waits for a GPU at the start. Making a CUDA context takes a board of 2019 many seconds, longer while it boots; the service manager is
// asked for patience meanwhile, and told what for. Not for ever: a driver that never answers is to be seen as a start that failed.
#pragma once

#include <chrono>
#include <future>
#include <string>

#include "daemon/clock.h"
#include "daemon/notify.h"

namespace tegu::daemon {

class WarmUp {
  public:
    static constexpr auto kLongest = std::chrono::minutes(5);  // after which no more time is asked for

    // Returns when `future` has its value.
    template <class T>
    void wait_for(std::future<T>& future, const std::string& what) {
        while (future.wait_for(kStep) != std::future_status::ready) ask(what);
    }

  private:
    static constexpr auto kStep = std::chrono::milliseconds(400);
    static constexpr auto kMore = std::chrono::seconds(15);

    void ask(const std::string& what) {
        const auto waited = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_);
        if (waited > kLongest) return;
        notify_warming_up(static_cast<std::uint64_t>(std::chrono::microseconds(kMore).count()),
                          "starting: " + what + ", for " + std::to_string(waited.count()) + " s so far");
    }

    const TimePoint begin_ = Clock::now();
};

}  // namespace tegu::daemon
