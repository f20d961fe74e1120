// SPDX-License-Identifier: Apache-2.0
#include "daemon/store/store_socket.h"

#include <algorithm>
#include <cassert>
#include <cerrno>

namespace tegu::daemon {
namespace {

constexpr std::size_t kMaxNameBytes = 255;

}  // namespace

bool is_store_name(const std::string& name) {
    return !name.empty() && name.size() <= kMaxNameBytes &&
           std::all_of(name.begin(), name.end(), [](char c) { return c > 0x20 && c < 0x7f && c != ':'; });
}

Result<StoreSocket> StoreSocket::open(const std::string& address) {
    Result<ManagerSocket> socket = ManagerSocket::open(address);
    if (!socket) return std::move(socket).error();
    Result<void> reached = socket->check();
    if (!reached) return std::move(reached).error();
    return StoreSocket(std::move(*socket));
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
    switch (socket_.send(text, fd)) {
        case ManagerSocket::Sent::Yes: return Sent::Yes;
        case ManagerSocket::Sent::Later: return Sent::Later;
        case ManagerSocket::Sent::Never: break;
    }
    return io_error("the service manager cannot be told", errno);
}

}  // namespace tegu::daemon
