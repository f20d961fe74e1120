// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/executor_watch.h"

namespace tegu::daemon::health {

std::vector<ExecutorSilence> ExecutorWatch::refresh(const std::vector<ExecutorState>& executors,
                                                    std::uint64_t now_ns) {
    std::vector<ExecutorSilence> silences;
    for (const ExecutorState& executor : executors) {
        const auto [found, is_new] = progress_.try_emplace(executor.name);
        Progress& progress = found->second;
        if (is_new || !executor.has_work || executor.finished != progress.finished)
            progress = {executor.finished, now_ns};
        const std::uint64_t silent_ns = now_ns - progress.last_ns;
        const std::uint64_t allowed_ns = executor.running_ns > UINT64_MAX / kSlowestShare
                                             ? UINT64_MAX
                                             : kSlowestShare * executor.running_ns;
        silences.push_back(
            {executor.name, silent_ns > allowed_ns ? static_cast<double>(silent_ns - allowed_ns) / 1e9 : 0});
    }
    return silences;
}

}  // namespace tegu::daemon::health
