// SPDX-License-Identifier: Apache-2.0
// WaitingJobs: the waiting jobs of an executor. Short ones may also run within another job, while that waits
// for its device. They have a scheduler of their own, and the two take turns.
#pragma once

#include <atomic>
#include <optional>
#include <unordered_map>

#include "daemon/jobs/job_task.h"

namespace tegu::daemon {

// The caller locks, unless stated otherwise.
class WaitingJobs {
  public:
    struct Next {
        TaskList task;  // one job
        std::uint64_t cost_ns = 0;
    };

    explicit WaitingJobs(std::uint64_t quantum_ns) : long_(quantum_ns), short_(quantum_ns) {}

    // `cost_ns`: predicted time. On out of memory the job is not added.
    enum class Turn { Own, MayShare };
    void push(std::shared_ptr<JobTask> task, std::uint64_t cost_ns, Turn turn);
    // Whether another job of the user with this cost may share a turn: it is short, and the user has few.
    bool may_share(uid_t uid, std::uint64_t cost_ns) const;
    // Removes the next job; nullopt if none waits.
    std::optional<Next> pop();
    // Removes the next job that may share a turn.
    std::optional<Next> pop_short();
    // Removes a waiting job; empty if it does not wait here.
    TaskList remove(const JobTask& task);

    std::uint64_t size() const { return long_.size() + short_.size(); }
    // Without the lock: a hint.
    bool may_have_short() const { return shorts_.load(std::memory_order_relaxed) > 0; }
    std::uint64_t cost_ns() const { return long_.cost_ns() + short_.cost_ns(); }
    std::uint64_t cost_ns(uid_t uid) const { return long_.cost_ns(uid) + short_.cost_ns(uid); }
    // As in Scheduler.
    std::uint64_t before_ns(uid_t uid, wire::Priority priority) const {
        return long_.before_ns(uid, priority) + short_.before_ns(uid, priority);
    }
    std::array<std::uint64_t, wire::kPriorityCount> sizes() const;
    void set_quantum(std::uint64_t quantum_ns);

  private:
    std::optional<Next> pop_from(Scheduler& scheduler);
    void count() { shorts_.store(short_.size(), std::memory_order_relaxed); }

    Scheduler long_, short_;
    bool short_next_ = false;
    std::atomic<std::uint64_t> shorts_{0};
    std::unordered_map<std::uint64_t, TaskList> waiting_;  // one job in each list, by ticket
};

}  // namespace tegu::daemon
