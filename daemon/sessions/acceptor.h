// SPDX-License-Identifier: Apache-2.0
// Acceptor: accepts connections and creates sessions for those that the quotas admit. The time is charged to
// the user's turn, and one call accepts for at most one turn. Io thread.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "base/fd.h"
#include "base/result.h"
#include "daemon/clock.h"
#include "daemon/sessions/session.h"

namespace tegu::daemon {

class Acceptor {
  public:
    // `fail` receives an error that ends accepting. REQUIRES: all outlive this.
    Acceptor(boost::asio::io_context& io, SessionServices& services, std::function<void(Error)> fail);

    // Starts accepting. Throws as Asio does.
    void start(Fd listener);
    void stop();

  private:
    void wait();
    void accept_some();
    void welcome(Fd socket, TimePoint begin);
    void welcome(Fd socket, Result<Peer> peer);
    Result<void> admit(uid_t uid);

    SessionServices& services_;
    const std::function<void(Error)> fail_;
    boost::asio::local::stream_protocol::socket socket_;  // only to wait on; accept4 is our own
    boost::asio::steady_timer pause_;
    bool stopped_ = false;
};

}  // namespace tegu::daemon
