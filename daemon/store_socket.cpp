// SPDX-License-Identifier: Apache-2.0
#include "daemon/store_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace tegu::daemon {
namespace {

constexpr std::size_t kMaxNameBytes = 255;

}  // namespace

bool is_store_name(const std::string& name) {
    return !name.empty() && name.size() <= kMaxNameBytes &&
           std::all_of(name.begin(), name.end(), [](char c) { return c > 0x20 && c < 0x7f && c != ':'; });
}

Result<StoreSocket> StoreSocket::open(const std::string& address) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    if (address.size() < 2 || address.size() >= sizeof to.sun_path || (address[0] != '/' && address[0] != '@'))
        return bad_range("NOTIFY_SOCKET", "an absolute path, or @ and a name",
                         "$NOTIFY_SOCKET is no address of a socket");
    std::memcpy(to.sun_path, address.data(), address.size());
    if (address[0] == '@') to.sun_path[0] = '\0';
    Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return io_error("socket", errno);
    const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), bytes) != 0)
        return io_error("the socket of the service manager cannot be reached", errno);
    return StoreSocket(std::move(fd));
}

Result<StoreSocket::Sent> StoreSocket::store(const std::string& name, int fd, bool polled) {
    assert(is_store_name(name));
    return send("FDSTORE=1\nFDNAME=" + name + (polled ? "" : "\nFDPOLL=0"), fd);
}

Result<StoreSocket::Sent> StoreSocket::remove(const std::string& name) {
    assert(is_store_name(name));
    return send("FDSTOREREMOVE=1\nFDNAME=" + name, -1);
}

Result<StoreSocket::Sent> StoreSocket::barrier(int fd) {
    return send("BARRIER=1", fd);
}

Result<StoreSocket::Sent> StoreSocket::send(const std::string& text, int fd) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    iovec part{const_cast<char*>(text.data()), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (fd >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof fd);
        std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    for (;;) {
        if (::sendmsg(fd_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return Sent::Yes;
        if (errno == EINTR) continue;
        // ETOOMANYREFS: more descriptors of this user are on their way than one process may have.
        if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ENOMEM || errno == ETOOMANYREFS)
            return Sent::Later;
        return io_error("the service manager cannot be told", errno);
    }
}

}  // namespace tegu::daemon
