// SPDX-License-Identifier: Apache-2.0
// Fuzzes the client library with a hostile daemon. The linker puts the functions here in the place of
// connect(), sendmsg(), recvmsg() and ppoll() (--wrap), so all happens in this process: one caller goes
// through everything that tegu.h offers, and the input is what the daemon sends. Bit 0 of the first byte: raw
// bytes; else records, of which each becomes one frame that answers what was asked (see Record). Checked:
// what the client sends are frames; what it gives to the caller can be read to the end; no descriptor is left
// open.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "client/tegu.h"
#include "tests/fuzz.h"
#include "wire/frame.h"
#include "wire/messages.h"

namespace {

using namespace tegu;
using tegu::fuzz::require;

// Six bytes and the body of a reply.
struct Record {
    std::uint8_t asked;  // counts back from the last request: what it answers; from 0xf0 on an event
    std::uint8_t status;
    std::uint8_t
        descriptor;          // 0: none; 1: a good one; 2: the wrong one; 3: said, not sent; 4: sent, not said
    std::uint8_t cut;        // bytes that are left out of the frame's end
    std::uint8_t low, high;  // of the body's length
};

// The daemon's side.
struct Daemon {
    const std::uint8_t* at = nullptr;
    const std::uint8_t* end = nullptr;
    bool raw = false;
    wire::ByteBuffer sent;                 // by the client, not yet a whole frame
    std::vector<wire::FrameHeader> asked;  // all requests
    wire::ByteBuffer waiting;              // of a frame, not yet received
    int descriptor = -1;                   // to come with the next bytes

    void take(const msghdr& message) {
        for (std::size_t i = 0; i < message.msg_iovlen; ++i) {
            const auto* bytes = static_cast<const std::byte*>(message.msg_iov[i].iov_base);
            sent.insert(sent.end(), bytes, bytes + message.msg_iov[i].iov_len);
        }
        for (;;) {
            const wire::FrameResult found = wire::next_frame(sent, wire::kMaxBodyBytes, wire::Sender::Client);
            require(std::get_if<Error>(&found) == nullptr, "the client breaks framing");
            const auto* frame = std::get_if<wire::Frame>(&found);
            if (frame == nullptr) return;
            require(wire::check_request(frame->header).ok(), "the client sends a header that may not be");
            asked.push_back(frame->header);
            const auto consumed = static_cast<std::ptrdiff_t>(frame->consumed);
            sent.erase(sent.begin(), sent.begin() + consumed);
        }
    }

    static int open_descriptor(bool good) {
        static const int kGood = [] {
            const int fd = ::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
            require(
                ::ftruncate(fd, 1 << 16) == 0 && ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0,
                "no memfd");
            return fd;
        }();
        return ::fcntl(good ? kGood : STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    }

    void next_record() {
        Record record;
        if (static_cast<std::size_t>(end - at) < sizeof record) {
            at = end;
            return;
        }
        std::memcpy(&record, at, sizeof record);
        at += sizeof record;
        const std::size_t bytes =
            std::min<std::size_t>(record.low | record.high << 8, static_cast<std::size_t>(end - at));
        wire::FrameHeader header;
        header.type = wire::MessageType::Event;
        if (record.asked < 0xf0 && !asked.empty()) {
            const wire::FrameHeader& request = asked[asked.size() - 1 - record.asked % asked.size()];
            header.type = request.type;
            header.request_id = request.request_id;
            header.reply = true;
        }
        header.status = is_status(record.status) ? static_cast<Status>(record.status) : Status::Ok;
        header.descriptors = record.descriptor > 0 && record.descriptor < 4;
        header.body_bytes = static_cast<std::uint32_t>(bytes);
        wire::encode_header(header, waiting);
        const auto* body = reinterpret_cast<const std::byte*>(at);
        waiting.insert(waiting.end(), body, body + bytes);
        waiting.resize(waiting.size() - std::min<std::size_t>(record.cut, waiting.size() - 1));
        at += bytes;
        if (record.descriptor == 1 || record.descriptor == 2 || record.descriptor == 4)
            descriptor = open_descriptor(record.descriptor != 2);
    }

    void next() {
        if (!waiting.empty()) return;
        if (!raw) return next_record();
        const std::size_t bytes = std::min<std::size_t>(static_cast<std::size_t>(end - at), 64);
        const auto* first = reinterpret_cast<const std::byte*>(at);
        waiting.assign(first, first + bytes);
        at += bytes;
    }
};
Daemon* g_daemon = nullptr;

}  // namespace

extern "C" {

int __wrap_connect(int, const sockaddr*, socklen_t) {
    return 0;
}
int __wrap_ppoll(pollfd* entries, nfds_t count, const timespec*, const sigset_t*) {
    for (nfds_t i = 0; i < count; ++i) entries[i].revents = entries[i].events;
    return static_cast<int>(count);
}
ssize_t __wrap_sendmsg(int, const msghdr* message, int) {
    g_daemon->take(*message);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < message->msg_iovlen; ++i) bytes += message->msg_iov[i].iov_len;
    return static_cast<ssize_t>(bytes);
}
ssize_t __wrap_recvmsg(int, msghdr* message, int) {
    Daemon& daemon = *g_daemon;
    daemon.next();
    const iovec& room = message->msg_iov[0];
    const std::size_t bytes = std::min(room.iov_len, daemon.waiting.size());
    std::copy_n(daemon.waiting.data(), bytes, static_cast<std::byte*>(room.iov_base));
    daemon.waiting.erase(daemon.waiting.begin(), daemon.waiting.begin() + static_cast<std::ptrdiff_t>(bytes));
    message->msg_flags = 0;
    if (bytes == 0 || daemon.descriptor < 0) {
        message->msg_controllen = 0;
        return static_cast<ssize_t>(bytes);
    }
    cmsghdr* header = CMSG_FIRSTHDR(message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &daemon.descriptor, sizeof(int));
    message->msg_controllen = CMSG_SPACE(sizeof(int));
    daemon.descriptor = -1;
    return static_cast<ssize_t>(bytes);
}

}  // extern "C"

namespace {

void check(tegu_status status, const tegu_error& error) {
    require(status == TEGU_OK || error.status == status, "a status that is not in the error");
}

// Reads every byte of a result.
void read_result(tegu_result* result) {
    static volatile unsigned sum;
    for (std::size_t i = 0; i < tegu_result_count(result); ++i) {
        const tegu_array array = tegu_result_array(result, i);
        const std::size_t bytes = array.rows * array.cols * tegu_element_bytes(array.type);
        for (std::size_t k = 0; array.data != nullptr && k < bytes; ++k)
            sum = sum + static_cast<const unsigned char*>(array.data)[k];
    }
    require(tegu_result_policy(result) != nullptr, "a result without a policy");
    tegu_result_free(result);
}

void wait_for(tegu_client* client) {
    tegu_error error = {};
    tegu_result* result = nullptr;
    std::uint64_t id = 0;
    check(tegu_wait(client, 0, 1000, &result, &id, &error), error);
    if (result != nullptr) read_result(result);
}

void read_fields(tegu_client* client) {
    tegu_error error = {};
    tegu_fields* fields = nullptr;
    check(tegu_info(client, &fields, &error), error);
    if (fields == nullptr) return;
    std::size_t letters = 0;
    for (std::size_t i = 0; i < tegu_fields_count(fields); ++i)
        letters += std::strlen(tegu_fields_at(fields, i).name);
    require(letters < wire::kMaxBodyBytes, "names longer than a body");
    tegu_fields_free(fields);
}

void read_reports(tegu_client* client) {
    tegu_error error = {};
    char text[64];
    int state = 0;
    std::size_t bytes = 0;
    check(tegu_health(client, TEGU_HEALTH_JSON, &state, text, sizeof text, &bytes, &error), error);
    tegu_kernels* kernels = nullptr;
    check(tegu_kernels_get(client, &kernels, &error), error);
    if (kernels == nullptr) return;
    for (std::size_t i = 0; i < tegu_kernels_count(kernels); ++i)
        require(std::strlen(tegu_kernels_at(kernels, i).name) < wire::kMaxBodyBytes,
                "a name longer than a body");
    tegu_kernels_free(kernels);
}

void submit(tegu_client* client, const void* data, tegu_buffer* buffer, tegu_buffer* output) {
    tegu_error error = {};
    tegu_request request;
    tegu_request_init(&request, sizeof request, buffer == nullptr ? TEGU_REDUCE : TEGU_TOPK);
    request.type = TEGU_F32;
    request.cols = 8;
    request.inputs[0].data = data;
    request.inputs[0].buffer = buffer;
    request.output = output;
    if (buffer == nullptr) request.params.reduce.statistics = TEGU_STAT_SUM | TEGU_STAT_MAX;
    if (buffer != nullptr) request.params.topk.k = 3;
    std::uint64_t id = 0;
    check(tegu_submit(client, &request, &id, &error), error);
}

void use(tegu_client* client) {
    tegu_error error = {};
    const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    submit(client, numbers, nullptr, nullptr);
    submit(client, numbers, nullptr, nullptr);
    wait_for(client);
    wait_for(client);
    tegu_buffer* buffers[2] = {nullptr, nullptr};
    for (tegu_buffer*& buffer : buffers) {
        check(tegu_buffer_create(client, 4096, &buffer, &error), error);
        if (buffer == nullptr) break;
        std::memcpy(tegu_buffer_data(buffer), numbers, sizeof numbers);
        tegu_buffer_commit(buffer);
    }
    if (buffers[1] != nullptr) {
        submit(client, nullptr, buffers[0], buffers[1]);
        submit(client, nullptr, buffers[0], nullptr);
        wait_for(client);
        wait_for(client);
        check(tegu_buffer_freeze(buffers[0], &error), error);
    }
    check(tegu_ping(client, nullptr, &error), error);
    read_fields(client);
    read_reports(client);
    for (tegu_buffer* buffer : buffers)
        if (buffer != nullptr) tegu_buffer_free(buffer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    ::close(Daemon::open_descriptor(true));  // made before descriptors are counted
    const int before = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    ::close(before);
    Daemon daemon;
    daemon.raw = (data[0] & 1) != 0;
    daemon.at = data + 1;
    daemon.end = data + size;
    g_daemon = &daemon;
    tegu_options options;
    tegu_options_init(&options, sizeof options);
    options.reconnect_ms = 0;
    options.spin_us = 0;
    options.socket_path = "/nowhere";
    tegu_error error = {};
    tegu_client* client = nullptr;
    check(tegu_connect(&options, &client, &error), error);
    if (client != nullptr) {
        use(client);
        tegu_close(client);
    }
    if (daemon.descriptor >= 0) ::close(daemon.descriptor);
    const int after = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    ::close(after);
    require(after == before, "a descriptor is left open");
    return 0;
}
