// SPDX-License-Identifier: Apache-2.0
// Turns: how long the io thread works for each user before the others get theirs. It is counted by user, not by connection, so that nobody gets
// more of the thread by opening more connections. A round ends when the thread looks for news, and, once somebody's turn is over, when all that was ready
// then has been looked at, new messages included: so a user who asks for little waits for at most one turn of each who asks for much. Io thread only.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <vector>

namespace tegu::daemon {

class Turns {
  public:
    static constexpr std::uint64_t kTurnNs = 100'000;  // a client that computes waits as long for its own wake-ups

    explicit Turns(boost::asio::io_context& io) : io_(io) {}

    // Whether the user has had this round's turn, with so much work that is not yet counted.
    bool is_over(uid_t uid, std::uint64_t more_ns = 0) const;
    // Counts work. Throws std::bad_alloc.
    void spend(uid_t uid, std::uint64_t ns);
    // The thread is about to look for news.
    void look();

  private:
    struct Spent {
        uid_t uid;
        std::uint64_t ns;
    };

    void end_round_after_all();

    boost::asio::io_context& io_;
    std::vector<Spent> spent_;  // few: the users of one round
    bool ending_ = false;       // the end of the round is posted
};

}  // namespace tegu::daemon
