// SPDX-License-Identifier: Apache-2.0
// Turns: bounds how long the io thread works for one user before the others get their turn, over all
// connections of the user. A round ends with each poll for events; after a turn is over, when all events
// ready then are handled. So a user waits for at most one turn of each other. Io thread only.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <vector>

#include "daemon/clock.h"

namespace tegu::daemon {

class Turns {
  public:
    // a client that computes waits as long for its own wake-ups
    static constexpr std::uint64_t kTurnNs = 25'000;
    static constexpr auto kSeveral = std::chrono::milliseconds(100);

    explicit Turns(boost::asio::io_context& io) : io_(io) {}

    // Whether the user has had this round's turn, with so much work that is not yet counted.
    bool is_over(uid_t uid, std::uint64_t more_ns = 0) const;
    // Counts work that ended now. Without memory for it all begin their turns anew.
    void spend(uid_t uid, std::uint64_t ns, TimePoint now) noexcept;
    // Two users have had work done within kSeveral of each other, and not much longer ago.
    bool several(TimePoint now) const { return now < several_until_; }
    // The thread is about to look for news.
    void begin_round();

  private:
    struct Spent {
        uid_t uid;
        std::uint64_t ns;
    };

    void end_round_after_all();

    boost::asio::io_context& io_;
    std::vector<Spent> spent_;  // few: the users of one round
    bool ending_ = false;       // the end of the round is posted
    uid_t last_user_ = 0;       // who had work done last
    TimePoint last_work_;
    TimePoint several_until_;
};

}  // namespace tegu::daemon
