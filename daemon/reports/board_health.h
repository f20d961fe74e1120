// SPDX-License-Identifier: Apache-2.0
// BoardHealth: the health of the board and of the daemon. Separate threads read the files
// (daemon/health/board/monitor.h). The io thread assesses the newest reading once a second, with or without a
// request.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "daemon/clock.h"
#include "daemon/health/assessment.h"
#include "daemon/health/board/busy_shares.h"
#include "daemon/health/board/monitor.h"
#include "daemon/health/executor_watch.h"
#include "daemon/jobs/executor.h"
#include "wire/protocol.h"

namespace tegu::daemon {

struct ReportSources;

// The health input of an executor with this load.
health::ExecutorState executor_state(std::string name, const ExecutorLoad& load);

class BoardHealth {
  public:
    // `each_second` is called after each assessment. REQUIRES: `io` and `sources` outlive it.
    BoardHealth(boost::asio::io_context& io, const ReportSources& sources, std::function<void()> each_second)
        : timer_(io), sources_(sources), each_second_(std::move(each_second)) {}

    // Starts reading below `sysroot`. Before that, or after a logged failure, the board is unknown. Io
    // thread.
    void start(const std::string& sysroot);
    // State of the newest assessment. Io thread.
    wire::HealthState state() const;
    const health::Assessment& assessment() const { return assessment_; }
    // The text of a HEALTH reply, at most kMaxHealthTextBytes. Io thread.
    std::string text(wire::HealthForm form) const;
    // Busy shares of executors, by the names of executor_loads(). Io thread.
    const health::BusyShares& busy_shares() const { return busy_shares_; }

  private:
    Result<void> read_board(const std::string& sysroot);
    void wait();
    void refresh();
    health::DaemonFacts facts(TimePoint now);
    std::shared_ptr<const health::Snapshot> snapshot() const;

    boost::asio::steady_timer timer_;
    const ReportSources& sources_;
    const std::function<void()> each_second_;
    std::unique_ptr<health::Monitor> monitor_;
    health::Assessment assessment_;
    health::ExecutorWatch executors_;
    health::BusyShares busy_shares_;
};

}  // namespace tegu::daemon
