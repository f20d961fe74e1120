// SPDX-License-Identifier: Apache-2.0
// The fake server: frames in and out, the buffers that clients register, and the jobs that it computes.
#include "tests/client/fake_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace tegu::test {
namespace {

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address;
    std::memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
    return address;
}

double element(ElementType type, const std::byte* from) {
    return visit_element_type(type, [from](auto value) {
        std::memcpy(&value, from, sizeof value);
        if constexpr (std::is_same_v<decltype(value), Half>)
            return static_cast<double>(half_to_float(value));
        else
            return static_cast<double>(value);
    });
}

}  // namespace

std::optional<Request> Connection::read() {
    for (;;) {
        wire::FrameResult found =
            wire::next_frame(Bytes(received_), wire::kMaxBodyBytes, wire::Sender::Client);
        if (auto* error = std::get_if<Error>(&found)) {
            ADD_FAILURE() << "the client broke framing: " << error->message;
            return std::nullopt;
        }
        if (auto* frame = std::get_if<wire::Frame>(&found)) {
            Request request{frame->header, {frame->body.begin(), frame->body.end()}, Fd()};
            EXPECT_TRUE(wire::check_request(frame->header));
            if (frame->header.descriptors != 0 && !descriptors_.empty()) {
                request.descriptor = std::move(descriptors_.front());
                descriptors_.erase(descriptors_.begin());
            }
            received_.erase(received_.begin(),
                            received_.begin() + static_cast<std::ptrdiff_t>(frame->consumed));
            return request;
        }
        if (!socket_) return std::nullopt;
        std::byte chunk[65536];
        iovec part{chunk, sizeof chunk};
        alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))];
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        const ssize_t got = recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
        if (got <= 0) return std::nullopt;
        for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
             header = CMSG_NXTHDR(&message, header)) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
            descriptors_.emplace_back(fd);
        }
        received_.insert(received_.end(), chunk, chunk + got);
    }
}

bool Connection::send(const std::vector<std::byte>& bytes, int fd) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        iovec part{const_cast<std::byte*>(bytes.data()) + done, bytes.size() - done};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
        if (fd >= 0 && done == 0) {
            message.msg_control = control;
            message.msg_controllen = sizeof control;
            cmsghdr* header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(sizeof fd);
            std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
        }
        const ssize_t sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        done += static_cast<std::size_t>(sent);
    }
    return true;
}

bool Connection::send_text(const std::string& bytes) {
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    return send({first, first + bytes.size()});
}

wire::FrameHeader Connection::answer_to(const Request& request, Status status, int fd) {
    wire::FrameHeader header;
    header.type = request.header.type;
    header.reply = true;
    header.request_id = request.header.request_id;
    header.status = status;
    header.descriptors = fd >= 0 ? 1 : 0;
    return header;
}

bool Connection::reply_empty(const Request& request) {
    wire::ByteBuffer out;
    wire::end_frame(answer_to(request, Status::Ok, -1), wire::begin_frame(out), out);
    return send(out);
}

bool Connection::fail(const Request& request, Status status, std::uint64_t retry_after_ns) {
    wire::FrameHeader header = answer_to(request, status, -1);
    header.deadline_ns = retry_after_ns;
    wire::ByteBuffer out;
    wire::encode_frame(header, field_error(status, "a_field", "1..2", "the fake server says no"), out);
    return send(out);
}

bool Connection::event(Status status) {
    wire::FrameHeader header;
    header.status = status;
    wire::ByteBuffer out;
    wire::encode_frame(header, make_error(status, "an event"), out);
    return send(out);
}

bool Connection::greet() {
    std::optional<Request> request = read();
    if (!request) return false;
    EXPECT_EQ(request->header.type, wire::MessageType::Hello);
    EXPECT_TRUE(wire::decode_hello_request(request->body));
    if (hello.max_jobs_in_flight == 0) hello.max_jobs_in_flight = 64;
    if (hello.max_buffers == 0) hello.max_buffers = 256;
    if (hello.max_buffer_bytes == 0) hello.max_buffer_bytes = 1u << 30;
    if (hello.features == 0) hello.features = wire::kAllFeatures;
    return reply(*request, hello);
}

bool Connection::add_buffer(const Request& request) {
    const bool create = request.header.type == wire::MessageType::BufferCreate;
    std::uint64_t bytes = 0;
    bool writable = create;
    Fd fd;
    if (create) {
        bytes = wire::decode_buffer_create(request.body)->bytes;
        fd = Fd(memfd_create("fake", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        EXPECT_EQ(ftruncate(fd.get(), static_cast<off_t>(bytes)), 0);
    } else {
        Result<wire::BufferRegisterRequest> message = wire::decode_buffer_register(request.body);
        bytes = message->bytes;
        writable = message->access == wire::Access::ReadWrite;
        fd = Fd(dup(request.descriptor.get()));
        struct stat status;
        EXPECT_EQ(fstat(fd.get(), &status), 0);
        EXPECT_GE(static_cast<std::uint64_t>(status.st_blocks) * 512, bytes) << "a sparse memfd";
        ++registered;
    }
    EXPECT_EQ(fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
    void* data = mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ,
                      writable ? MAP_SHARED : MAP_PRIVATE, fd.get(), 0);
    EXPECT_NE(data, MAP_FAILED);
    const std::uint64_t handle = next_handle_++;
    const int sent = create ? dup(fd.get()) : -1;
    buffers_.emplace(handle, Buffer{std::move(fd), static_cast<std::byte*>(data), bytes, writable});
    const bool alive = reply(request, wire::BufferReply{handle, bytes}, sent);
    if (sent >= 0) close(sent);
    return alive;
}

bool Connection::answer(const Request& request) {
    switch (request.header.type) {
        case wire::MessageType::Ping: {
            return reply_empty(request);
        }
        case wire::MessageType::Info:
        case wire::MessageType::Stats: {
            const std::vector<wire::Field> fields = {
                {"jobs_total", std::uint64_t{jobs}}, {"load", 0.5}, {"backend", std::string("fake")}};
            return reply(request, Span<const wire::Field>(fields));
        }
        case wire::MessageType::BufferRegister:
        case wire::MessageType::BufferCreate: return add_buffer(request);
        case wire::MessageType::BufferFreeze: {
            Buffer& buffer = buffers_.at(wire::decode_buffer_ref(request.body)->handle);
            munmap(buffer.data, buffer.bytes);
            const bool sealed = fcntl(buffer.fd.get(), F_ADD_SEALS, F_SEAL_WRITE) == 0;
            buffer.data = static_cast<std::byte*>(
                mmap(nullptr, buffer.bytes, PROT_READ, MAP_PRIVATE, buffer.fd.get(), 0));
            return sealed ? reply_empty(request) : fail(request, Status::BadDescriptor);
        }
        case wire::MessageType::BufferRelease: {
            EXPECT_EQ(buffers_.erase(wire::decode_buffer_ref(request.body)->handle), 1u);
            ++released;
            return reply_empty(request);
        }
        case wire::MessageType::BufferList: {
            std::vector<wire::BufferInfo> list;
            for (const auto& [handle, buffer] : buffers_) {
                wire::BufferInfo info;
                info.handle = handle;
                info.bytes = buffer.bytes;
                list.push_back(info);
            }
            return reply(request, Span<const wire::BufferInfo>(list));
        }
        case wire::MessageType::Cancel: return reply(request, wire::CancelReply{false});
        case wire::MessageType::Job: return send(computed(request));
        default: return fail(request, Status::Unsupported);
    }
}

std::vector<Connection::Elements> Connection::elements_of(const wire::JobRequest& job) {
    const OperationInfo& operation = info_of(operation_of(job.job));
    std::vector<Elements> inputs;
    const std::byte* next = job.data.data();
    for (std::size_t i = 0; i < static_cast<std::size_t>(operation.inputs); ++i) {
        const wire::Operand& operand = job.inputs[i];
        const std::byte* data = next;
        if (operand.handle != 0)
            data = buffers_.at(operand.handle).data + operand.offset_bytes;
        else
            next += (job.job.rows * job.job.cols * element_bytes(job.job.type) + 7) & ~std::uint64_t{7};
        inputs.push_back({data, operand.row_stride != 0 ? operand.row_stride : job.job.cols});
    }
    return inputs;
}

std::vector<std::byte> Connection::computed(const Request& request) {
    ++jobs;
    wire::ByteBuffer out;
    Result<wire::JobRequest> job = wire::decode_job_request(request.body);
    if (!job) {
        ADD_FAILURE() << job.error().message;
        return out;
    }
    const std::vector<Elements> inputs = elements_of(*job);

    wire::JobReply reply;
    reply.backend = wire::Backend::Cpu;
    reply.policy = "fake policy=1";
    reply.timing = {1, 2, 3};
    std::vector<std::byte> result;
    const std::size_t bytes_each = element_bytes(job->job.type);
    if (operation_of(job->job) == Operation::EntropyMap) {
        std::vector<float> map;
        for (std::uint64_t row = 0; row < job->job.rows; ++row)
            map.insert(map.end(), job->job.cols, static_cast<float>(row));
        result.resize(map.size() * sizeof(float));
        std::memcpy(result.data(), map.data(), result.size());
        reply.arrays.push_back({{ArrayRole::Map, ElementType::F32, job->job.rows, job->job.cols}, 0});
    } else {
        double sum = 0;
        for (std::uint64_t row = 0; row < job->job.rows; ++row)
            for (std::uint64_t col = 0; col < job->job.cols; ++col) {
                double product = 1;
                for (const Elements& input : inputs)
                    product *=
                        element(job->job.type, input.data + (row * input.row_stride + col) * bytes_each);
                sum += product;
            }
        const std::uint64_t count = job->job.rows * job->job.cols;
        result.resize(16);
        std::memcpy(result.data(), &sum, 8);
        std::memcpy(result.data() + 8, &count, 8);
        reply.arrays.push_back({{role_of(Statistic::Sum), ElementType::F64, 1, 1}, 0});
        reply.arrays.push_back({{role_of(Statistic::Count), ElementType::U64, 1, 1}, 8});
    }
    if (job->output.handle != 0) {
        const Buffer& buffer = buffers_.at(job->output.handle);
        EXPECT_TRUE(buffer.writable);
        EXPECT_LE(job->output.offset_bytes + job->output.capacity_bytes, buffer.bytes);
        EXPECT_LE(result.size(), job->output.capacity_bytes);
        if (reply.arrays.size() == 1) {
            reply.in_output = true;
            std::memcpy(buffer.data + job->output.offset_bytes, result.data(), result.size());
            result.clear();
        }
    }
    reply.data = result;
    wire::encode_frame(answer_to(request, Status::Ok, -1), reply, out);
    return out;
}

void Connection::serve() {
    if (!greet()) return;
    while (std::optional<Request> request = read())
        if (!answer(*request)) return;
}

FakeServer::FakeServer(std::vector<Script> scripts) {
    char name[] = "/tmp/tegu-fake-XXXXXX";
    directory_ = mkdtemp(name);
    path_ = directory_ + "/sock";
    listener_ = Fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = address_of(path_);
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_.get(), 16), 0);
    thread_ = std::thread(&FakeServer::run, this, std::move(scripts));
}

void FakeServer::run(std::vector<Script> scripts) {
    for (;;) {
        Fd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (stopping_ || !socket) return;
        Connection connection(std::move(socket));
        const std::size_t number = connections_++;
        scripts[std::min(number, scripts.size() - 1)](connection);
    }
}

FakeServer::~FakeServer() {
    stopping_ = true;
    const Fd wake(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = address_of(path_);
    static_cast<void>(connect(wake.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address));
    thread_.join();
    unlink(path_.c_str());
    rmdir(directory_.c_str());
}

}  // namespace tegu::test
