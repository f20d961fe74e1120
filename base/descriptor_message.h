// SPDX-License-Identifier: Apache-2.0
// DescriptorMessage: the msghdr for sendmsg(2) on a Unix socket, with an optional descriptor. Header only,
// because it is filled for every message of a job.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstring>

namespace tegu {

class DescriptorMessage {
  public:
    // `parts` outlive the message. `fd` stays owned by the caller and open until the message is sent; -1:
    // none.
    DescriptorMessage(const iovec* parts, std::size_t count, int fd) {
        message_.msg_iov = const_cast<iovec*>(parts);  // sendmsg does not write to them
        message_.msg_iovlen = count;
        if (fd < 0) return;
        std::memset(control_, 0, sizeof control_);
        message_.msg_control = control_;
        message_.msg_controllen = sizeof control_;
        cmsghdr* header = CMSG_FIRSTHDR(&message_);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof fd);
        std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    DescriptorMessage(const DescriptorMessage&) = delete;
    DescriptorMessage& operator=(const DescriptorMessage&) = delete;

    // The destination, for a socket that is not connected. `address` outlives the message.
    void set_address(const sockaddr* address, socklen_t bytes) {
        message_.msg_name = const_cast<sockaddr*>(address);
        message_.msg_namelen = bytes;
    }
    const msghdr* get() const { return &message_; }

  private:
    msghdr message_{};
    alignas(cmsghdr) char control_[CMSG_SPACE(sizeof(int))];
};

}  // namespace tegu
