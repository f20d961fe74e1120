// SPDX-License-Identifier: Apache-2.0
#include "daemon/sessions/passed_descriptors.h"

#include <fcntl.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/log.h"
#include "daemon/service/events.h"
#include "daemon/whole_number.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kMax = 65536;  // more than any service manager passes

void add_problem(std::string& problem, const std::string& text) {
    problem += (problem.empty() ? "" : "; ") + text;
}

}  // namespace

PassedNames passed_names(const char* pid, const char* fds, const char* names, std::int64_t own_pid) {
    PassedNames passed;
    if (pid == nullptr || fds == nullptr) return passed;
    const std::optional<std::uint64_t> wanted = whole_number(pid);
    if (!wanted) {
        passed.problem = "$LISTEN_PID is no process id: no descriptor is taken";
        return passed;
    }
    if (*wanted != static_cast<std::uint64_t>(own_pid)) return passed;
    std::optional<std::uint64_t> count = whole_number(fds);
    if (!count) passed.problem = "$LISTEN_FDS is no number: no descriptor is taken";
    if (count.value_or(0) > kMax) {
        passed.problem = "$LISTEN_FDS is above " + std::to_string(kMax) + ": only so many are looked at";
        count = kMax;
    }
    const std::string list = names != nullptr ? names : "";
    std::size_t begin = 0;
    for (std::uint64_t i = 0; i < count.value_or(0); ++i) {
        const std::size_t end = std::min(list.find(':', begin), list.size());
        passed.names.push_back(end > begin ? list.substr(begin, end - begin) : "unknown");
        begin = std::min(end + 1, list.size());
    }
    return passed;
}

std::vector<PassedFd> take_passed_descriptors() {
    PassedNames passed = passed_names(std::getenv("LISTEN_PID"), std::getenv("LISTEN_FDS"),
                                      std::getenv("LISTEN_FDNAMES"), ::getpid());
    for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) (void)::unsetenv(name);
    std::vector<PassedFd> open;
    for (std::size_t i = 0; i < passed.names.size(); ++i) {
        const int fd = SD_LISTEN_FDS_START + static_cast<int>(i);
        const int flags = ::fcntl(fd, F_GETFD);
        if (flags < 0 || (flags & FD_CLOEXEC) != 0) continue;  // opened by this process, not passed
        if (::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0) open.push_back({std::move(passed.names[i]), Fd(fd)});
    }
    if (open.size() < passed.names.size())
        add_problem(passed.problem, std::to_string(passed.names.size() - open.size()) +
                                        " of the descriptors of $LISTEN_FDS were not passed");
    if (!passed.problem.empty())
        log(LogLevel::Warning, passed.problem, {{events::kMessageId, events::kEnvironment}});
    return open;
}

}  // namespace tegu::daemon
