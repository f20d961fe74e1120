// SPDX-License-Identifier: Apache-2.0
#include "daemon/sessions/acceptor.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "daemon/buffers/buffer_services.h"
#include "daemon/buffers/foreign_fd.h"
#include "daemon/reports/daemon_record.h"
#include "daemon/sessions/session_services.h"
#include "daemon/sessions/session_table.h"
#include "wire/frame.h"

namespace tegu::daemon {
namespace {

constexpr auto kAcceptPause = std::chrono::milliseconds(200);

Result<Peer> peer_of(int socket) {
    ucred credentials{};
    socklen_t bytes = sizeof credentials;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0)
        return io_error("SO_PEERCRED", errno);
    return Peer{credentials.uid, credentials.gid, credentials.pid};
}

// Sends one event and closes, for a connection that never becomes a session.
void refuse(Fd socket, uid_t uid, const Error& error) {
    wire::FrameHeader header;
    header.type = wire::MessageType::Event;
    header.status = error.status;
    header.deadline_ns = error.retry_after_ns;
    wire::ByteBuffer bytes;
    wire::encode_frame(header, error, bytes);
    (void)::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    close_connection(std::move(socket), uid);
}

}  // namespace

Acceptor::Acceptor(boost::asio::io_context& io, SessionServices& services, std::function<void(Error)> fail)
    : services_(services), fail_(std::move(fail)), socket_(io), pause_(io) {}

void Acceptor::start(Fd listener) {
    socket_.assign(boost::asio::local::stream_protocol(), listener.release());
    wait();
}

void Acceptor::stop() {
    stopped_ = true;
    boost::system::error_code ignored;
    socket_.close(ignored);
    pause_.cancel();
}

void Acceptor::wait() {
    socket_.async_wait(boost::asio::socket_base::wait_read, [this](const boost::system::error_code& error) {
        if (!error && !stopped_) accept_some();
    });
}

void Acceptor::accept_some() {
    const TimePoint end = Clock::now() + std::chrono::nanoseconds(Turns::kTurnNs);
    for (TimePoint begin; (begin = Clock::now()) < end;) {
        Fd socket(::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (socket) {
            welcome(std::move(socket), begin);
            continue;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) break;
        if (errno == EINTR || errno == ECONNABORTED) continue;
        if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
            return fail_(io_error("accept", errno));
        // The connection stays in the queue until a descriptor may be free.
        pause_.expires_after(kAcceptPause);
        pause_.async_wait([this](const boost::system::error_code& error) {
            if (!error && !stopped_) accept_some();
        });
        return;
    }
    wait();
}

// Refuses a user with too many descriptors that wait to be closed.
Result<void> Acceptor::admit(uid_t uid) {
    if (foreign_waiting(uid) > kMaxForeign)
        return field_error(Status::OverQuota, "descriptors",
                           "at most " + std::to_string(kMaxForeign) + " that wait to be closed",
                           "too many descriptors of this user, which are no memfds, wait to be closed");
    services_.connections.unread.poll();
    return services_.quotas.open_connection(uid);
}

// A refused connection also counts as work of its user.
void Acceptor::welcome(Fd socket, TimePoint begin) {
    Result<Peer> peer = peer_of(socket.get());
    const uid_t uid = peer ? peer->uid : 0;
    welcome(std::move(socket), std::move(peer));
    const TimePoint end = Clock::now();
    services_.connections.turns.spend(uid, nanoseconds(end - begin), end);
}

void Acceptor::welcome(Fd socket, Result<Peer> peer) {
    Statistics& statistics = services_.record.statistics;
    ++statistics.connections_total;
    Result<void> admitted = peer ? admit(peer->uid) : Result<void>(peer.error());
    if (!admitted) {
        ++statistics.closed[static_cast<std::size_t>(CloseReason::Refused)];
        return refuse(std::move(socket), peer ? peer->uid : 0, admitted.error());
    }
    std::shared_ptr<Session> session;
    try {
        session =
            std::make_shared<Session>(services_, std::move(socket), *peer, services_.sessions.next_number());
        services_.sessions.add(session);
    } catch (const std::exception&) {  // out of memory: only this connection ends
        return services_.quotas.close_connection(peer->uid);
    }
    session->guarded([&] { session->start(); });
}

}  // namespace tegu::daemon
