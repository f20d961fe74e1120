// SPDX-License-Identifier: Apache-2.0
// HELLO: the first message of a connection. Its layout is the same in every version, so that any two peers
// can read each other's offer. Names are printable ASCII, so logs and lists print them unchanged.
#include "wire/bytes.h"
#include "wire/messages.h"
#include "wire/name.h"

namespace tegu::wire {
void encode(const HelloRequest& message, ByteBuffer& out) {
    const std::string name = clean_name(message.name);
    Writer writer(out, 16 + name.size());
    writer.u16(message.version_min);
    writer.u16(message.version_max);
    writer.u16(static_cast<std::uint16_t>(name.size()));
    writer.reserved(2);
    writer.u64(message.features);
    writer.text(name);
}

Result<HelloRequest> decode_hello_request(Bytes body) {
    Reader reader(body);
    HelloRequest message;
    message.version_min = reader.u16();
    message.version_max = reader.u16();
    const std::size_t name_bytes = reader.u16();
    reader.reserved(2);
    message.features = reader.u64();
    message.name = read_name(reader, name_bytes, "name");
    if (message.version_min > message.version_max)
        reader.fail(Status::BadRange, "version_min", "at most version_max", "the range of versions is empty",
                    message.version_min);
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

void encode(const HelloReply& message, ByteBuffer& out) {
    const std::string server = clean_name(message.server);
    Writer writer(out, 48 + server.size());
    writer.u16(message.version);
    writer.u16(static_cast<std::uint16_t>(server.size()));
    writer.u32(message.max_jobs_in_flight);
    writer.u64(message.features);
    writer.u64(message.session);
    writer.u32(message.max_body_bytes);
    writer.u32(message.max_inline_bytes);
    writer.u32(message.max_buffers);
    writer.reserved(4);
    writer.u64(message.max_buffer_bytes);
    writer.text(server);
}

Result<HelloReply> decode_hello_reply(Bytes body) {
    Reader reader(body);
    HelloReply message;
    message.version = reader.u16();
    const std::size_t server_bytes = reader.u16();
    message.max_jobs_in_flight = reader.u32();
    message.features = reader.u64();
    message.session = reader.u64();
    message.max_body_bytes = reader.u32();
    message.max_inline_bytes = reader.u32();
    message.max_buffers = reader.u32();
    reader.reserved(4);
    message.max_buffer_bytes = reader.u64();
    message.server = read_name(reader, server_bytes, "server");
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

}  // namespace tegu::wire
