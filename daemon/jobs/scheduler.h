// SPDX-License-Identifier: Apache-2.0
// Scheduler: selects the next job by deficit round robin over users, with predicted times. Among users with
// quantum left the highest priority is first; users of equal priority alternate. A job may overdraw the
// quantum, and later rounds pay the debt.
//
// Pure: no clock, no locks, no I/O.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>

#include "wire/protocol.h"

namespace tegu::daemon {

// The scheduler's data of a waiting job. `ticket` is the caller's unique id.
struct Waiting {
    std::uint64_t ticket = 0;
    uid_t uid = 0;
    wire::Priority priority = wire::Priority::Normal;
    std::uint64_t cost_ns = 0;
};

class Scheduler {
  public:
    // REQUIRES: quantum_ns >= 1.
    explicit Scheduler(std::uint64_t quantum_ns) : quantum_ns_(quantum_ns) {}
    void set_quantum(std::uint64_t quantum_ns) { quantum_ns_ = quantum_ns; }

    void push(const Waiting& job);
    // Removes and returns the next job; nullopt if none waits.
    std::optional<Waiting> pop();
    // Removes the waiting job with the ticket, user and priority of `job`. False if it does not wait.
    bool remove(const Waiting& job);

    std::uint64_t size() const { return size_; }
    std::uint64_t cost_ns() const { return cost_ns_; }  // of all waiting jobs
    std::uint64_t cost_ns(uid_t uid) const;             // of one user's waiting jobs
    // Approximate time of the waiting jobs that would run before a new job of the user.
    std::uint64_t before_ns(uid_t uid, wire::Priority priority) const;
    // Number of waiting jobs, by priority.
    const std::array<std::uint64_t, wire::kPriorityCount>& sizes() const { return sizes_; }

  private:
    struct User {
        uid_t uid;
        std::int64_t share_ns;  // negative: overdrawn
        std::array<std::deque<Waiting>, wire::kPriorityCount> waiting;
        bool idle() const;
        std::uint64_t cost_ns(unsigned priorities) const;  // of this many priorities, the highest first
        unsigned best() const;  // highest priority of a waiting job; kPriorityCount if none
    };
    using Users = std::list<User>;  // in turn: a served user moves to the end

    User& user(uid_t uid);
    Users::iterator next_user();
    void new_rounds();
    void forget(const Waiting& job);

    std::uint64_t quantum_ns_;
    std::uint64_t size_ = 0;
    std::array<std::uint64_t, wire::kPriorityCount> sizes_{};
    std::uint64_t cost_ns_ = 0;
    Users users_;
};

}  // namespace tegu::daemon
