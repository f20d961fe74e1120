// SPDX-License-Identifier: Apache-2.0
#include "daemon/server.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <exception>
#include <new>

#include "base/log.h"
#include "daemon/gpus/gpu_record.h"
#include "daemon/service/events.h"
#include "daemon/service/journal.h"
#include "daemon/service/notify.h"

namespace tegu::daemon {
namespace {

// more than a socket holds by default, so that one read takes all
constexpr std::size_t kReceiveAreaBytes = 256 * 1024;
constexpr auto kSafetyPoll = std::chrono::seconds(1);  // while jobs run: bounds a wake-up lost on old kernels
constexpr auto kShortestPause = std::chrono::milliseconds(1);

}  // namespace

Server::Server(ServerOptions options, Listener listener)
    : options_(std::move(options)),
      listener_(std::move(listener)),
      buffers_(
          options_.settings.values.limits, options_.descriptors,
          [this] { boost::asio::post(io_, [this] { take_helped(); }); }, [this] { poll_soon(); }),
      connections_{io_,
                   options_.settings.values,
                   record_.statistics,
                   [this](TimePoint when) { watch(when); },
                   std::vector<std::byte>(kReceiveAreaBytes),
                   Turns(io_),
                   UnreadDescriptors(buffers_.quotas)},
      health_(io_, reports_, [this] { tell_manager(); }),
      jobs_(
          options_.settings.values, options_.sysroot, [this] { announce_results(); }, buffers_.pages),
      reports_{options_.settings, listener_, record_, buffers_.quotas, sessions_, store_, jobs_,
               watchdog_,         health_,   stop_},
      services_{connections_, buffers_.quotas, buffers_, store_,   jobs_,
                sessions_,    record_,         health_,  reports_, stop_},
      acceptor_(io_, services_, [this](Error error) { fail(std::move(error), Status::ShuttingDown); }) {
    record_.statistics.gpu_jobs.resize(jobs_.gpus().all().size());
}

Server::~Server() {
    jobs_.executors.gpus().stop();  // they hold buffers, so they end first
    buffers_.stop();                // its threads post to the loop, which ends later
}

Result<void> Server::run() {
    (void)std::signal(SIGPIPE, SIG_IGN);
    try {
        start();
        loop();
    } catch (const std::exception& exception) {
        stop_.failed = make_error(Status::Internal, std::string("the io thread ended: ") + exception.what());
    }
    remove_socket_file(listener_);
    scrapes_.stop();
    store_.finish();
    try {
        close_all();
    } catch (const std::bad_alloc&) {
        // The connections of the remaining sessions end here.
    }
    if (stop_.failed) return *stop_.failed;
    GpuRecord::of_environment().forget();
    log(LogLevel::Info, "stopped",
        {{events::kMessageId, events::kStopped},
         {"CONNECTIONS_TOTAL", std::to_string(record_.statistics.connections_total)}});
    finish_journal();
    return {};
}

void Server::start() {
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) signals_.add(number);
    wait_for_signal();
    acceptor_.start(std::move(listener_.fd));
    wait_for_held();
    store_.start(StoreEnvironment::read(), std::move(options_.stored),
                 milliseconds(options_.settings.values.timeouts.reattach_ms));
    jobs_.take_costs();
    jobs_.probe.load();
    health_.start(options_.sysroot);
    if (options_.scrapes) scrapes_.start(std::move(*options_.scrapes));
    notify_ready(status_.begin(reports_, false));
    watchdog_.start(jobs_.executors.watched());
    if (const GpuStatus& gpu = jobs_.gpus().status(); gpu.degraded)
        log(LogLevel::Warning, (gpu.runs() ? "not all GPUs run jobs: " : "no GPU runs jobs: ") + gpu.reason,
            {{events::kMessageId, events::kNoGpu}});
    log(LogLevel::Info, "ready on " + listener_.path,
        {{events::kMessageId, events::kReady},
         {"VERSION", TEGU_VERSION},
         {"SOCKET", listener_.path},
         {"THREADS", std::to_string(jobs_.threads)}});
    jobs_.probe.start();
}

// While an executor of the CPU computes, the io thread does not spin: the core serves the job.
void Server::loop() {
    awake_ = true;
    while (!io_.stopped()) {
        connections_.turns.begin_round();
        jobs_.executors.set_crowded(connections_.turns.several(Clock::now()));
        std::size_t events = serve();
        const bool computes = jobs_.executors.uses_cpu();
        const std::chrono::microseconds limit(!computes ? options_.settings.values.executor.spin_us : 0);
        if (events == 0 && !spin_wait_.stay_awake(Clock::now(), limit)) events = sleep();
        if (events > 0) spin_wait_.note_event(Clock::now(), limit);
    }
    awake_ = false;
}

// Serves what is ready, and results also while connections keep it busy.
std::size_t Server::serve() {
    std::size_t events = 0;
    for (bool more = true; more; events += more ? 1 : 0) {
        more = io_.poll_one() != 0;
        if (!results_ready_.load() || !results_ready_.exchange(false)) continue;
        take_results();
        more = true;
    }
    return events;
}

// Returns after one event; at once if results are ready.
std::size_t Server::sleep() {
    awake_ = false;
    const std::size_t events = results_ready_.load() ? 0 : io_.run_one();
    awake_ = true;
    return events;
}

// Any thread. A thread that is awake looks for results by itself.
void Server::announce_results() {
    results_ready_ = true;
    if (!awake_.load())
        boost::asio::post(io_, [this] {
            results_ready_ = false;
            take_results();
        });
}

void Server::watch(TimePoint when) {
    if (when >= poll_at_) return;
    poll_at_ = kNever;  // in case waiting fails on out of memory
    poll_timer_.expires_at(when);
    poll_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) poll_all();
    });
    poll_at_ = when;
}

void Server::poll_soon() {
    connections_.poll_soon();
}

void Server::poll_all() {
    poll_at_ = kNever;
    buffers_.endings.poll();
    take_results();
    take_helped();
    connections_.unread.poll();
    const TimePoint now = Clock::now();
    const bool awaits = buffers_.quotas.all().jobs > 0 || buffers_.busy() || !connections_.unread.empty() ||
                        jobs_.executors.has_control_tasks();
    TimePoint next = awaits ? now + kSafetyPoll : kNever;
    sessions_.for_each(
        [&](Session& session) { session.guarded([&] { next = std::min(next, session.poll(now)); }); });
    if (next != kNever) watch(std::max(next, now + kShortestPause));
}

// Delivers results to their sessions; each session sends once for all its results.
void Server::take_results() {
    if (std::optional<Error> failure = jobs_.executors.failure()) return fail(*failure, Status::DeviceLost);
    if (std::optional<Error> failure = jobs_.gpus().failure()) {
        if (failure->status != Status::OutOfMemory) GpuRecord::of_environment().add(failure->message);
        return fail(*failure, Status::DeviceLost);
    }
    jobs_.executors.run_done_control_tasks();
    deliver_results();
    if (stop_.stopping) end_if_idle();
}

void Server::deliver_results() {
    const TaskList done = jobs_.executors.take_done();
    const TimePoint now = Clock::now();
    for (const std::shared_ptr<JobTask>& task : done) {
        const std::shared_ptr<Session> session = task->session.lock();
        if (session == nullptr || session->closed()) {
            buffers_.quotas.end_job(task->waiting.uid);
            record_.accounts.charge_user(task->waiting.uid,
                                         use_of(task->cost, task->target == Target::Gpu, task->prepared.plan,
                                                task->error ? task->error->status : Status::Ok));
            ++record_.statistics.results_dropped_total;
            continue;
        }
        session->guarded([&] { session->complete(*task); });
    }
    for (const std::shared_ptr<JobTask>& task : done)
        if (const std::shared_ptr<Session> session = task->session.lock())
            if (!session->all_sent()) session->guarded([&] { session->flush(); });
    learn(done, now);
}

// After the replies: no client waits for it.
void Server::learn(const TaskList& done, TimePoint now) noexcept {
    try {
        for (const std::shared_ptr<JobTask>& task : done)
            if (!task->error) jobs_.placement.learn(*task, nanoseconds(now - task->received));
    } catch (const std::bad_alloc&) {  // then nothing is learnt
    }
}

void Server::take_helped() {
    const bool sealed = buffers_.sealer.run_done(), paged = buffers_.pages.run_done();
    if ((sealed || paged) && stop_.stopping) end_if_idle();
    if (paged) jobs_.take_costs();
}

void Server::wait_for_held() {
    if (!held_events_.is_open()) {
        Fd events(::fcntl(buffers_.held.events(), F_DUPFD_CLOEXEC, 0));
        if (!events) return;  // charges then end at the next poll
        held_events_.assign(events.get());
        (void)events.release();
    }
    held_events_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                            [this](const boost::system::error_code& error) {
                                if (error) return;
                                buffers_.held.poll();
                                wait_for_held();
                            });
}

// Sends the state once a second, if it is new or an earlier attempt failed.
void Server::tell_manager() {
    try {
        notify_again();
        status_.refresh(reports_, Clock::now());
    } catch (const std::bad_alloc&) {
        // The next second retries.
    }
}

void Server::reload() {
    notify_reloading();
    ++record_.statistics.reloads_total;
    const bool changed = reload_settings(options_.settings, record_.reloads);
    if (changed) buffers_.quotas.set_limits(options_.settings.values.limits);
    jobs_.reload(buffers_.pages);
    notify_ready(status_.begin(reports_, !changed));
    if (changed) poll_all();  // new time limits may have passed already
}

}  // namespace tegu::daemon
