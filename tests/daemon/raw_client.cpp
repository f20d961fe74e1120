// SPDX-License-Identifier: Apache-2.0
#include "tests/daemon/raw_client.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace tegu::test {
namespace {

constexpr int kTimeoutMs = 60000;  // for a machine that is busy

}  // namespace

RawClient::RawClient(const std::string& path, bool say_hello)
    : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    EXPECT_EQ(0, ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address))
        << path << ": " << std::strerror(errno);
    if (!say_hello) return;
    wire::HelloRequest request;
    request.name = "raw";
    const std::uint64_t id = send_message(wire::MessageType::Hello, request);
    const Message answer = reply_to(id);
    EXPECT_EQ(Status::Ok, answer.header.status);
    Result<wire::HelloReply> decoded = wire::decode_hello_reply(answer.body);
    EXPECT_TRUE(decoded.ok());
    if (decoded) hello = *decoded;
    hello.server = {};  // points into the message
}

void RawClient::send_bytes(const void* data, std::size_t bytes, int fd) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
        iovec part{const_cast<char*>(at), bytes};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        if (fd >= 0) {
            message.msg_control = control;
            message.msg_controllen = sizeof control;
            cmsghdr* header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(sizeof(int));
            std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
        }
        const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
        if (sent < 0) return;  // the daemon closed: the test sees it when it reads
        fd = -1;
        at += sent;
        bytes -= static_cast<std::size_t>(sent);
    }
}

std::uint64_t RawClient::send(wire::FrameHeader header, const wire::ByteBuffer& body, int fd) {
    if (header.request_id == 0) header.request_id = ++last_id_;
    header.descriptors = fd >= 0 ? 1 : header.descriptors;
    header.body_bytes = static_cast<std::uint32_t>(body.size());
    wire::ByteBuffer bytes;
    wire::encode_header(header, bytes);
    if (fd >= 0) {
        send_bytes(bytes.data(), bytes.size(), fd);
        send_bytes(body.data(), body.size());
    } else {
        bytes.insert(bytes.end(), body.begin(), body.end());
        send_bytes(bytes.data(), bytes.size());
    }
    return header.request_id;
}

std::uint64_t RawClient::send(wire::MessageType type, const wire::ByteBuffer& body, int fd) {
    wire::FrameHeader header;
    header.type = type;
    return send(header, body, fd);
}

std::uint64_t RawClient::send_job(const wire::JobRequest& request, wire::Priority priority,
                                  std::uint64_t deadline_ns) {
    wire::FrameHeader header;
    header.type = wire::MessageType::Job;
    header.priority = priority;
    header.deadline_ns = deadline_ns;
    wire::ByteBuffer body;
    wire::encode(request, body);
    return send(header, body);
}

bool RawClient::fill() {
    pollfd poll_fd{socket_.get(), POLLIN, 0};
    if (::poll(&poll_fd, 1, kTimeoutMs) <= 0) return false;
    std::byte area[65536];
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 16)];
    iovec part{area, sizeof area};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
    if (got <= 0) return false;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_type != SCM_RIGHTS) continue;
        for (std::size_t i = 0; i < (header->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
            fds_.emplace_back(fd);
        }
    }
    received_.insert(received_.end(), area, area + got);
    return true;
}

std::optional<Message> RawClient::receive() {
    for (;;) {
        wire::FrameResult result = wire::next_frame(received_, wire::kMaxBodyBytes, wire::Sender::Daemon);
        if (const Error* error = std::get_if<Error>(&result)) {
            ADD_FAILURE() << "the daemon's framing is broken: " << error->message;
            return std::nullopt;
        }
        if (const wire::Frame* frame = std::get_if<wire::Frame>(&result)) {
            Message message;
            message.header = frame->header;
            message.body.assign(frame->body.begin(), frame->body.end());
            received_.erase(received_.begin(),
                            received_.begin() + static_cast<std::ptrdiff_t>(frame->consumed));
            if (message.header.descriptors > 0) {
                EXPECT_FALSE(fds_.empty());
                if (!fds_.empty()) {
                    message.fd = std::move(fds_.front());
                    fds_.erase(fds_.begin());
                }
            }
            return message;
        }
        if (!fill()) return std::nullopt;
    }
}

Message RawClient::reply_to(std::uint64_t id) {
    for (auto it = kept_.begin(); it != kept_.end(); ++it) {
        if (it->header.request_id != id) continue;
        Message message = std::move(*it);
        kept_.erase(it);
        return message;
    }
    while (std::optional<Message> message = receive()) {
        if (message->header.request_id == id) return std::move(*message);
        kept_.push_back(std::move(*message));
    }
    ADD_FAILURE() << "no reply to request " << id;
    return Message{};
}

bool RawClient::at_end() {
    while (fill()) {
    }
    char byte = 0;
    return ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
}

Error error_of(const Message& message) {
    return wire::decode_error(message.header, message.body);
}

namespace {

std::optional<wire::FieldValue> find_field(const Message& message, const std::string& name) {
    Result<std::vector<wire::Field>> fields = wire::decode_fields(message.body);
    if (!fields) return std::nullopt;
    for (wire::Field& each : *fields)
        if (each.name == name) return each.value;
    return std::nullopt;
}

}  // namespace

double field(const Message& message, const std::string& name) {
    const std::optional<wire::FieldValue> value = find_field(message, name);
    if (!value) return -1;
    if (const auto* number = std::get_if<std::uint64_t>(&*value)) return static_cast<double>(*number);
    if (const auto* number = std::get_if<double>(&*value)) return *number;
    return -1;
}

std::string text_field(const Message& message, const std::string& name) {
    const std::optional<wire::FieldValue> value = find_field(message, name);
    const auto* text = value ? std::get_if<std::string>(&*value) : nullptr;
    return text != nullptr ? *text : "?";
}

Bytes bytes_of(const std::vector<float>& values) {
    return Bytes(reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(float));
}

wire::JobRequest reduce_request(const std::vector<float>& values, StatisticSet statistics) {
    wire::JobRequest request;
    request.job.type = ElementType::F32;
    request.job.cols = values.size();
    ReduceParams params;
    params.statistics = statistics;
    request.job.params = params;
    request.data = bytes_of(values);
    return request;
}

Fd make_client_memfd(std::uint64_t bytes, bool sealable, bool whole) {
    constexpr unsigned kCloexec = 1, kAllowSealing = 2;
    Fd fd(static_cast<int>(::syscall(SYS_memfd_create, "test", kCloexec | (sealable ? kAllowSealing : 0))));
    EXPECT_TRUE(fd.valid());
    EXPECT_EQ(0, ::ftruncate(fd.get(), static_cast<off_t>(bytes)));
    if (whole) {
        EXPECT_EQ(0, ::fallocate(fd.get(), 0, 0, static_cast<off_t>(bytes)));
    }
    return fd;
}

}  // namespace tegu::test
