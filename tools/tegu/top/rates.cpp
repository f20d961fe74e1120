// SPDX-License-Identifier: Apache-2.0
// Differences between two views.
#include <algorithm>
#include <map>
#include <utility>

#include "tools/tegu/top/view.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

// A counter that fell is of another process, or of another life of the same pid.
Number growth(Number now, Number before, double seconds) {
    if (!now || !before || *now < *before) return {};
    return (*now - *before) / seconds;
}

Number sum(Number a, Number b) {
    return a && b ? Number(*a + *b) : a ? a : b;
}

void add_rates(std::vector<Account>& accounts, const std::vector<Account>& before, double seconds) {
    const auto key = [](const Account& account) {
        return std::make_pair(account.pid.value_or(-1), account.uid.value_or(-1));
    };
    std::map<std::pair<double, double>, const Account*> known;
    for (const Account& account : before) known[key(account)] = &account;
    for (Account& account : accounts) {
        const auto found = known.find(key(account));
        if (found == known.end()) continue;
        const Account& old = *found->second;
        account.jobs_per_second = growth(account.jobs, old.jobs, seconds);
        account.device_share = growth(account.device_seconds, old.device_seconds, seconds);
        account.cpu_share = growth(account.cpu_seconds, old.cpu_seconds, seconds);
        account.bytes_per_second = growth(account.bytes, old.bytes, seconds);
    }
}

void add_rates(Daemon& daemon, const Daemon& before, double seconds) {
    for (Operation& operation : daemon.operations) {
        Operation old;  // an operation that is new had no jobs before
        for (const Operation& earlier : before.operations)
            if (earlier.name == operation.name) old = earlier;
        operation.failed_per_second = growth(operation.failed, old.failed, seconds);
        operation.jobs_per_second = growth(operation.ok + operation.failed, old.ok + old.failed, seconds);
        daemon.jobs_per_second = sum(daemon.jobs_per_second, operation.jobs_per_second);
        daemon.failed_per_second = sum(daemon.failed_per_second, operation.failed_per_second);
    }
    if (daemon.operations.empty()) daemon.jobs_per_second = 0;
    add_rates(daemon.users, before.users, seconds);
    add_rates(daemon.clients, before.clients, seconds);
}

bool same_process(const Daemon& now, const Daemon& before) {
    return now.pid == before.pid && now.uptime_seconds.value_or(0) >= before.uptime_seconds.value_or(0);
}

}  // namespace

void add_rates(View& view, const View& before, double seconds) {
    if (!view.daemon || !before.daemon || !(seconds > 0) || !same_process(*view.daemon, *before.daemon))
        return;
    add_rates(*view.daemon, *before.daemon, seconds);
}

Number gpu_share(const View& view) {
    if (view.board.gpu.share) return view.board.gpu.share;
    Number max_share;
    if (!view.daemon) return max_share;
    for (const Executor& executor : view.daemon->executors)
        if (executor.name.compare(0, 3, "GPU") == 0 && executor.busy_share)
            max_share = std::max(max_share.value_or(0), *executor.busy_share);
    return max_share;
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
