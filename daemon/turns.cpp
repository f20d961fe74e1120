// SPDX-License-Identifier: Apache-2.0
#include "daemon/turns.h"

#include <algorithm>
#include <boost/asio/post.hpp>

namespace tegu::daemon {

bool Turns::is_over(uid_t uid, std::uint64_t more_ns) const {
    for (const Spent& spent : spent_)
        if (spent.uid == uid) return spent.ns + more_ns > kTurnNs;
    return more_ns > kTurnNs;
}

void Turns::spend(uid_t uid, std::uint64_t ns) {
    auto found = std::find_if(spent_.begin(), spent_.end(), [uid](const Spent& spent) { return spent.uid == uid; });
    if (found == spent_.end()) found = spent_.insert(found, {uid, 0});
    found->ns += ns;
    if (found->ns > kTurnNs && !ending_) end_round_after_all();
}

void Turns::look() {
    if (!ending_) spent_.clear();
}

// What is ready now is run before what is posted now, and so is one look for new messages.
void Turns::end_round_after_all() {
    try {
        boost::asio::post(io_, [this] {
            spent_.clear();
            ending_ = false;
        });
    } catch (...) {
        spent_.clear();  // nobody's turn is over for ever
        throw;
    }
    ending_ = true;
}

}  // namespace tegu::daemon
