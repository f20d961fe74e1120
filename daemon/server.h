// SPDX-License-Identifier: Apache-2.0
// Server: creates the parts of the daemon, connects them on the io thread, and destroys them in order.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <string>

#include "base/spin_wait.h"
#include "daemon/buffers/buffer_services.h"
#include "daemon/jobs/job_services.h"
#include "daemon/reports/board_health.h"
#include "daemon/reports/daemon_record.h"
#include "daemon/reports/report_sources.h"
#include "daemon/reports/scrape.h"
#include "daemon/service/reload.h"
#include "daemon/service/service_status.h"
#include "daemon/service/stop_state.h"
#include "daemon/service/watchdog.h"
#include "daemon/sessions/acceptor.h"
#include "daemon/sessions/session_table.h"
#include "daemon/store/descriptor_store.h"

namespace tegu::daemon {

struct ServerOptions {
    SettingsInForce settings;
    bool default_socket = false;       // neither the command line nor the file names socket.path
    std::uint64_t descriptors = 1024;  // maximum number that the process may open
    std::string sysroot = "/";         // root folder of the board's files
    std::optional<Listener> scrapes;   // the socket for metric scrapes
    StoredDescriptors stored;          // of the previous daemon
};

class Server {
  public:
    Server(ServerOptions options, Listener listener);
    ~Server();

    // Serves until a signal or a fatal error; returns the fatal error. Blocks; call once.
    Result<void> run();

  private:
    void start();
    void loop();
    std::size_t serve();
    std::size_t sleep();
    void announce_results();
    void watch(TimePoint when);
    void poll_soon();
    void poll_all();
    void take_results();
    void deliver_results();
    void learn(const TaskList& done, TimePoint now) noexcept;
    void take_helped();
    void wait_for_held();
    void tell_manager();
    void reload();

    // server_stop.cpp
    void wait_for_signal();
    void on_signal(int number);
    void begin_stop();
    void abort_jobs();
    void end_later();
    void end_if_idle();
    void close_all();
    // Ends the daemon and replies to every job in flight with `answer`.
    void fail(Error error, Status answer);

    ServerOptions options_;
    Listener listener_;
    DaemonRecord record_;
    StopState stop_;
    BufferServices buffers_;
    boost::asio::io_context io_{1};  // destroys handlers that never ran, which may release charges
    DescriptorStore store_{io_, buffers_};
    ConnectionShared connections_;
    boost::asio::posix::stream_descriptor held_events_{io_};
    boost::asio::steady_timer poll_timer_{io_};
    boost::asio::steady_timer stop_timer_{io_};
    boost::asio::signal_set signals_{io_};
    SpinWait spin_wait_;
    std::atomic<bool> results_ready_{false};
    std::atomic<bool> awake_{false};  // the io thread looks for results
    TimePoint poll_at_ = kNever;
    SessionTable sessions_{[this] { end_later(); }};
    Status last_answer_ = Status::ShuttingDown;  // to jobs in flight after a fatal error
    bool aborted_ = false;
    bool end_posted_ = false;
    BoardHealth health_;
    ScrapeServer scrapes_{io_, [this] { return health_.text(wire::HealthForm::Metrics); }};
    ServiceStatus status_;
    Watchdog watchdog_{io_};
    JobServices jobs_;  // its threads post to the members above
    const ReportSources reports_;
    SessionServices services_;
    Acceptor acceptor_;
};

}  // namespace tegu::daemon
