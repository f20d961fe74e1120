// SPDX-License-Identifier: Apache-2.0
#include "daemon/sessions/turns.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <exception>

namespace tegu::daemon {

bool Turns::is_over(uid_t uid, std::uint64_t more_ns) const {
    for (const Spent& spent : spent_)
        if (spent.uid == uid) return spent.ns + more_ns > turn_ns();
    return more_ns > turn_ns();
}

void Turns::spend(uid_t uid, std::uint64_t ns, TimePoint now) noexcept {
    if (uid != last_user_ && now - last_work_ < kSeveral) several_until_ = now + kSeveral;
    last_user_ = uid;
    last_work_ = now;
    try {
        auto found = std::find_if(spent_.begin(), spent_.end(),
                                  [uid](const Spent& spent) { return spent.uid == uid; });
        if (found == spent_.end()) found = spent_.insert(found, {uid, 0});
        found->ns += ns;
        // The turns of all users, as a second user makes them shorter.
        const bool over = std::any_of(spent_.begin(), spent_.end(),
                                      [this](const Spent& spent) { return spent.ns > turn_ns(); });
        if (over && !ending_) end_round_after_all();
    } catch (const std::exception&) {
        spent_.clear();  // so that no turn is over for ever
    }
}

void Turns::begin_round() {
    if (!ending_) spent_.clear();
}

// Ends the round after all handlers that are ready now, and after one poll for new messages: a posted handler
// runs behind them.
void Turns::end_round_after_all() {
    boost::asio::post(io_, [this] {
        spent_.clear();
        ending_ = false;
    });
    ending_ = true;
}

}  // namespace tegu::daemon
