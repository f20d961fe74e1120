// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "client/client.h"

namespace tegu::clientlib {

Region::~Region() {
    if (client != nullptr) client->forget(*this);
}

Result<RegionPtr> Client::create_buffer(std::uint64_t bytes) {
    if (auto checked = check_process(); !checked) return std::move(checked).error();
    Result<Answer> answer = call_until_not_busy(
        wire::MessageType::BufferCreate, -1,
        [bytes](wire::ByteBuffer& out) { wire::encode(wire::BufferCreateRequest{bytes}, out); });
    if (!answer) return std::move(answer).error();
    Result<wire::BufferReply> reply = wire::decode_buffer_reply(answer->body);
    if (!reply) return std::move(reply).error();
    if (reply->handle == 0 || reply->bytes < bytes || !answer->descriptor)
        return make_error(Status::Internal,
                          "the daemon's reply cannot be used: it names no buffer of this size");
    Result<Memory> memory = Memory::adopt(std::move(answer->descriptor), bytes);
    if (!memory) return std::move(memory).error();
    RegionPtr region = make_region(std::move(*memory), wire::Access::ReadWrite);
    region->handle = reply->handle;
    region->token = reply->token;
    regions_.push_back(region.get());
    return region;
}

Result<RegionPtr> Client::register_buffer(int fd, std::uint64_t bytes, wire::Access access) {
    if (auto checked = check_process(); !checked) return std::move(checked).error();
    Result<Memory> memory = Memory::duplicate(fd, bytes);
    if (!memory) return std::move(memory).error();
    RegionPtr region = make_region(std::move(*memory), access);
    if (auto registered = register_region(*region); !registered) return std::move(registered).error();
    return region;
}

Result<void> Client::register_region(Region& region) {
    Result<Answer> answer =
        call(wire::MessageType::BufferRegister, region.memory.fd(), [&region](wire::ByteBuffer& out) {
            wire::encode(wire::BufferRegisterRequest{region.memory.bytes(), region.access}, out);
        });
    if (!answer) return std::move(answer).error();
    Result<wire::BufferReply> reply = wire::decode_buffer_reply(answer->body);
    if (!reply) return std::move(reply).error();
    if (reply->handle == 0)
        return make_error(Status::Internal, "the daemon's reply cannot be used: it names no buffer");
    region.handle = reply->handle;
    region.token = reply->token;
    regions_.push_back(&region);  // only now: before, a reconnect must not register it
    return {};
}

Result<void> Client::freeze(Region& region) {
    if (auto checked = check_process(); !checked) return checked;
    if (region.frozen) return {};
    if (auto ready = await_ready(Clock::now() + kCallTime); !ready) return ready;
    if (region.refused) return *region.refused;
    if (auto mapped = region.memory.make_read_only(); !mapped) return mapped;
    Result<Answer> answer = call(wire::MessageType::BufferFreeze, -1, [&region](wire::ByteBuffer& out) {
        wire::encode(wire::BufferRef{region.handle}, out);
    });
    if (!answer) {
        static_cast<void>(region.memory.make_writable());  // fails only if the seal is set after all
        return std::move(answer).error();
    }
    region.frozen = true;
    region.access = wire::Access::Read;
    return {};
}

void Client::release(Region& region) {
    if (region.handle == 0) return;
    const std::uint64_t handle = std::exchange(region.handle, 0);
    region.token = {};
    if (link_ != LinkState::Ready || !check_process()) return;
    Call& call = add_call(wire::MessageType::BufferRelease, Purpose::Forget);
    wire::encode(wire::BufferRef{handle}, call.frame);
    finish_frame(call);
    releases_wait_ = true;
}

void Client::send_releases() {
    if (releases_wait_ && check_process()) send_pending();
}

void Client::forget(Region& region) {
    try {
        release(region);
    } catch (const std::bad_alloc&) {  // the daemon keeps it until the connection ends
    }
    regions_.erase(std::remove(regions_.begin(), regions_.end(), &region), regions_.end());
    for (auto call = calls_.begin(); call != calls_.end(); ++call) {
        if (call->region != &region) continue;
        call->region = nullptr;
        if (call->sent) return;  // its reply contains a handle to release
        calls_.erase(call);
        if (--restoring_ == 0) become_ready();
        return;
    }
}

RegionPtr Client::make_region(Memory memory, wire::Access access) {
    return std::make_shared<Region>(this, std::move(memory), access);
}

// A region of the pool that no job uses; waits for one if all are in use.
Result<RegionPtr> Client::acquire(Pool& pool, wire::Access access, std::uint64_t bytes, TimePoint deadline) {
    if ((features_ & wire::kFeatureBuffers) == 0)
        return make_error(Status::Unsupported,
                          "the daemon takes no buffers, and the data is too large for a message");
    if (bytes > max_buffer_bytes_)
        return field_error(Status::TooLarge, "rows",
                           "at most " + std::to_string(max_buffer_bytes_) + " bytes",
                           "the job needs a buffer of " + std::to_string(bytes) + " bytes");
    for (;;) {
        if (RegionPtr region = pool.find_idle(bytes)) return region;
        if (pool.make_room(max_regions_)) {
            Result<RegionPtr> region = grow(pool, access, bytes);
            if (region || region.error().status != Status::OverQuota) return region;
            const bool dropped = input_pool_.drop_idle(), dropped_output = output_pool_.drop_idle();
            if (!dropped && !dropped_output && !input_pool_.in_use() && !output_pool_.in_use()) return region;
            if (dropped || dropped_output) continue;
        }
        if (Clock::now() >= deadline)
            return make_error(Status::DeadlineExceeded,
                              "the deadline passed before earlier jobs gave their buffers back");
        step(deadline);
    }
}

Result<RegionPtr> Client::grow(Pool& pool, wire::Access access, std::uint64_t bytes) {
    Result<Memory> memory =
        Memory::create(std::min<std::uint64_t>({Pool::capacity_for(bytes), max_buffer_bytes_, INT64_MAX}));
    if (!memory) return std::move(memory).error();
    RegionPtr region = make_region(std::move(*memory), access);
    if (auto registered = register_region(*region); !registered) return std::move(registered).error();
    pool.add(region);
    return region;
}

}  // namespace tegu::clientlib
