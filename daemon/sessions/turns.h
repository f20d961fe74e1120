// SPDX-License-Identifier: Apache-2.0
// Turns: bounds the io thread's continuous work for one user, over all connections of the user. A round ends
// at each poll for events, or, after a finished turn, when all ready events are handled. So a user waits for
// at most one turn of each other user. Io thread only.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <vector>

#include "daemon/clock.h"

namespace tegu::daemon {

class Turns {
  public:
    // comparable to a computing client's own wake-up delay
    static constexpr std::uint64_t kTurnNs = 25'000;
    // while only one user works: a batch of small jobs then ends with one send
    static constexpr std::uint64_t kLongTurnNs = 2 * kTurnNs;
    static constexpr auto kSeveral = std::chrono::milliseconds(100);

    explicit Turns(boost::asio::io_context& io) : io_(io) {}

    // Whether the user's turn of this round is over, including `more_ns` of uncounted work.
    bool is_over(uid_t uid, std::uint64_t more_ns = 0) const;
    // Counts work that ended now. On out of memory all turns start again.
    void spend(uid_t uid, std::uint64_t ns, TimePoint now) noexcept;
    // Whether two users had work within kSeveral of each other, recently.
    bool several(TimePoint now) const { return now < several_until_; }
    // Call before the thread polls for events.
    void begin_round();

  private:
    struct Spent {
        uid_t uid;
        std::uint64_t ns;
    };

    void end_round_after_all();
    std::uint64_t turn_ns() const { return last_work_ < several_until_ ? kTurnNs : kLongTurnNs; }

    boost::asio::io_context& io_;
    std::vector<Spent> spent_;  // few: the users of one round
    bool ending_ = false;       // the end of the round is posted
    uid_t last_user_ = 0;       // user of the last work
    TimePoint last_work_;
    TimePoint several_until_;
};

}  // namespace tegu::daemon
