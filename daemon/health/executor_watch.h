// SPDX-License-Identifier: Apache-2.0
// ExecutorWatch: finds executors that have work but finish none. Each executor counts by its own finished
// jobs only. Pure except for the time of each executor's last progress; the caller passes the time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/health/assessment.h"

namespace tegu::daemon::health {

// A job may take this many times its predicted time before its executor counts as silent.
inline constexpr std::uint64_t kSlowestShare = 10;

struct ExecutorState {
    std::string name;  // "CPU", "GPU 0": no two have the same
    bool has_work = false;
    std::uint64_t finished = 0;    // jobs since its start, however they ended
    std::uint64_t running_ns = 0;  // predicted time of the running job; 0: none
};

class ExecutorWatch {
  public:
    // The silence of each executor beyond the allowed time of its job. REQUIRES: time does not decrease;
    // calls are frequent enough to observe an executor without work.
    std::vector<ExecutorSilence> refresh(const std::vector<ExecutorState>& executors, std::uint64_t now_ns);

  private:
    struct Progress {
        std::uint64_t finished = 0, last_ns = 0;
    };
    std::map<std::string, Progress> progress_;
};

}  // namespace tegu::daemon::health
