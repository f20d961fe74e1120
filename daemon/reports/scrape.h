// SPDX-License-Identifier: Apache-2.0
// ScrapeServer: serves Prometheus scrapes on a separate socket, on the io thread. Clients may be hostile: a
// connection gets one answer within kTime, and above kMax connections the oldest is closed. At most
// kPerSecond are accepted in a second, which costs about one percent of the thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "daemon/clock.h"
#include "daemon/sessions/listener.h"

namespace tegu::daemon {

class ScrapeServer {
  public:
    static constexpr std::size_t kMax = 8;
    static constexpr unsigned kPerSecond = 32;
    static constexpr std::chrono::seconds kTime{5};

    // `text` creates the body of an answer. REQUIRES: `io` outlives this, and no handler runs after its
    // destruction.
    ScrapeServer(boost::asio::io_context& io, std::function<std::string()> text);
    ~ScrapeServer();

    // Starts serving and logs it. On failure logs the reason, and the daemon continues without.
    void start(Listener listener);
    // Closes everything and removes the socket file if this process created it. No effect before start().
    void stop();

  private:
    class Exchange;

    void wait();
    void accept();
    void welcome(Fd socket);
    void pause_until(TimePoint when);
    void forget(std::uint64_t number) { exchanges_.erase(number); }

    boost::asio::io_context& io_;
    const std::function<std::string()> text_;
    Listener listener_;  // its descriptor is acceptor_'s
    boost::asio::posix::stream_descriptor acceptor_;
    boost::asio::steady_timer pause_;
    TimePoint second_;  // since when `taken_` counts
    unsigned taken_ = 0;
    std::map<std::uint64_t, std::shared_ptr<Exchange>> exchanges_;  // by age
    std::uint64_t last_number_ = 0;
};

}  // namespace tegu::daemon
