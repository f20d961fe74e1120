// SPDX-License-Identifier: Apache-2.0
// Scheduler: which waiting job runs next, by deficit round robin over users with predicted times. Among users
// with some of their quantum left the highest priority goes first; users of equal priority take turns. A job
// may overdraw the quantum, and later rounds pay the debt. Pure: no clock, no locks, no I/O.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>

#include "wire/protocol.h"

namespace tegu::daemon {

// A waiting job as the scheduler sees it. `ticket` is the caller's name for it, unique.
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
    // Takes the job that is next; nothing if none waits.
    std::optional<Waiting> pop();
    // Takes a waiting job out: that with the ticket, user and priority of `job`. False if it does not wait
    // (any more).
    bool remove(const Waiting& job);

    std::uint64_t size() const { return size_; }
    std::uint64_t cost_ns() const { return cost_ns_; }  // of all that wait
    std::uint64_t cost_ns(uid_t uid) const;             // of one user's
    // About how much of what waits would run before a new job of the user.
    std::uint64_t before_ns(uid_t uid, wire::Priority priority) const;
    // How many wait, by priority.
    const std::array<std::uint64_t, wire::kPriorityCount>& sizes() const { return sizes_; }

  private:
    struct User {
        uid_t uid;
        std::int64_t share_ns;  // may be negative: overdrawn
        std::array<std::deque<Waiting>, wire::kPriorityCount> waiting;
        bool idle() const;
        std::uint64_t cost_ns(unsigned priorities) const;  // of so many, the highest first
        unsigned best() const;  // the highest priority that waits; kPriorityCount if none
    };
    using Users = std::list<User>;  // in turn: who was served moves to the end

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
