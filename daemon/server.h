// SPDX-License-Identifier: Apache-2.0
// Server: the io thread's half of the daemon. Accepts connections, owns the sessions and what they share,
// takes the executor's results to their sessions, looks after the overdue, reloads, and stops in order. run()
// returns when the daemon is to end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "base/spin_wait.h"
#include "config/settings.h"
#include "daemon/buffers/held_memory.h"
#include "daemon/buffers/quota.h"
#include "daemon/helper_thread.h"
#include "daemon/jobs/executors.h"
#include "daemon/placement/cost_probe.h"
#include "daemon/placement/placement.h"
#include "daemon/reports/board_health.h"
#include "daemon/reports/recent_errors.h"
#include "daemon/reports/scrape.h"
#include "daemon/reports/statistics.h"
#include "daemon/service/service_status.h"
#include "daemon/service/watchdog.h"
#include "daemon/sessions/accounts.h"
#include "daemon/sessions/connection.h"
#include "daemon/sessions/listener.h"
#include "daemon/sessions/session.h"
#include "daemon/store/descriptor_store.h"
#include "daemon/tuning/tuning.h"

namespace tegu::daemon {

struct ServerOptions {
    config::Settings settings;
    std::string settings_file;              // read again by a reload
    bool settings_may_be_missing = false;   // without the file all have their defaults
    bool socket_from_command_line = false;  // settings.socket.path is not the file's
    bool fixed_log_level = false;           // a reload leaves the level alone
    std::uint64_t descriptors = 1024;       // how many the process may open
    std::string sysroot = "/";              // where the files of the board are read
    std::optional<Listener> scrapes;        // the socket on which scrapes are answered
    StoredDescriptors stored;               // of the daemon before
};

class Server {
  public:
    Server(ServerOptions options, Listener listener);
    ~Server();

    // Serves until a signal (or a fatal error, which is returned) ends it. Blocks; call once.
    Result<void> run();

    // For sessions.
    ConnectionShared& shared() { return shared_; }
    const config::Settings& settings() const { return options_.settings; }
    const std::string& settings_file() const { return options_.settings_file; }
    const Listener& listener() const { return listener_; }
    Quotas& quotas() { return quotas_; }
    const Quotas& quotas() const { return quotas_; }
    Statistics& statistics() { return statistics_; }
    const Statistics& statistics() const { return statistics_; }
    Accounts& accounts() { return accounts_; }
    const Accounts& accounts() const { return accounts_; }
    RecentErrors& errors() { return errors_; }
    const RecentErrors& errors() const { return errors_; }
    const ReloadHistory& reloads() const { return reloads_; }
    Executors& executors() { return executors_; }
    const Executors& executors() const { return executors_; }
    const Gpus& gpus() const { return executors_.gpus(); }
    const BoardHealth& health() const { return health_; }
    const Watchdog& watchdog() const { return watchdog_; }
    // Once a second: what is new, or did not go before.
    void tell_manager();
    // Of the io thread with what it computes itself, then of each executor, by its name in reports.
    std::vector<std::pair<std::string, ExecutorLoad>> executor_loads() const;
    unsigned executor_threads() const { return threads_; }
    const Tuning& tuning() const { return *tuning_; }
    // For the pages of large buffers, made and given back.
    HelperThread& pages() { return pages_; }
    HeldMemory& held() { return held_; }
    BufferEndings& endings() { return endings_; }
    DescriptorStore& store() { return store_; }
    const DescriptorStore& store() const { return store_; }
    // It stops, or has failed: what clients leave now is for the daemon after it.
    bool ending() const { return stopping_ || fatal_.has_value(); }
    // Something that another thread will hand back is under way: looks for it even if the wake-up is lost.
    void look_soon() { watch(Clock::now() + std::chrono::seconds(1)); }
    // From now on makes the pages of a buffer, a step at a time.
    void add_making(std::shared_ptr<Session> session, std::shared_ptr<Session::Making> making);
    // By user, those in turn, and of each those in turn; none is empty.
    using Sealings = std::list<std::pair<uid_t, std::list<std::shared_ptr<HelperThread::Task>>>>;
    // One of the user, to be added.
    static Sealings sealing_of(uid_t uid, HelperThread::Task task);
    // Does the one in `one` on a thread of its own, as it may wait, when it is the user's turn. Throws
    // nothing.
    void add_sealing(Sealings& one);
    Placement& placement() { return placement_; }
    const Placement& placement() const { return placement_; }
    bool is_probing() const { return probe_.runs(); }
    JobRunner& inline_runner() { return inline_runner_; }
    bool stopping() const { return stopping_; }
    TimePoint started() const { return started_; }
    const std::map<std::uint64_t, std::shared_ptr<Session>>& sessions() const { return sessions_; }
    std::uint64_t next_ticket() { return ++last_ticket_; }
    // How long a client should wait before it tries again: the predicted time of what waits and runs, within
    // 1 ms..1 s.
    std::uint64_t retry_after_ns(const ExecutorLoad& load) const;
    void forget(std::uint64_t session_number);

  private:
    void loop();
    void watch(TimePoint when);
    void look_around();
    void take_results();
    void wait_for_signal();
    void on_signal(int number);
    void begin_stop();
    void abort_jobs();
    void end_if_idle();
    void close_all();
    // Ends the daemon; every job in flight is answered with `answer`.
    void fail(Error error, Status answer);
    void deliver_results();

    // server_buffers.cpp
    void take_helped();
    void take_costs();
    void post_making();
    void end_step();
    void end_making();
    void post_sealing();
    void wait_for_held();

    // server_connections.cpp
    void wait_for_connections();
    void accept_connections();
    void welcome(Fd socket, TimePoint begin);
    void welcome(Fd socket, Result<Peer> peer);
    Result<void> admit(uid_t uid);

    // server_reload.cpp
    void reload();

    // Calls it with every session; it may close any of them.
    template <class Function>
    void for_each_session(Function&& function) {
        for (auto it = sessions_.begin(); it != sessions_.end();) {
            const std::shared_ptr<Session> session = it->second;
            function(*session);
            it = sessions_.upper_bound(session->number());
        }
    }

    ServerOptions options_;
    Listener listener_;
    Statistics statistics_;
    Quotas quotas_;
    Accounts accounts_;
    RecentErrors errors_;
    ReloadHistory reloads_;
    HelperThread sealer_{"tegud-sealer", [this] { boost::asio::post(io_, [this] { take_helped(); }); }};
    HelperThread pages_{// outlives all that it may free
                        "tegud-pages", [this] { boost::asio::post(io_, [this] { take_helped(); }); }};
    HeldMemory held_;                                 // as pages_
    BufferEndings endings_{[this] { look_soon(); }};  // as pages_
    boost::asio::io_context io_{1};  // handlers that never ran end with it, and may give charges back
    DescriptorStore store_{io_, quotas_, pages_, held_, endings_};
    ConnectionShared shared_;
    boost::asio::local::stream_protocol::socket acceptor_;  // only to wait on; accept4 is our own
    boost::asio::posix::stream_descriptor held_events_;
    boost::asio::steady_timer accept_pause_;
    boost::asio::steady_timer look_timer_;
    boost::asio::steady_timer stop_timer_;
    boost::asio::signal_set signals_;
    SpinWait spin_wait_;
    TimePoint look_at_ = kNever;
    TimePoint started_ = Clock::now();
    std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;
    using Makings = std::list<std::pair<std::shared_ptr<Session>, std::shared_ptr<Session::Making>>>;
    std::list<std::pair<uid_t, Makings>> makings_;  // as Sealings
    bool making_posted_ = false;
    Sealings sealings_;
    std::uint64_t last_session_ = 0;
    std::uint64_t last_ticket_ = 0;
    JobRunner inline_runner_{nullptr};
    std::optional<Error> fatal_;
    Status last_answer_ = Status::ShuttingDown;  // to jobs in flight after a fatal error
    bool stopping_ = false;
    bool aborted_ = false;
    bool end_posted_ = false;
    const unsigned threads_;
    BoardHealth health_{io_, *this};
    ScrapeServer scrapes_{io_, [this] { return health_.text(wire::HealthForm::Metrics); }};
    ServiceStatus status_;
    Watchdog watchdog_{io_};
    std::unique_ptr<Tuning> tuning_;  // set once the GPUs are known
    Executors executors_;             // their threads post to what stands above
    Placement placement_;
    CostProbe probe_;
    std::shared_ptr<const TuningState> costs_of_;  // whose costs the placement has
};

}  // namespace tegu::daemon
