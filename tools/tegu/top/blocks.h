// SPDX-License-Identifier: Apache-2.0
// The groups of lines of the screen, each for a part of the view. Small screens omit lines by rank.
#pragma once

#include "tools/tegu/top/parts.h"

namespace tegu {
namespace cli {
namespace top {

// What was at the last views, the newest last.
struct History {
    std::deque<Number> gpu_share, jobs_per_second;
};

// Of the board: loads and memory; temperatures; power, fans and disk.
Lines load_lines(const View& view, const History& history, const Place& place);
Lines thermal_lines(const View& view, const Place& place);
Lines power_lines(const View& view, const Place& place);

// Of the daemon: backend, executors and queue; jobs by operation; latencies. REQUIRES: view.daemon.
Lines service_lines(const View& view, const Place& place, double now_unix_seconds);
Lines job_lines(const View& view, const History& history, const Place& place);
Lines latency_lines(const View& view, const Place& place);

}  // namespace top
}  // namespace cli
}  // namespace tegu
