// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/scheduler.h"

#include <algorithm>
#include <limits>

namespace tegu::daemon {
namespace {

// Costs are predictions for untrusted shapes. The limit keeps their sums from overflowing.
constexpr std::uint64_t kMaxCostNs = std::uint64_t{1} << 50;  // 13 days

std::uint64_t cost_of(const Waiting& job) {
    return std::min(std::max<std::uint64_t>(job.cost_ns, 1), kMaxCostNs);
}

}  // namespace

bool Scheduler::User::idle() const {
    return best() == wire::kPriorityCount;
}

unsigned Scheduler::User::best() const {
    unsigned priority = 0;
    while (priority < wire::kPriorityCount && waiting[priority].empty()) ++priority;
    return priority;
}

Scheduler::User& Scheduler::user(uid_t uid) {
    for (User& user : users_)
        if (user.uid == uid) return user;
    users_.push_back(User{uid, static_cast<std::int64_t>(quantum_ns_), {}});
    return users_.back();
}

void Scheduler::push(const Waiting& job) {
    user(job.uid).waiting[static_cast<unsigned>(job.priority)].push_back(job);
    ++size_;
    ++sizes_[static_cast<unsigned>(job.priority)];
    cost_ns_ += cost_of(job);
}

Scheduler::Users::iterator Scheduler::next_user() {
    auto chosen = users_.end();
    for (auto it = users_.begin(); it != users_.end(); ++it)
        if (!it->idle() && it->share_ns > 0 && (chosen == users_.end() || it->best() < chosen->best()))
            chosen = it;
    return chosen;
}

// Adds rounds until a waiting user has a share again. Shares do not accumulate, and users without jobs are
// removed once their debt is paid.
void Scheduler::new_rounds() {
    const auto quantum = static_cast<std::int64_t>(quantum_ns_);
    std::int64_t rounds = std::numeric_limits<std::int64_t>::max();
    for (const User& user : users_)
        if (!user.idle()) rounds = std::min(rounds, user.share_ns > 0 ? 1 : -user.share_ns / quantum + 1);
    for (auto it = users_.begin(); it != users_.end();) {
        it->share_ns = std::min(quantum, it->share_ns + rounds * quantum);
        it = it->idle() && it->share_ns > 0 ? users_.erase(it) : std::next(it);
    }
}

std::optional<Waiting> Scheduler::pop() {
    if (size_ == 0) return std::nullopt;
    auto user = next_user();
    if (user == users_.end()) {
        new_rounds();
        user = next_user();
    }
    std::deque<Waiting>& queue = user->waiting[user->best()];
    const Waiting job = queue.front();
    queue.pop_front();
    user->share_ns -= static_cast<std::int64_t>(cost_of(job));
    users_.splice(users_.end(), users_, user);
    forget(job);
    return job;
}

std::uint64_t Scheduler::User::cost_ns(unsigned priorities) const {
    std::uint64_t cost = 0;
    for (unsigned priority = 0; priority < priorities; ++priority)
        for (const Waiting& job : waiting[priority]) cost += cost_of(job);
    return cost;
}

std::uint64_t Scheduler::cost_ns(uid_t uid) const {
    std::uint64_t cost = 0;
    for (const User& user : users_)
        if (user.uid == uid) cost += user.cost_ns(wire::kPriorityCount);
    return cost;
}

// The user's waiting jobs at that priority and above. Plus, for each other user, the jobs of the rounds until
// then: one share per round, and one job that overdraws the last.
std::uint64_t Scheduler::before_ns(uid_t uid, wire::Priority priority) const {
    if (size_ == 0) return 0;
    const unsigned priorities = static_cast<unsigned>(priority) + 1;
    std::uint64_t own = 0, debt = 0;
    for (const User& user : users_) {
        if (user.uid != uid) continue;
        own = user.cost_ns(priorities);
        debt = user.share_ns < 0 ? static_cast<std::uint64_t>(-user.share_ns) : 0;
    }
    const std::uint64_t rounds = 1 + (own + debt) / quantum_ns_;
    std::uint64_t before = own;
    for (const User& user : users_) {
        if (user.uid == uid) continue;
        std::uint64_t longest = 0;
        for (unsigned each = 0; each < priorities; ++each)
            for (const Waiting& job : user.waiting[each]) longest = std::max(longest, cost_of(job));
        before += std::min(user.cost_ns(priorities), rounds * quantum_ns_ + longest);
    }
    return before;
}

bool Scheduler::remove(const Waiting& job) {
    for (User& user : users_) {
        if (user.uid != job.uid) continue;
        std::deque<Waiting>& queue = user.waiting[static_cast<unsigned>(job.priority)];
        const auto found = std::find_if(queue.begin(), queue.end(),
                                        [&](const Waiting& waiting) { return waiting.ticket == job.ticket; });
        if (found == queue.end()) return false;
        const Waiting removed = *found;
        queue.erase(found);
        forget(removed);
        return true;
    }
    return false;
}

void Scheduler::forget(const Waiting& job) {
    --size_;
    --sizes_[static_cast<unsigned>(job.priority)];
    cost_ns_ -= cost_of(job);
    // Debts stay until the next round, so that others run first after a user's long job.
    if (size_ == 0) users_.remove_if([](const User& user) { return user.idle() && user.share_ns > 0; });
}

}  // namespace tegu::daemon
