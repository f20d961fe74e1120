// SPDX-License-Identifier: Apache-2.0
#include "daemon/service/manager_socket.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/descriptor_message.h"

namespace tegu::daemon {
namespace {

Fd datagram_socket() {
    return Fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

}  // namespace

Result<ManagerSocket> ManagerSocket::open(const std::string& address) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    if (address.size() < 2 || address.size() >= sizeof to.sun_path ||
        (address[0] != '/' && address[0] != '@'))
        return bad_range(
            "NOTIFY_SOCKET",
            "an absolute path, or @ and a name, of 2 to " + std::to_string(sizeof to.sun_path - 1) + " bytes",
            "$NOTIFY_SOCKET is no address of a socket");
    std::memcpy(to.sun_path, address.data(), address.size());
    if (address[0] == '@') to.sun_path[0] = '\0';
    ManagerSocket socket(datagram_socket());
    if (!socket.fd_) return io_error("socket", errno);
    socket.address_ = to;
    socket.address_bytes_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
    return socket;
}

Result<void> ManagerSocket::check() const {
    const Fd trial = datagram_socket();
    if (!trial) return io_error("socket", errno);
    if (::connect(trial.get(), address(), address_bytes_) != 0)
        return io_error("the socket of the service manager cannot be reached", errno);
    return {};
}

ManagerSocket::Sent ManagerSocket::send(const std::string& text, int fd) const {
    const iovec part{const_cast<char*>(text.data()), text.size()};  // sendmsg does not write to it
    DescriptorMessage message(&part, 1, fd);
    message.set_address(address(), address_bytes_);
    ssize_t sent;
    do sent = ::sendmsg(fd_.get(), message.get(), MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent >= 0) return Sent::Yes;
    // ETOOMANYREFS: too many descriptors of this user are in flight.
    const bool full = errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ENOMEM ||
                      errno == ETOOMANYREFS;
    return full ? Sent::Later : Sent::Never;
}

}  // namespace tegu::daemon
