// SPDX-License-Identifier: Apache-2.0
// Handles BUFFER_* requests. Helper threads allocate pages of large buffers, free memory and seal; the reply
// follows later. Pages of large buffers are allocated in slices, round robin over users.
#include <algorithm>
#include <new>

#include "daemon/buffers/buffer_services.h"
#include "daemon/reports/daemon_record.h"
#include "daemon/sessions/session.h"
#include "daemon/sessions/session_table.h"
#include "daemon/store/descriptor_store.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kFreezeRetryNs = 10'000'000;
constexpr std::uint64_t kUnreadRetryNs = 10'000'000;
constexpr std::uint64_t kLetGoRetryNs = 10'000'000;
constexpr std::uint64_t kSliceBytes = 256 * 1024;  // a fraction of a millisecond

Error no_such_buffer() {
    return field_error(Status::NotFound, "handle", "a handle of this connection", "no such buffer");
}

}  // namespace

Result<void> Session::on_buffer_register(const wire::FrameHeader& header, Bytes body, ForeignFd fd) {
    Result<wire::BufferRegisterRequest> request = wire::decode_buffer_register(body);
    if (!request) return std::move(request).error();
    if (services_.buffers.held.has(fd.get(), peer_.uid))
        return register_again(header, *request, std::move(fd));
    Result<BufferCharge> charge = this->charge(request->bytes);
    if (!charge && services_.buffers.held.has(fd.get(), peer_.uid))  // charge() dropped it as an orphan
        return register_again(header, *request, std::move(fd));
    if (!charge) return std::move(charge).error();
    Result<void> secured = secure_memfd(fd.get(), request->bytes, request->access);
    if (!secured) return secured;
    Result<std::shared_ptr<Buffer>> buffer =
        Buffer::from_client(fd.release(), *request, std::move(charge).value());
    if (!buffer) return std::move(buffer).error();
    reply(header, take_in(std::move(buffer).value()));
    return {};
}

// Registers memory that the daemon made for an earlier buffer. The buffer was released, or its connection
// ended. The memory is charged already.
Result<void> Session::register_again(const wire::FrameHeader& header,
                                     const wire::BufferRegisterRequest& request, ForeignFd fd) {
    Result<void> held = services_.quotas.check_held(buffers_.size() + buffers_in_making_);
    if (!held) return held;
    Result<void> secured = secure_memfd(fd.get(), request.bytes, request.access);
    if (!secured) return secured;
    Result<std::shared_ptr<Buffer>> buffer =
        Buffer::from_store(fd.release(), {request.bytes, request.access, 0, true}, BufferCharge());
    if (!buffer) return std::move(buffer).error();
    if (std::optional<BufferCharge> charge = services_.buffers.held.take((*buffer)->fd(), peer_.uid))
        (*buffer)->set_charge(std::move(*charge));
    reply(header, take_in(std::move(buffer).value()));
    return {};
}

// Attaches a buffer of the previous daemon. It needs no new descriptor and no new charge.
Result<void> Session::on_buffer_attach(const wire::FrameHeader& header, Bytes body) {
    if ((features_ & wire::kFeatureAttach) == 0)
        return field_error(Status::Unsupported, "features", "the feature bit for attaching in HELLO",
                           "this connection has not agreed on attaching");
    Result<wire::BufferAttachRequest> request = wire::decode_buffer_attach(body);
    if (!request) return std::move(request).error();
    Result<void> held = services_.quotas.check_held(buffers_.size() + buffers_in_making_);
    if (!held) return held;
    std::shared_ptr<Buffer> buffer = services_.store.attach(peer_.uid, peer_.pid, request->token);
    if (buffer == nullptr)
        return field_error(Status::NotFound, "token", "that of a buffer of this user that was kept",
                           "no such buffer");
    ++services_.record.statistics.buffers_attached_total;
    const std::uint64_t bytes = buffer->bytes();
    reply(header, wire::BufferReply{buffers_.add(std::move(buffer)), bytes, {}});
    return {};
}

// Charges the user for a new buffer. A full quota drops the buffers of the previous daemon that no client has
// attached.
Result<BufferCharge> Session::charge(std::uint64_t bytes) {
    const std::size_t held = buffers_.size() + buffers_in_making_;
    Result<void> allowed = services_.quotas.check_held(held);
    if (!allowed) return std::move(allowed).error();
    Result<BufferCharge> charge = services_.quotas.charge_buffer(peer_.uid, held, bytes);
    if (charge || charge.error().status == Status::TooLarge) return charge;
    (void)services_.store.drop_orphans(peer_.uid);
    services_.buffers.held.poll();
    charge = services_.quotas.charge_buffer(peer_.uid, held, bytes);
    const std::uint64_t let_go = services_.buffers.held.bytes(peer_.uid);
    if (charge || let_go == 0) return charge;
    Error error = std::move(charge).error();
    error.message +=
        "; " + std::to_string(let_go) + " bytes are of buffers that were released, and still open somewhere";
    return error;
}

wire::BufferReply Session::take_in(std::shared_ptr<Buffer> buffer) {
    ++services_.record.statistics.buffers_total;
    buffer->free_on(services_.buffers.pages, services_.buffers.held, services_.buffers.endings);
    wire::BufferReply reply;
    reply.bytes = buffer->bytes();
    if ((features_ & wire::kFeatureAttach) != 0)
        reply.token = services_.store.keep(buffer, peer_.uid, peer_.pid);
    reply.handle = buffers_.add(std::move(buffer));
    return reply;
}

// Releases the buffers of the connection. While the daemon stops they stay in the store, for the next daemon.
void Session::leave_buffers() {
    if (!services_.stop.ending())
        for (const auto& named : buffers_.all()) services_.store.forget(*named.second);
    buffers_.clear();
}

// A buffer whose pages are being made.
struct Session::Making {
    wire::FrameHeader header;
    std::uint64_t bytes = 0;
    std::uint64_t done = 0;
    Fd fd;
    BufferCharge charge;
    HelperThread* helper = nullptr;
    std::shared_ptr<Session> session;
    Result<void> made;  // result so far
    ~Making() {         // not completed
        if (fd) free_memory({std::move(fd), {}, {}, std::move(charge)}, helper, nullptr);
    }
};

Result<void> Session::on_buffer_create(const wire::FrameHeader& header, Bytes body) {
    Result<wire::BufferCreateRequest> request = wire::decode_buffer_create(body);
    if (!request) return std::move(request).error();
    if (buffers_in_making_ + replies().unread_descriptors(socket()) >= kMaxUnreadDescriptors) {
        Error busy = field_error(Status::Busy, "descriptors",
                                 "at most " + std::to_string(kMaxUnreadDescriptors) + " a connection",
                                 "descriptors that were made for this connection have not been read");
        busy.retry_after_ns = kUnreadRetryNs;
        return busy;
    }
    Result<BufferCharge> charge = this->charge(request->bytes);
    if (!charge) {
        Error error = std::move(charge).error();
        // released memory may be free in a moment
        if (error.status == Status::OverQuota && services_.buffers.held.lately(peer_.uid)) {
            error.status = Status::Busy;
            error.retry_after_ns = kLetGoRetryNs;
        }
        return error;
    }
    Result<Fd> fd = make_memfd(request->bytes);
    if (!fd) return std::move(fd).error();
    auto making = std::make_shared<Making>();
    making->header = header;
    making->bytes = request->bytes;
    making->fd = std::move(fd).value();
    making->charge = std::move(charge).value();
    making->helper = &services_.buffers.pages;
    if (making->bytes > kSmallBytes) return make_later(making);
    if (auto made = populate_memfd(making->fd.get(), 0, making->bytes); !made) return made;
    return reply_made(*making);
}

Result<void> Session::make_later(const std::shared_ptr<Making>& making) {
    making->session = std::static_pointer_cast<Session>(shared_from_this());
    HelperThread::Task task;
    task.work = [making] { return make_slice(*making); };
    task.done = [making] {
        Session& session = *making->session;
        if (!session.closed()) session.guarded([&] { session.end_making(*making); });
    };
    HelperThread::Turn turn = HelperThread::turn_of(peer_.uid, std::move(task));
    shared().poll_soon();
    if (!services_.buffers.pages.submit_turn(turn))
        return make_error(Status::ShuttingDown, "the daemon ends");
    ++buffers_in_making_;
    return {};
}

// Runs on the helper's thread. Of the session it reads only `gone_`.
HelperThread::Progress Session::make_slice(Making& making) {
    if (making.session->gone_.load(std::memory_order_relaxed)) return HelperThread::Progress::Done;
    const std::uint64_t slice = std::min(kSliceBytes, making.bytes - making.done);
    try {
        making.made = populate_memfd(making.fd.get(), making.done, slice);
    } catch (const std::bad_alloc&) {
        making.made = make_error(Status::OutOfMemory, "no memory");  // a short text needs no memory
    }
    making.done += slice;
    const bool more = making.made.ok() && making.done < making.bytes;
    return more ? HelperThread::Progress::More : HelperThread::Progress::Done;
}

void Session::end_making(Making& making) {
    --buffers_in_making_;
    const Result<void> done = making.made ? reply_made(making) : making.made;
    if (!done) {
        services_.record.statistics.count_refused(done.error().status);
        reply_error(making.header.type, making.header.request_id, done.error());
    }
    flush();
}

Result<void> Session::reply_made(Making& making) {
    const int fd = making.fd.get();
    Result<std::shared_ptr<Buffer>> buffer =
        Buffer::from_daemon(std::move(making.fd), making.bytes, std::move(making.charge));
    if (!buffer) return std::move(buffer).error();
    const std::size_t start = out().size();
    reply(making.header, take_in(*buffer), 1);
    replies().attach_descriptor(start, fd, std::move(buffer).value());
    return {};
}

Result<void> Session::on_buffer_freeze(const wire::FrameHeader& header, Bytes body) {
    Result<wire::BufferRef> request = wire::decode_buffer_ref(body);
    if (!request) return std::move(request).error();
    const std::shared_ptr<Buffer> buffer = buffers_.find(request->handle);
    if (buffer == nullptr) return no_such_buffer();
    if (buffer->frozen()) {
        reply_empty(header);
        return {};
    }
    if (freezing_) {
        Error busy = field_error(Status::Busy, "handle", "one freeze in flight a connection",
                                 "another freeze of this connection is under way");
        busy.retry_after_ns = kFreezeRetryNs;
        return busy;
    }
    return freeze(header, buffer);
}

// Seals on a helper's thread, because sealing blocks for up to 0.2 s while pages of the memfd are pinned.
// GPUs unpin theirs first. All memory is allocated before the freeze begins; a failed allocation cancels it.
Result<void> Session::freeze(const wire::FrameHeader& header, const std::shared_ptr<Buffer>& buffer) {
    struct Sealing {
        int fd;
        Mapping writable;
        Result<void> sealed = make_error(Status::ShuttingDown, "the daemon is stopping");
    };
    const auto sealing = std::make_shared<Sealing>();
    HelperThread::Task task;
    task.work = [sealing] {
        sealing->writable.reset();
        sealing->sealed = seal_against_writing(sealing->fd);
        return HelperThread::Progress::Done;
    };
    task.done = [self = shared_from_this(), this, header, buffer, sealing] {
        freezing_ = false;
        buffer->end_freeze(sealing->sealed.ok());
        if (closed()) return;
        guarded([&] {
            if (!sealing->sealed) services_.record.statistics.count_refused(sealing->sealed.error().status);
            if (sealing->sealed)
                reply_empty(header);
            else
                reply_error(header.type, header.request_id, sealing->sealed.error());
            flush();
        });
    };
    const auto turn = std::make_shared<HelperThread::Turn>(HelperThread::turn_of(peer_.uid, std::move(task)));
    shared().poll_soon();
    Result<Mapping> writable = buffer->begin_freeze();
    if (!writable) return std::move(writable).error();
    sealing->fd = buffer->fd();
    sealing->writable = std::move(writable).value();
    try {
        buffer->forbid_registering(
            [sealer = &services_.buffers.sealer, turn] { (void)sealer->submit_turn(*turn); });
    } catch (const std::bad_alloc&) {
        buffer->cancel_freeze(std::move(sealing->writable));
        throw;
    }
    freezing_ = true;
    return {};
}

// After the reply the memory is freed and no longer charged. Exceptions: jobs still use it, or the daemon
// created it and another process holds it.
Result<void> Session::on_buffer_release(const wire::FrameHeader& header, Bytes body) {
    Result<wire::BufferRef> request = wire::decode_buffer_ref(body);
    if (!request) return std::move(request).error();
    const std::shared_ptr<Buffer> buffer = buffers_.take(request->handle);
    if (buffer == nullptr) return no_such_buffer();
    services_.store.forget(*buffer);
    if (buffer.use_count() > 1 || !buffer->ends_elsewhere()) {
        reply_empty(header);
        return {};
    }
    std::function<void()> freed = [self = shared_from_this(), this, header] {
        --buffers_in_release_;
        if (closed()) return;
        guarded([&] {
            reply_empty(header);
            flush();
        });
    };
    buffer->when_freed(std::move(freed));
    ++buffers_in_release_;
    shared().poll_soon();
    return {};
}

Result<void> Session::on_buffer_list(const wire::FrameHeader& header, Bytes body) {
    if (!body.empty()) return field_error(Status::BadRequest, "body_bytes", "0", "this message has no body");
    std::vector<wire::BufferInfo> list;
    for (const auto& entry : services_.sessions.all()) {
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
