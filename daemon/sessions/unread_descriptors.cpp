// SPDX-License-Identifier: Apache-2.0
#include "daemon/sessions/unread_descriptors.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <exception>

#include "daemon/buffers/foreign_fd.h"
#include "daemon/buffers/quota.h"

namespace tegu::daemon {

bool has_unread(int socket) {
    int bytes = 0;
    return ::ioctl(socket, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

UnreadDescriptors::~UnreadDescriptors() {
    for (auto& each : kept_) close_connection(std::move(each.first), each.second);
}

void UnreadDescriptors::keep(Fd socket, uid_t uid) noexcept {
    try {
        kept_.emplace_back(Fd(), uid);
    } catch (const std::exception&) {
        return close_connection(std::move(socket), uid);
    }
    (void)::shutdown(socket.get(), SHUT_RDWR);
    kept_.back().first = std::move(socket);
    quotas_.hold_connection(uid);
}

void UnreadDescriptors::poll() {
    for (auto it = kept_.begin(); it != kept_.end();) {
        if (has_unread(it->first.get())) {
            ++it;
            continue;
        }
        close_connection(std::move(it->first), it->second);
        quotas_.close_connection(it->second);
        it = kept_.erase(it);
    }
}

}  // namespace tegu::daemon
