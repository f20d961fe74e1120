// SPDX-License-Identifier: Apache-2.0
// BUFFER_* requests. A buffer made by the daemon gets its pages in steps, one a turn of the loop, so that a large one delays
// nobody; its reply comes when it is whole.
#include <algorithm>
#include <boost/asio/post.hpp>

#include "daemon/server.h"
#include "daemon/session.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kMakingStepBytes = 4 * 1024 * 1024;

Error no_such_buffer() {
    return field_error(Status::NotFound, "handle", "a handle of this connection", "no such buffer");
}

}  // namespace

Result<void> Session::on_buffer_register(const wire::FrameHeader& header, Bytes body, ForeignFd fd) {
    Result<wire::BufferRegisterRequest> request = wire::decode_buffer_register(body);
    if (!request) return std::move(request).error();
    Result<BufferCharge> charge =
        server_.quotas().charge_buffer(peer_.uid, buffers_.size() + buffers_in_making_, request->bytes);
    if (!charge) return std::move(charge).error();
    Result<void> secured = secure_memfd(fd.get(), request->bytes, request->access);
    if (!secured) return secured;
    Result<std::shared_ptr<Buffer>> buffer = Buffer::from_client(fd.release(), *request, std::move(charge).value());
    if (!buffer) return std::move(buffer).error();
    ++server_.statistics().buffers_total;
    reply(header, wire::BufferReply{buffers_.add(std::move(buffer).value()), request->bytes});
    return {};
}

// A buffer whose pages are being made.
struct Session::Making {
    wire::FrameHeader header;
    std::uint64_t bytes = 0;
    std::uint64_t done = 0;
    bool posted = false;  // goes on outside of a wake-up of the connection
    Fd fd;
    BufferCharge charge;
};

Result<void> Session::on_buffer_create(const wire::FrameHeader& header, Bytes body) {
    Result<wire::BufferCreateRequest> request = wire::decode_buffer_create(body);
    if (!request) return std::move(request).error();
    Result<BufferCharge> charge =
        server_.quotas().charge_buffer(peer_.uid, buffers_.size() + buffers_in_making_, request->bytes);
    if (!charge) return std::move(charge).error();
    Result<Fd> fd = make_memfd(request->bytes);
    if (!fd) return std::move(fd).error();
    auto making = std::make_shared<Making>();
    making->header = header;
    making->bytes = request->bytes;
    making->fd = std::move(fd).value();
    making->charge = std::move(charge).value();
    ++buffers_in_making_;
    go_on_making(std::move(making));
    return {};
}

void Session::go_on_making(std::shared_ptr<Making> making) {
    const std::uint64_t step = std::min(kMakingStepBytes, making->bytes - making->done);
    Result<void> done = populate_memfd(making->fd.get(), making->done, step);
    making->done += step;
    if (done && making->done < making->bytes) {
        making->posted = true;
        boost::asio::post(shared().io, [self = shared_from_this(), this, making] {
            if (!closed()) go_on_making(making);
        });
        return;
    }
    --buffers_in_making_;
    if (done) done = finish_making(*making);
    if (!done) {
        server_.statistics().count_refused(done.error().status);
        reply_error(making->header.type, making->header.request_id, done.error());
    }
    if (making->posted) flush();
}

Result<void> Session::finish_making(Making& making) {
    const int fd = making.fd.get();
    Result<std::shared_ptr<Buffer>> buffer =
        Buffer::from_daemon(std::move(making.fd), making.bytes, std::move(making.charge));
    if (!buffer) return std::move(buffer).error();
    ++server_.statistics().buffers_total;
    const std::size_t start = out().size();
    reply(making.header, wire::BufferReply{buffers_.add(*buffer), making.bytes}, 1);
    replies().attach_descriptor(start, fd, std::move(buffer).value());
    return {};
}

Result<void> Session::on_buffer_freeze(const wire::FrameHeader& header, Bytes body) {
    Result<wire::BufferRef> request = wire::decode_buffer_ref(body);
    if (!request) return std::move(request).error();
    const std::shared_ptr<Buffer> buffer = buffers_.find(request->handle);
    if (buffer == nullptr) return no_such_buffer();
    Result<void> frozen = buffer->freeze();
    if (!frozen) return frozen;
    reply_empty(header);
    return {};
}

Result<void> Session::on_buffer_release(const wire::FrameHeader& header, Bytes body) {
    Result<wire::BufferRef> request = wire::decode_buffer_ref(body);
    if (!request) return std::move(request).error();
    if (!buffers_.remove(request->handle)) return no_such_buffer();
    reply_empty(header);
    return {};
}

Result<void> Session::on_buffer_list(const wire::FrameHeader& header, Bytes body) {
    if (!body.empty()) return field_error(Status::BadRequest, "body_bytes", "0", "this message has no body");
    std::vector<wire::BufferInfo> list;
    for (const auto& entry : server_.sessions()) {
        const Session& session = *entry.second;
        if (session.peer_.uid != peer_.uid) continue;
        for (const auto& named : session.buffers_.all()) {
            if (list.size() == wire::kMaxBuffersListed) break;
            const Buffer& buffer = *named.second;
            wire::BufferInfo info;
            info.handle = named.first;
            info.session = session.number_;
            info.bytes = buffer.bytes();
            info.jobs_total = buffer.jobs_total();
            info.generation = buffer.generation();
            info.pid = static_cast<std::uint32_t>(session.peer_.pid);
            info.access = buffer.access();
            info.frozen = buffer.frozen();
            info.created_by_daemon = buffer.created_by_daemon();
            list.push_back(info);
        }
    }
    reply(header, Span<const wire::BufferInfo>(list));
    return {};
}

}  // namespace tegu::daemon
