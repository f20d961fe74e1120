// SPDX-License-Identifier: Apache-2.0
// The server's part in buffers that take time: their making, a step a turn, and what comes back from the helper.
#include <boost/asio/post.hpp>

#include "daemon/server.h"

namespace tegu::daemon {

void Server::take_helped() {
    if (helper_.run_done() && stopping_) end_if_idle();
}

void Server::add_making(std::shared_ptr<Session> session, std::shared_ptr<Session::Making> making) {
    makings_.emplace_back(std::move(session), std::move(making));
    post_making();
}

void Server::post_making() {
    if (making_posted_ || makings_.empty()) return;
    boost::asio::post(io_, [this] { make_one_step(); });
    making_posted_ = true;
}

// One step a turn of the loop, whoever asked for it: all that is made at once takes turns.
void Server::make_one_step() {
    making_posted_ = false;
    auto next = std::move(makings_.front());
    makings_.pop_front();
    Session& session = *next.first;
    bool more = false;
    session.guarded([&] { more = !session.closed() && session.go_on_making(*next.second); });
    if (more && !session.closed()) {
        makings_.push_back(std::move(next));
    } else if (stopping_) {
        end_if_idle();
    }
    post_making();
}

}  // namespace tegu::daemon
