// SPDX-License-Identifier: Apache-2.0
// ExecutorWatch: which executors have work and end none of it. Each is judged by the jobs that it ended
// itself: that the daemon answers, and that others go on, says nothing of it. Pure, the times are the
// caller's; it remembers when each one was last seen to get on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/health/assessment.h"

namespace tegu::daemon::health {

// A job may take this many times what was predicted before its executor counts as silent.
inline constexpr std::uint64_t kSlowestShare = 10;

struct ExecutorState {
    std::string name;  // "CPU", "GPU 0": no two have the same
    bool has_work = false;
    std::uint64_t finished = 0;    // jobs since its start, however they ended
    std::uint64_t running_ns = 0;  // predicted, of the job that runs; 0: none does
};

class ExecutorWatch {
  public:
    // How long each is silent beyond what its job was predicted to take. REQUIRES: no earlier time than
    // before; called often enough that an executor without work is seen to have none.
    std::vector<ExecutorSilence> refresh(const std::vector<ExecutorState>& executors, std::uint64_t now_ns);

  private:
    struct Progress {
        std::uint64_t finished = 0, last_ns = 0;
    };
    std::map<std::string, Progress> progress_;
};

}  // namespace tegu::daemon::health
