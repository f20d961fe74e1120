// SPDX-License-Identifier: Apache-2.0
#include "client/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor_message.h"
#include "client/connect_failure.h"

namespace tegu::clientlib {
namespace {

constexpr std::size_t kFrameBytes = wire::kHeaderBytes + wire::kMaxBodyBytes;
constexpr std::size_t kBufferBytes = 2 * kFrameBytes;
constexpr std::size_t kDescriptorsKept = 4;
constexpr nanoseconds kShortestTimeout = milliseconds(2);  // shorter waits use poll, whose clock is finer

Error lost(const std::string& why) {
    return make_error(Status::Unavailable, why);
}

timeval to_timeval(nanoseconds time) {
    timeval value;
    value.tv_sec = static_cast<time_t>(time.count() / 1000000000);
    value.tv_usec = static_cast<suseconds_t>(time.count() % 1000000000 / 1000);
    return value;
}

Result<sockaddr_un> address_of(const std::string& path) {
    sockaddr_un address;
    std::memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path || path.find('\0') != std::string::npos)
        return field_error(Status::BadRequest, "socket_path",
                           "1.." + std::to_string(sizeof address.sun_path - 1) + " bytes",
                           "the path of the socket has " + std::to_string(path.size()) + " bytes");
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

Result<void> check_server(int socket, std::int64_t server_uid) {
    if (server_uid < 0) return {};
    ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return io_error("SO_PEERCRED", errno);
    if (peer.uid == static_cast<std::uint64_t>(server_uid)) return {};
    return field_error(Status::Denied, "server_uid", std::to_string(server_uid),
                       "the socket belongs to user " + std::to_string(peer.uid));
}

// The largest power of two not above `time`, so that waits of similar length need no new timeout.
nanoseconds rounded_down(nanoseconds time) {
    nanoseconds step(1);
    while (step <= time / 2) step *= 2;
    return step;
}

}  // namespace

Channel::Channel(Fd socket) : socket_(std::move(socket)), buffer_(new std::byte[kBufferBytes]) {}

Result<Channel> Channel::connect(const std::string& path, std::int64_t server_uid, TimePoint deadline) {
    Result<sockaddr_un> address = address_of(path);
    if (!address) return std::move(address).error();
    Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) return io_error("socket", errno);
    // A full backlog blocks connect, at most until the deadline.
    const timeval limit = to_timeval(std::max<nanoseconds>(deadline - Clock::now(), milliseconds(1)));
    if (setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0)
        return io_error("SO_SNDTIMEO", errno);
    int failed;
    do failed = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address);
    while (failed != 0 && errno == EINTR && Clock::now() < deadline);
    if (failed != 0) return connect_failure(path, errno);
    if (auto checked = check_server(socket.get(), server_uid); !checked) return std::move(checked).error();
    return Channel(std::move(socket));
}

Result<std::size_t> Channel::send(const iovec* parts, std::size_t count, int fd) {
    const DescriptorMessage message(parts, count, fd);
    for (;;) {
        const ssize_t sent = sendmsg(socket_.get(), message.get(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) return static_cast<std::size_t>(sent);
        if (errno == EAGAIN || errno == EWOULDBLOCK) return std::size_t{0};
        if (errno != EINTR)
            return lost(std::string("the connection to the daemon is lost: ") + std::strerror(errno));
    }
}

bool Channel::set_receive_timeout(nanoseconds timeout) {
    if (timeout == receive_timeout_) return true;
    const timeval value = to_timeval(timeout);
    if (setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value) != 0) return false;
    receive_timeout_ = timeout;
    return true;
}

// True if there is something to read.
Result<bool> Channel::wait_poll(TimePoint deadline, bool or_writable) {
    pollfd entry{socket_.get(), static_cast<short>(or_writable ? POLLIN | POLLOUT : POLLIN), 0};
    const timespec* limit = nullptr;
    timespec left;
    if (deadline != TimePoint::max()) {
        const nanoseconds time = std::max<nanoseconds>(deadline - Clock::now(), nanoseconds(0));
        left.tv_sec = static_cast<time_t>(time.count() / 1000000000);
        left.tv_nsec = static_cast<long>(time.count() % 1000000000);
        limit = &left;
    }
    const int ready = ppoll(&entry, 1, limit, nullptr);
    if (ready < 0 && errno != EINTR) return io_error("ppoll", errno);
    return ready > 0 && (entry.revents & ~POLLOUT) != 0;
}

Result<bool> Channel::receive(TimePoint deadline, bool or_writable) {
    if (begin_ == end_) {
        begin_ = end_ = 0;
    } else if (kBufferBytes - begin_ < kFrameBytes) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (!or_writable) {
        if (deadline == TimePoint::max())
            return receive_some(set_receive_timeout(nanoseconds(0)) ? 0 : MSG_DONTWAIT);
        const nanoseconds left = deadline - Clock::now();
        if (left <= nanoseconds(0)) return receive_some(MSG_DONTWAIT);
        if (left >= kShortestTimeout && set_receive_timeout(rounded_down(left))) {
            Result<bool> received = receive_some(0);
            if (!received || *received) return received;
        }
    }
    Result<bool> readable = wait_poll(deadline, or_writable);
    if (!readable || !*readable) return readable;
    return receive_some(MSG_DONTWAIT);
}

Result<bool> Channel::receive_some(int flags) {
    iovec part{buffer_.get() + end_, kBufferBytes - end_};
    alignas(cmsghdr) char control[CMSG_SPACE(kDescriptorsKept * sizeof(int))];
    descriptors_.reserve(2 * kDescriptorsKept);  // before one arrives that would not fit
    msghdr message;
    std::memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t received = recvmsg(socket_.get(), &message, flags | MSG_CMSG_CLOEXEC);
    if (received < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return false;
        return lost(std::string("the connection to the daemon is lost: ") + std::strerror(errno));
    }
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= header->cmsg_len; at += sizeof(int)) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(header) + (at - CMSG_LEN(0)), sizeof fd);
            descriptors_.emplace_back(fd);
        }
    }
    if ((message.msg_flags & MSG_CTRUNC) != 0 || descriptors_.size() > kDescriptorsKept)
        return lost("the daemon sent more descriptors than it may, or this process cannot open more");
    if (received == 0) return lost("the daemon closed the connection");
    end_ += static_cast<std::size_t>(received);
    return true;
}

Result<std::optional<wire::Frame>> Channel::next_frame() {
    wire::FrameResult found = wire::next_frame(Bytes(buffer_.get() + begin_, end_ - begin_),
                                               wire::kMaxBodyBytes, wire::Sender::Daemon);
    if (auto* error = std::get_if<Error>(&found)) return std::move(*error);
    auto* frame = std::get_if<wire::Frame>(&found);
    if (frame == nullptr) {
        if (begin_ == end_) descriptors_.clear();  // none of the frames used them
        return std::optional<wire::Frame>();
    }
    begin_ += frame->consumed;
    return std::optional<wire::Frame>(*frame);
}

Fd Channel::take_descriptor() {
    if (descriptors_.empty()) return Fd();
    Fd first = std::move(descriptors_.front());
    descriptors_.erase(descriptors_.begin());
    return first;
}

}  // namespace tegu::clientlib
