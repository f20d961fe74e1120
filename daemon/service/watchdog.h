// SPDX-License-Identifier: Apache-2.0
// Watchdog: sends keep-alive messages to the service manager while the io loop runs and every executor makes
// progress or completes probes (daemon/service/watchdog_judge.h). If an executor hangs, it logs the name and
// ends the process. Threads that read the board or seal buffers are not monitored.
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

    // Starts if the environment requests it. Logs invalid variables. REQUIRES: the loop ends before the
    // executors.
    void start(std::vector<Part> parts);

    bool runs() const { return judge_.has_value(); }
    // REQUIRES: runs().
    double interval_seconds() const;
    // The longest gap so far between keep-alive messages. A gap near the interval leaves no margin.
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
    unsigned given_up_ = 0;  // steps of the shutdown
};

}  // namespace tegu::daemon
