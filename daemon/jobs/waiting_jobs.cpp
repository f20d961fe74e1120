// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/waiting_jobs.h"

#include <utility>

namespace tegu::daemon {
namespace {

// A job that takes longer would hold up the job that it runs within.
constexpr std::uint64_t kShortNs = 1'000'000;
// Work of one user that may share turns. What is beyond it waits for its own turn, behind longer jobs.
constexpr std::uint64_t kUserNs = 5'000'000;

}  // namespace

void WaitingJobs::push(std::shared_ptr<JobTask> task, std::uint64_t cost_ns, Turn turn) {
    Waiting waiting = task->waiting;
    waiting.cost_ns = cost_ns;
    const auto placed = waiting_.emplace(waiting.ticket, TaskList{std::move(task)}).first;
    try {
        (turn == Turn::MayShare ? short_ : long_).push(waiting);
    } catch (...) {  // out of memory: it was not added
        waiting_.erase(placed);
        throw;
    }
    count();
}

bool WaitingJobs::may_share(uid_t uid, std::uint64_t cost_ns) const {
    return cost_ns <= kShortNs && short_.cost_ns(uid) + cost_ns <= kUserNs;
}

std::optional<WaitingJobs::Next> WaitingJobs::pop() {
    const bool takes_short = short_.size() > 0 && (short_next_ || long_.size() == 0);
    short_next_ = !takes_short;
    return pop_from(takes_short ? short_ : long_);
}

std::optional<WaitingJobs::Next> WaitingJobs::pop_short() {
    return pop_from(short_);
}

std::optional<WaitingJobs::Next> WaitingJobs::pop_from(Scheduler& scheduler) {
    const std::optional<Waiting> next = scheduler.pop();
    if (!next) return std::nullopt;
    const auto found = waiting_.find(next->ticket);
    std::optional<Next> job(Next{std::move(found->second), next->cost_ns});
    waiting_.erase(found);
    count();
    return job;
}

TaskList WaitingJobs::remove(const JobTask& task) {
    TaskList removed;
    if (!long_.remove(task.waiting) && !short_.remove(task.waiting)) return removed;
    const auto found = waiting_.find(task.waiting.ticket);
    removed = std::move(found->second);
    waiting_.erase(found);
    count();
    return removed;
}

std::array<std::uint64_t, wire::kPriorityCount> WaitingJobs::sizes() const {
    std::array<std::uint64_t, wire::kPriorityCount> sizes = long_.sizes();
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += short_.sizes()[i];
    return sizes;
}

void WaitingJobs::set_quantum(std::uint64_t quantum_ns) {
    long_.set_quantum(quantum_ns);
    short_.set_quantum(quantum_ns);
}

}  // namespace tegu::daemon
