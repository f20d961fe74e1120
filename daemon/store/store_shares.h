// SPDX-License-Identifier: Apache-2.0
// StoreShares: decides which buffers the descriptor store keeps, and which wait. Sharing is max-min fair: a
// full store evicts the newest buffer of the largest holder for users with less. Pure; buffers are unique
// numbers.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tegu::daemon {

class StoreShares {
  public:
    void add_waiting(uid_t uid, std::uint64_t number);
    void add_kept(uid_t uid, std::uint64_t number);
    // Moves a buffer from waiting to kept, and back. REQUIRES: it exists.
    void keep(uid_t uid, std::uint64_t number) noexcept;
    void wait_again(uid_t uid, std::uint64_t number) noexcept;
    // Removes a waiting or kept buffer.
    void remove(uid_t uid, std::uint64_t number) noexcept;

    std::size_t waiting() const { return waiting_; }
    std::size_t kept() const { return kept_; }
    // The next buffer to keep: the oldest of the user with the fewest kept. nullopt if none waits.
    std::optional<std::uint64_t> next() const;
    // The buffers to evict from a full store for other users, at most `max`: the newest of the largest
    // holders.
    std::vector<std::uint64_t> to_give_up(std::size_t max) const;
    // The smallest number of kept buffers among users with waiting buffers. nullopt if none waits.
    std::optional<std::size_t> fewest_kept() const;

  private:
    struct User {
        std::set<std::uint64_t> kept, waiting;
    };
    using Users = std::map<uid_t, User>;
    Users::const_iterator poorest() const;

    Users users_;  // who have any
    std::size_t kept_ = 0, waiting_ = 0;
};

}  // namespace tegu::daemon
