// SPDX-License-Identifier: Apache-2.0
// The server's part in connections that begin: who may open one, and what it costs the user's turn. At most
// one turn's worth of them is accepted before the io thread looks at all others again.
#include <sys/socket.h>

#include <cerrno>
#include <new>

#include "daemon/buffers/foreign_fd.h"
#include "daemon/server.h"
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

// One event and the end: for connections that never become a session.
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

void Server::wait_for_connections() {
    acceptor_.async_wait(boost::asio::socket_base::wait_read, [this](const boost::system::error_code& error) {
        if (error || stopping_) return;
        accept_connections();
    });
}

void Server::accept_connections() {
    const TimePoint end = Clock::now() + std::chrono::nanoseconds(Turns::kTurnNs);
    for (TimePoint begin; (begin = Clock::now()) < end;) {
        Fd socket(::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (socket) {
            welcome(std::move(socket), begin);
            continue;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) break;
        if (errno == EINTR || errno == ECONNABORTED) continue;
        if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
            return fail(io_error("accept", errno), Status::ShuttingDown);
        // The connection stays in the queue: look again when some descriptor may be free, not at once and for
        // ever.
        accept_pause_.expires_after(kAcceptPause);
        accept_pause_.async_wait([this](const boost::system::error_code& error) {
            if (!error && !stopping_) accept_connections();
        });
        return;
    }
    wait_for_connections();
}

// A user whose descriptors nobody can close in time brings no more of them.
Result<void> Server::admit(uid_t uid) {
    if (foreign_waiting(uid) > kMostForeign)
        return field_error(Status::OverQuota, "descriptors",
                           "at most " + std::to_string(kMostForeign) + " that wait to be closed",
                           "too many descriptors of this user, which are no memfds, wait to be closed");
    shared_.unread.look();
    return quotas_.open_connection(uid);
}

// A connection that is not admitted counts as work of its user, too.
void Server::welcome(Fd socket, TimePoint begin) {
    Result<Peer> peer = peer_of(socket.get());
    const uid_t uid = peer ? peer->uid : 0;
    welcome(std::move(socket), std::move(peer));
    const TimePoint end = Clock::now();
    shared_.turns.spend(uid, nanoseconds(end - begin), end);
}

void Server::welcome(Fd socket, Result<Peer> peer) {
    ++statistics_.connections_total;
    Result<void> admitted = peer ? admit(peer->uid) : Result<void>(peer.error());
    if (!admitted) {
        ++statistics_.closed[static_cast<std::size_t>(CloseReason::Refused)];
        return refuse(std::move(socket), peer ? peer->uid : 0, admitted.error());
    }
    std::shared_ptr<Session> session;
    try {
        session = std::make_shared<Session>(*this, std::move(socket), *peer, ++last_session_);
        sessions_.emplace(session->number(), session);
    } catch (const std::
                 exception&) {  // no memory, or no room in the reactor: this connection ends, the others live
        quotas_.close_connection(peer->uid);
        return;
    }
    session->guarded([&] { session->start(); });
}

}  // namespace tegu::daemon
