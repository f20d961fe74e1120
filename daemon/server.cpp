// SPDX-License-Identifier: Apache-2.0
#include "daemon/server.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <exception>
#include <new>
#include <thread>

#include "base/log.h"
#include "daemon/gpus/gpu_record.h"
#include "daemon/reports/report.h"
#include "daemon/reports/self_report.h"
#include "daemon/service/events.h"
#include "daemon/service/journal.h"
#include "daemon/service/notify.h"

namespace tegu::daemon {
namespace {

// more than a socket holds by default: one read takes it all
constexpr std::size_t kReceiveAreaBytes = 256 * 1024;
constexpr auto kSafetyLook = std::chrono::seconds(1);  // while jobs run: bounds a wake-up lost on old kernels
constexpr auto kShortestLook = std::chrono::milliseconds(1);
constexpr auto kFarewell = std::chrono::milliseconds(1000);  // for clients to take their last replies

unsigned wanted_threads(const config::Settings& settings) {
    if (settings.executor.threads != 0) return static_cast<unsigned>(settings.executor.threads);
    return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

Server::Server(ServerOptions options, Listener listener)
    : options_(std::move(options)),
      listener_(std::move(listener)),
      quotas_(options_.settings.limits, options_.descriptors, [] { return foreign_waiting(); }),
      shared_{io_,
              options_.settings,
              statistics_,
              [this](TimePoint when) { watch(when); },
              std::vector<std::byte>(kReceiveAreaBytes),
              Turns(io_),
              UnreadDescriptors(quotas_)},
      acceptor_(io_),
      held_events_(io_),
      accept_pause_(io_),
      look_timer_(io_),
      stop_timer_(io_),
      signals_(io_),
      threads_(wanted_threads(options_.settings)),
      executors_(options_.settings, threads_, [this] { boost::asio::post(io_, [this] { take_results(); }); }),
      placement_(options_.settings, executors_, threads_),
      probe_(options_.settings, executors_, placement_, pages_) {
    statistics_.gpu_jobs.resize(gpus().all().size());
    tuning_ = std::make_unique<Tuning>(options_.settings.tuning, options_.sysroot, gpus().status().devices);
}

Server::~Server() {
    executors_.gpus().stop();  // what they hold of buffers ends before these
    endings_.stop();
    sealer_.stop();  // they post to the loop, which ends before them
    pages_.stop();
}

std::vector<std::pair<std::string, ExecutorLoad>> Server::executor_loads() const {
    ExecutorLoad here;
    for (const OperationCounters& counters : statistics_.operations) here.finished += counters.inline_jobs;
    here.busy_ns = statistics_.inline_ns;
    std::vector<std::pair<std::string, ExecutorLoad>> loads = executors_.loads();
    loads.insert(loads.begin(), {kInlineExecutor, here});
    return loads;
}

Result<void> Server::run() {
    (void)std::signal(SIGPIPE, SIG_IGN);
    try {
        signals_.add(SIGTERM);
        signals_.add(SIGINT);
        signals_.add(SIGHUP);
        acceptor_.assign(boost::asio::local::stream_protocol(), listener_.fd.release());
        wait_for_signal();
        wait_for_connections();
        wait_for_held();
        store_.start(StoreEnvironment::read(), std::move(options_.stored),
                     milliseconds(options_.settings.timeouts.reattach_ms));
        take_costs();
        probe_.load();
        health_.start(options_.sysroot);
        if (options_.scrapes) scrapes_.start(std::move(*options_.scrapes));
        notify_ready(status_.begin(*this, false));
        watchdog_.start(executors_.watched());
        if (const GpuStatus& gpu = gpus().status(); gpu.degraded)
            log(LogLevel::Warning,
                (gpu.runs() ? "not all GPUs run jobs: " : "no GPU runs jobs: ") + gpu.reason,
                {{events::kMessageId, events::kNoGpu}});
        log(LogLevel::Info, "ready on " + listener_.path,
            {{events::kMessageId, events::kReady},
             {"VERSION", TEGU_VERSION},
             {"SOCKET", listener_.path},
             {"THREADS", std::to_string(threads_)}});
        probe_.start();
        loop();
    } catch (const std::exception& exception) {
        fatal_ = make_error(Status::Internal, std::string("the io thread ended: ") + exception.what());
    }
    remove_socket_file(listener_);
    scrapes_.stop();
    store_.finish();
    try {
        close_all();
    } catch (const std::bad_alloc&) {
        // Those that are left see their connections end.
    }
    if (fatal_) return *fatal_;
    GpuRecord::of_environment().forget();
    log(LogLevel::Info, "stopped",
        {{events::kMessageId, events::kStopped},
         {"CONNECTIONS_TOTAL", std::to_string(statistics_.connections_total)}});
    finish_journal();
    return {};
}

// Of the tuning tables in force, if they are new.
void Server::take_costs() {
    if (costs_of_ == tuning_->state()) return;
    costs_of_ = tuning_->state();
    placement_.set_tables(*costs_of_);
    probe_.seed();
    probe_.restart();
}

void Server::tell_manager() {
    try {
        notify_again();
        status_.look(*this, Clock::now());
    } catch (const std::bad_alloc&) {
        // Said in a second.
    }
}

// While the executor computes, its threads have a better use for the core than looking for the next message.
void Server::loop() {
    while (!io_.stopped()) {
        shared_.turns.look();
        executors_.set_crowded(shared_.turns.several(Clock::now()));
        std::size_t events = io_.poll();
        const std::chrono::microseconds limit(quotas_.all().jobs == 0 ? options_.settings.executor.spin_us
                                                                      : 0);
        if (events == 0 && !spin_wait_.stay_awake(Clock::now(), limit)) events = io_.run_one();
        if (events > 0) spin_wait_.note_event(Clock::now(), limit);
    }
}

void Server::forget(std::uint64_t session_number) {
    sessions_.erase(session_number);
    if (!stopping_ || end_posted_) return;
    end_posted_ = true;
    boost::asio::post(io_, [this] {
        end_posted_ = false;
        end_if_idle();
    });
}

void Server::watch(TimePoint when) {
    if (when >= look_at_) return;
    look_at_ = kNever;  // in case that there is no memory to wait
    look_timer_.expires_at(when);
    look_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) look_around();
    });
    look_at_ = when;
}

void Server::look_around() {
    look_at_ = kNever;
    endings_.look();
    take_results();
    take_helped();
    shared_.unread.look();
    const TimePoint now = Clock::now();
    const bool awaits = quotas_.all().jobs > 0 || !sealer_.idle() || !pages_.idle() || !makings_.empty() ||
                        !sealings_.empty() || !shared_.unread.empty() || !endings_.empty() ||
                        executors_.has_errands();
    TimePoint next = awaits ? now + kSafetyLook : kNever;
    for_each_session(
        [&](Session& session) { session.guarded([&] { next = std::min(next, session.look(now)); }); });
    if (next != kNever) watch(std::max(next, now + kShortestLook));
}

// Results to their sessions; each session sends once, however many it got.
void Server::take_results() {
    if (std::optional<Error> failure = executors_.failure()) return fail(*failure, Status::DeviceLost);
    if (std::optional<Error> failure = gpus().failure()) {
        if (failure->status != Status::OutOfMemory) GpuRecord::of_environment().add(failure->message);
        return fail(*failure, Status::DeviceLost);
    }
    executors_.run_done_errands();
    deliver_results();
    if (stopping_) end_if_idle();
}

void Server::deliver_results() {
    const TaskList done = executors_.take_done();
    for (const std::shared_ptr<JobTask>& task : done) {
        const std::shared_ptr<Session> session = task->session.lock();
        if (session == nullptr || session->closed()) {
            quotas_.end_job(task->waiting.uid);
            accounts_.charge_user(task->waiting.uid,
                                  use_of(task->cost, task->place == Place::Gpu, task->prepared.plan,
                                         task->error ? task->error->status : Status::Ok));
            ++statistics_.results_dropped_total;
            continue;
        }
        session->guarded([&] { session->complete(*task); });
    }
    for (const std::shared_ptr<JobTask>& task : done)
        if (const std::shared_ptr<Session> session = task->session.lock())
            if (!session->all_sent()) session->guarded([&] { session->flush(); });
}

std::uint64_t Server::retry_after_ns(const ExecutorLoad& load) const {
    constexpr std::uint64_t kShortest = 1'000'000, kLongest = 1'000'000'000;
    return std::min(std::max(load.waiting_ns + load.running_ns, kShortest), kLongest);
}

void Server::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int number) {
        if (error) return;
        on_signal(number);
        wait_for_signal();
    });
}

void Server::on_signal(int number) {
    if (number == SIGHUP) {
        if (!stopping_) reload();
    } else if (!stopping_) {
        begin_stop();
    } else {
        abort_jobs();
    }
}

// No more connections and no new jobs; what is in flight has `timeouts.stop_ms`.
void Server::begin_stop() {
    stopping_ = true;
    probe_.stop();
    const std::uint64_t stop_ms = options_.settings.timeouts.stop_ms;
    notify_stopping(stop_ms);
    store_.finish();
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    accept_pause_.cancel();
    remove_socket_file(listener_);
    scrapes_.stop();
    for (const auto& entry : sessions_) entry.second->announce_stop();
    stop_timer_.expires_after(std::chrono::milliseconds(stop_ms));
    stop_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) abort_jobs();
    });
    end_if_idle();
}

void Server::abort_jobs() {
    if (aborted_) return;
    aborted_ = true;
    for (const auto& entry : sessions_) entry.second->abort_jobs();
    stop_timer_.expires_after(kFarewell);
    stop_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) io_.stop();
    });
    end_if_idle();
}

// While stopping: a session without anything in flight ends; with the last one the daemon does.
void Server::end_if_idle() {
    for_each_session([](Session& session) {
        session.guarded([&] {
            if (!session.expects_replies()) session.end_after_replies(CloseReason::Stopping);
            session.flush();
        });
    });
    if (sessions_.empty()) io_.stop();
}

// After a fatal error, jobs that can get no result any more get an answer that lets their clients try again.
void Server::close_all() {
    if (fatal_) deliver_results();
    for_each_session([this](Session& session) {
        if (fatal_) session.guarded([&] { session.answer_jobs(make_error(last_answer_, fatal_->message)); });
        session.close(CloseReason::Stopping);
    });
}

void Server::fail(Error error, Status answer) {
    fatal_ = std::move(error);
    last_answer_ = answer;
    io_.stop();
}

}  // namespace tegu::daemon
