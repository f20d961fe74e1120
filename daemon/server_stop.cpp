// SPDX-License-Identifier: Apache-2.0
// Shutdown of the server: jobs in flight get `timeouts.stop_ms`; the remaining ones get an error reply. A
// second signal shortens that time, and a fatal error skips it.
#include <boost/asio/post.hpp>
#include <csignal>

#include "daemon/server.h"
#include "daemon/service/notify.h"

namespace tegu::daemon {
namespace {

constexpr auto kFarewell = std::chrono::milliseconds(1000);  // for clients to take their last replies

}  // namespace

void Server::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int number) {
        if (error) return;
        on_signal(number);
        wait_for_signal();
    });
}

void Server::on_signal(int number) {
    if (number == SIGHUP) {
        if (!stop_.stopping) reload();
    } else if (!stop_.stopping) {
        begin_stop();
    } else {
        abort_jobs();
    }
}

void Server::begin_stop() {
    stop_.stopping = true;
    jobs_.probe.stop();
    const std::uint64_t stop_ms = options_.settings.values.timeouts.stop_ms;
    notify_stopping(stop_ms);
    store_.finish();
    acceptor_.stop();
    remove_socket_file(listener_);
    scrapes_.stop();
    for (const auto& entry : sessions_.all()) entry.second->announce_stop();
    stop_timer_.expires_after(std::chrono::milliseconds(stop_ms));
    stop_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) abort_jobs();
    });
    end_if_idle();
}

void Server::abort_jobs() {
    if (aborted_) return;
    aborted_ = true;
    for (const auto& entry : sessions_.all()) entry.second->abort_jobs();
    stop_timer_.expires_after(kFarewell);
    stop_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) io_.stop();
    });
    end_if_idle();
}

void Server::end_later() {
    if (!stop_.stopping || end_posted_) return;
    end_posted_ = true;
    boost::asio::post(io_, [this] {
        end_posted_ = false;
        end_if_idle();
    });
}

// While stopping: closes each session without requests in flight; after the last one the daemon ends.
void Server::end_if_idle() {
    sessions_.for_each([](Session& session) {
        session.guarded([&] {
            if (!session.expects_replies()) session.end_after_replies(CloseReason::Stopping);
            session.flush();
        });
    });
    if (sessions_.all().empty()) io_.stop();
}

// After a fatal error, jobs without a result get a reply that allows their clients to retry.
void Server::close_all() {
    if (stop_.failed) deliver_results();
    sessions_.for_each([this](Session& session) {
        if (stop_.failed)
            session.guarded([&] { session.answer_jobs(make_error(last_answer_, stop_.failed->message)); });
        session.close(CloseReason::Stopping);
    });
}

void Server::fail(Error error, Status answer) {
    stop_.failed = std::move(error);
    last_answer_ = answer;
    io_.stop();
}

}  // namespace tegu::daemon
