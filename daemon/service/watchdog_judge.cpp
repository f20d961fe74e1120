// SPDX-License-Identifier: Apache-2.0
#include "daemon/service/watchdog_judge.h"

#include <cassert>

#include "daemon/whole_number.h"

namespace tegu::daemon {
namespace {

// a longer interval is no watchdog
constexpr std::uint64_t kLongestUs = std::uint64_t{365} * 24 * 3600 * 1'000'000;

}  // namespace

WatchdogJudge::Verdict WatchdogJudge::turn(const std::vector<bool>& signs) {
    assert(signs.size() == silent_.size());
    Verdict verdict;
    for (std::size_t i = 0; i < silent_.size(); ++i) {
        silent_[i] = signs[i] ? 0 : silent_[i] + 1;
        if (silent_[i] > 0) verdict.ask.push_back(i);
        if (silent_[i] > 1) verdict.all_well = false;
        if (silent_[i] >= kHangs && !verdict.hangs) verdict.hangs = i;
    }
    return verdict;
}

Result<std::uint64_t> watchdog_interval_ns(const char* usec, const char* pid, std::int64_t own_pid) {
    if (usec == nullptr) return 0;
    if (pid != nullptr) {
        const std::optional<std::uint64_t> wanted = whole_number(pid);
        if (!wanted || *wanted == 0)
            return bad_range("WATCHDOG_PID", "a process id", "$WATCHDOG_PID is no process id");
        if (*wanted != static_cast<std::uint64_t>(own_pid)) return 0;
    }
    const std::optional<std::uint64_t> wanted = whole_number(usec);
    if (!wanted || *wanted == 0 || *wanted > kLongestUs)
        return bad_range("WATCHDOG_USEC", "1.." + std::to_string(kLongestUs),
                         "$WATCHDOG_USEC is no number of microseconds of a watchdog");
    return *wanted * 1000;
}

}  // namespace tegu::daemon
