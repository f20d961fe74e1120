// SPDX-License-Identifier: Apache-2.0
// HELLO: the first message of a connection. Its layout is the same in every version, so that any two peers
// can read each other's offer. Names are printable ASCII, so logs and lists print them unchanged.
#include <algorithm>

#include "wire/bytes.h"
#include "wire/messages.h"

namespace tegu::wire {
namespace {

bool is_printable(char character) {
    return character >= 0x20 && character < 0x7f;
}

// The first kMaxNameBytes of a name, with unprintable characters replaced.
std::string clean_name(std::string_view name) {
    std::string clean(name.substr(0, kMaxNameBytes));
    for (char& character : clean)
        if (!is_printable(character)) character = '?';
    return clean;
}

std::string_view read_name(Reader& reader, std::size_t bytes, const char* field) {
    if (bytes > kMaxNameBytes)
        reader.fail(Status::TooLarge, field, "at most 64 bytes", "a name is too long", bytes);
    const std::string_view name = reader.text(reader.ok() ? bytes : 0);
    if (!std::all_of(name.begin(), name.end(), is_printable))
        reader.fail(Status::BadRequest, field, "printable ASCII",
                    "a name holds control or non-ASCII characters");
    return name;
}

}  // namespace

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
