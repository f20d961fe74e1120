// SPDX-License-Identifier: Apache-2.0
#include "daemon/sessions/reply_queue.h"

#include <sys/socket.h>

#include <cerrno>

#include "base/descriptor_message.h"
#include "daemon/sessions/unread_descriptors.h"

namespace tegu::daemon {
namespace {

constexpr std::size_t kKeptCapacity = 256 * 1024;  // an idle connection keeps no more than this of a burst

ssize_t send_bytes(int socket, const std::byte* data, std::size_t bytes, int fd) {
    if (fd < 0) return ::send(socket, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    const iovec part{const_cast<std::byte*>(data), bytes};  // sendmsg does not write to it
    return ::sendmsg(socket, DescriptorMessage(&part, 1, fd).get(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

void ReplyQueue::attach_descriptor(std::size_t header, int fd, std::shared_ptr<const void> keep) {
    attached_.push_back({header, fd, std::move(keep)});
}

std::size_t ReplyQueue::unread_descriptors(int socket) {
    if (descriptors_sent_ != 0 && !has_unread(socket)) descriptors_sent_ = 0;
    return descriptors_sent_ + attached_.size();
}

ReplyQueue::Progress ReplyQueue::send(int socket, std::size_t* bytes) {
    *bytes = 0;
    while (sent_ < out_.size()) {
        // A header with a descriptor goes out by itself, so that the receiver finds the descriptor with its
        // first byte.
        std::size_t end = out_.size();
        int fd = -1;
        if (!attached_.empty()) {
            const bool now = attached_.front().at == sent_;
            end = now ? sent_ + wire::kHeaderBytes : attached_.front().at;
            if (now) fd = attached_.front().fd;
        }
        const ssize_t sent = send_bytes(socket, out_.data() + sent_, end - sent_, fd);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) {
            drop_sent();
            if (errno == EAGAIN || errno == EWOULDBLOCK) return Progress::Blocked;
            return errno == EPIPE || errno == ECONNRESET ? Progress::PeerGone : Progress::Failed;
        }
        if (fd >= 0) {
            attached_.pop_front();
            ++descriptors_sent_;
        }
        sent_ += static_cast<std::size_t>(sent);
        *bytes += static_cast<std::size_t>(sent);
    }
    drop_sent();
    return Progress::Done;
}

void ReplyQueue::drop_sent() {
    if (sent_ == out_.size()) {
        out_.clear();
        if (out_.capacity() > kKeptCapacity) wire::ByteBuffer().swap(out_);
        sent_ = 0;
    } else if (sent_ > out_.size() / 2) {
        out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent_));
        for (Attached& attached : attached_) attached.at -= sent_;
        sent_ = 0;
    }
}

}  // namespace tegu::daemon
