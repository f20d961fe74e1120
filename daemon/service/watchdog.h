// SPDX-License-Identifier: Apache-2.0
// Watchdog: reports to the service manager that the daemon lives, while the io loop turns and every executor
// works or answers probes (daemon/service/watchdog_judge.h). An executor that hangs is named in the log, and
// the process ends. Threads that read the board or seal buffers are not watched.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "daemon/clock.h"
#include "daemon/jobs/executor.h"
#include "daemon/service/watchdog_judge.h"

namespace tegu::daemon {

// Io thread.
class Watchdog {
  public:
    struct Part {
        std::string name;  // "the CPU's executor"
        Executor* executor;
        bool is_gpu;
    };

    // REQUIRES: `io` outlives it.
    explicit Watchdog(boost::asio::io_context& io) : timer_(io) {}

    // Begins, if the environment asks for it. Variables that are wrong are logged. REQUIRES: the loop ends
    // before the executors do.
    void start(std::vector<Part> parts);

    bool runs() const { return judge_.has_value(); }
    // REQUIRES: runs().
    double interval_seconds() const;
    // The longest time so far in which nobody was told that the daemon lives. Near the interval there is no
    // margin left.
    double worst_gap_seconds() const;

  private:
    void wait(std::chrono::nanoseconds time);
    void turn();
    void note_alive(TimePoint now);
    void give_up(const Part& part);

    boost::asio::steady_timer timer_;
    std::vector<Part> parts_;
    std::optional<WatchdogJudge> judge_;
    std::chrono::nanoseconds interval_{0};
    std::chrono::nanoseconds turn_{0};
    TimePoint told_;
    std::chrono::nanoseconds worst_gap_{0};
    unsigned given_up_ = 0;  // steps of the end
};

}  // namespace tegu::daemon
