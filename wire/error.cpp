// SPDX-License-Identifier: Apache-2.0
// The body of every reply with a status other than Ok, and of events: the field, the allowed values and a
// sentence.
#include <algorithm>

#include "wire/bytes.h"
#include "wire/messages.h"

namespace tegu::wire {
namespace {

std::string_view cut_error_text(const std::string& text) {
    return cut_text(text, kMaxErrorTextBytes);
}

}  // namespace

void encode(const Error& error, ByteBuffer& out) {
    const std::string_view field = cut_error_text(error.field), allowed = cut_error_text(error.allowed),
                           message = cut_error_text(error.message);
    Writer writer(out, 8 + field.size() + allowed.size() + message.size());
    writer.u16(static_cast<std::uint16_t>(field.size()));
    writer.u16(static_cast<std::uint16_t>(allowed.size()));
    writer.u16(static_cast<std::uint16_t>(message.size()));
    writer.reserved(2);
    writer.text(field);
    writer.text(allowed);
    writer.text(message);
}

Error decode_error(const FrameHeader& header, Bytes body) {
    Error error;
    error.status = header.status == Status::Ok ? Status::Internal : header.status;
    if (header.status == Status::Busy) error.retry_after_ns = header.deadline_ns;
    Reader reader(body);
    const std::size_t field_bytes = reader.u16(), allowed_bytes = reader.u16(), message_bytes = reader.u16();
    reader.reserved(2);
    const std::string_view field = reader.text(field_bytes), allowed = reader.text(allowed_bytes);
    const std::string_view message = reader.text(message_bytes);
    if (reader.finish() || std::max({field_bytes, allowed_bytes, message_bytes}) > kMaxErrorTextBytes) {
        error.message = "the daemon sent an error whose text cannot be read";
        return error;
    }
    error.field = field;
    error.allowed = allowed;
    error.message = message;
    return error;
}

}  // namespace tegu::wire
