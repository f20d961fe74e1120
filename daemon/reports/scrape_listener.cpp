// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/scrape_listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "config/listen_address.h"

namespace tegu::daemon {
namespace {

constexpr int kBacklog = 16;  // scrapes come one at a time

union SocketAddress {
    sockaddr generic;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_un local;
};

Error bind_error(const std::string& listen, int os_code) {
    const Error cause = io_error("", os_code);
    std::string message = "metrics.listen " + listen + ": " + std::strerror(os_code);
    if (os_code == EAFNOSUPPORT || os_code == EADDRNOTAVAIL)
        message += " (under systemd the unit tegud-metrics.socket makes this socket)";
    return field_error(os_code == EADDRINUSE ? Status::Unavailable : cause.status, "metrics.listen", "",
                       std::move(message));
}

socklen_t fill(const config::ListenAddress& from, SocketAddress& to) {
    if (from.is_ipv6) {
        to.v6.sin6_family = AF_INET6;
        to.v6.sin6_port = htons(from.port);
        (void)::inet_pton(AF_INET6, from.host.c_str(), &to.v6.sin6_addr);
        return sizeof to.v6;
    }
    to.v4.sin_family = AF_INET;
    to.v4.sin_port = htons(from.port);
    (void)::inet_pton(AF_INET, from.host.c_str(), &to.v4.sin_addr);
    return sizeof to.v4;
}

Result<Listener> bind_tcp(const std::string& listen, const config::ListenAddress& wanted) {
    SocketAddress address{};
    const socklen_t bytes = fill(wanted, address);
    Fd fd(::socket(address.generic.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return bind_error(listen, errno);
    const int on = 1;
    (void)::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (wanted.is_ipv6) (void)::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (::bind(fd.get(), &address.generic, bytes) != 0 || ::listen(fd.get(), kBacklog) != 0)
        return bind_error(listen, errno);
    return Listener{std::move(fd), listen, false, 0, 0};
}

std::string host_text(int family, const void* number) {
    char text[INET6_ADDRSTRLEN] = "?";
    (void)::inet_ntop(family, number, text, sizeof text);
    return text;
}

}  // namespace

Result<Listener> bind_scrape_listener(const config::Settings::Metrics& settings) {
    const std::optional<config::ListenAddress> address = config::parse_listen_address(settings.listen);
    if (!address) return field_error(Status::BadRange, "metrics.listen", "", "metrics.listen is no address");
    if (address->path.empty()) return bind_tcp(settings.listen, *address);
    Result<Listener> bound = bind_listener({address->path, static_cast<unsigned>(settings.mode), kBacklog});
    if (bound) return bound;
    Error error = std::move(bound).error();
    error.message = "metrics.listen: " + error.message;
    return error;
}

std::string listening_address(int fd) {
    SocketAddress address{};
    socklen_t bytes = sizeof address;
    if (::getsockname(fd, &address.generic, &bytes) != 0) return "?";
    switch (address.generic.sa_family) {
        case AF_INET:
            return host_text(AF_INET, &address.v4.sin_addr) + ":" +
                   std::to_string(ntohs(address.v4.sin_port));
        case AF_INET6:
            return "[" + host_text(AF_INET6, &address.v6.sin6_addr) +
                   "]:" + std::to_string(ntohs(address.v6.sin6_port));
        case AF_UNIX: break;
        default: return "?";
    }
    const std::size_t start = offsetof(sockaddr_un, sun_path);
    if (bytes <= start) return "?";
    return std::string(address.local.sun_path, ::strnlen(address.local.sun_path, bytes - start));
}

}  // namespace tegu::daemon
