// SPDX-License-Identifier: Apache-2.0
// BUFFER_* bodies. Their descriptors are ancillary data of the socket, outside the codec.
#include <algorithm>
#include <cassert>

#include "wire/bytes.h"
#include "wire/messages.h"

namespace tegu::wire {
namespace {

constexpr std::size_t kInfoBytes = 48;

Access read_access(Reader& reader) {
    return reader.enumeration("access", Access::ReadWrite, "0 (read) or 1 (read and write)");
}

std::uint64_t read_size(Reader& reader) {
    const std::uint64_t bytes = reader.u64();
    if (bytes == 0) reader.fail(Status::BadRange, "bytes", "1 and more", "a buffer cannot be empty");
    return bytes;
}

BufferToken read_token(Reader& reader) {
    BufferToken token{};
    const Bytes bytes = reader.bytes(token.size());
    std::copy(bytes.begin(), bytes.end(), token.begin());
    if (token == BufferToken{}) reader.fail(Status::BadRange, "token", "not 0", "a token is empty");
    return token;
}

}  // namespace

void encode(const BufferRegisterRequest& message, ByteBuffer& out) {
    Writer writer(out, 16);
    writer.u64(message.bytes);
    writer.u8(static_cast<std::uint8_t>(message.access));
    writer.reserved(7);
}

Result<BufferRegisterRequest> decode_buffer_register(Bytes body) {
    Reader reader(body);
    BufferRegisterRequest message;
    message.bytes = read_size(reader);
    message.access = read_access(reader);
    reader.reserved(7);
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

void encode(const BufferCreateRequest& message, ByteBuffer& out) {
    Writer(out, 8).u64(message.bytes);
}

Result<BufferCreateRequest> decode_buffer_create(Bytes body) {
    Reader reader(body);
    const BufferCreateRequest message{read_size(reader)};
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

void encode(const BufferReply& message, ByteBuffer& out) {
    const bool has_token = message.token != BufferToken{};
    Writer writer(out, has_token ? 16 + kTokenBytes : 16);
    writer.u64(message.handle);
    writer.u64(message.bytes);
    if (has_token) writer.bytes(message.token);
}

Result<BufferReply> decode_buffer_reply(Bytes body) {
    Reader reader(body);
    BufferReply message;
    message.handle = reader.u64();
    if (message.handle == 0) reader.fail(Status::BadRange, "handle", "not 0", "a buffer has no handle");
    message.bytes = read_size(reader);
    if (reader.ok() && reader.left() != 0) message.token = read_token(reader);
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

void encode(const BufferAttachRequest& message, ByteBuffer& out) {
    Writer(out, kTokenBytes).bytes(message.token);
}

Result<BufferAttachRequest> decode_buffer_attach(Bytes body) {
    Reader reader(body);
    const BufferAttachRequest message{read_token(reader)};
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

void encode(const BufferRef& message, ByteBuffer& out) {
    Writer(out, 8).u64(message.handle);
}

Result<BufferRef> decode_buffer_ref(Bytes body) {
    Reader reader(body);
    const BufferRef message{reader.u64()};
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

void encode(Span<const BufferInfo> buffers, ByteBuffer& out) {
    assert(buffers.size() <= kMaxBuffersListed);
    Writer writer(out, 8 + buffers.size() * kInfoBytes);
    writer.u32(static_cast<std::uint32_t>(buffers.size()));
    writer.reserved(4);
    for (const BufferInfo& info : buffers) {
        writer.u64(info.handle);
        writer.u64(info.session);
        writer.u64(info.bytes);
        writer.u64(info.jobs_total);
        writer.u64(info.generation);
        writer.u32(info.pid);
        writer.u8(static_cast<std::uint8_t>(info.access));
        writer.u8(info.frozen ? 1 : 0);
        writer.u8(info.created_by_daemon ? 1 : 0);
        writer.reserved(1);
    }
}

Result<std::vector<BufferInfo>> decode_buffer_list(Bytes body) {
    Reader reader(body);
    const std::size_t count = reader.u32();
    reader.reserved(4);
    if (count > kMaxBuffersListed)
        reader.fail(Status::TooLarge, "count", "at most 1024", "there are too many buffers");
    if (reader.ok() && reader.left() != count * kInfoBytes)
        reader.fail(Status::BadRequest, "count", "as many as the body holds",
                    "the list is not as long as it says");
    std::vector<BufferInfo> buffers;
    if (reader.ok()) buffers.resize(count);
    for (BufferInfo& info : buffers) {
        info.handle = reader.u64();
        info.session = reader.u64();
        info.bytes = reader.u64();
        info.jobs_total = reader.u64();
        info.generation = reader.u64();
        info.pid = reader.u32();
        info.access = read_access(reader);
        info.frozen = reader.boolean("frozen");
        info.created_by_daemon = reader.boolean("created_by_daemon");
        reader.reserved(1);
    }
    if (auto error = reader.finish()) return *std::move(error);
    return buffers;
}

}  // namespace tegu::wire
