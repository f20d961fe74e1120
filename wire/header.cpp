// SPDX-License-Identifier: Apache-2.0
// The fixed header. decode_header rejects a header that makes the next message unreachable or belongs to
// another protocol; the connection then ends. check_request rejects one wrong request; the daemon replies
// with an error and keeps the connection.
#include "wire/bytes.h"
#include "wire/messages.h"

namespace tegu::wire {
namespace {

bool is_message_type(MessageType type) {
    switch (type) {
#define TEGU_X(number, Name, WORD, sentence) case MessageType::Name:
        TEGU_MESSAGE_TYPES(TEGU_X)
#undef TEGU_X
        return true;
    }
    return false;
}

bool has_priority(const FrameHeader& header) {
    return header.type == MessageType::Job && !header.reply;
}
bool has_status(const FrameHeader& header) {
    return header.reply || header.type == MessageType::Event;
}
bool has_time(const FrameHeader& header) {
    return has_status(header) ? header.status == Status::Busy : header.type == MessageType::Job;
}

// Checks the fields of a reply or event that must be zero; maps a status unknown to this side.
std::optional<Error> check_answer(FrameHeader& header, std::uint16_t status) {
    if (!is_status(status))
        header.status = Status::Internal;  // a newer peer: the text in the body still has the reason
    else if (!has_time(header) && header.deadline_ns != 0)
        return field_error(Status::BadRequest, "retry_after_ns", "0", "only BUSY says when to retry");
    if (header.priority != Priority{})
        return field_error(Status::BadRequest, "priority", "0", "only a job has a priority");
    return std::nullopt;
}

}  // namespace

Result<FrameHeader> decode_header(Bytes bytes, std::size_t max_body_bytes) {
    assert(bytes.size() >= kHeaderBytes);
    Reader reader(bytes.subspan(0, kHeaderBytes));
    FrameHeader header;
    if (reader.u32() != kMagic)
        return field_error(Status::BadRequest, "magic", "the bytes 54 45 47 55",
                           "this is not the protocol of tegud");
    header.version = reader.u8();
    if (header.version < kVersionMin || header.version > kVersionMax)
        return field_error(Status::BadVersion, "version",
                           std::to_string(kVersionMin) + ".." + std::to_string(kVersionMax),
                           "version " + std::to_string(header.version) + " of the header is not known");
    header.descriptors = reader.u8();
    const std::uint16_t type = reader.u16();
    header.reply = (type & kReplyBit) != 0;
    header.type = static_cast<MessageType>(type & ~kReplyBit);
    header.request_id = reader.u64();
    header.body_bytes = reader.u32();
    const std::uint16_t status = reader.u16();
    header.status = static_cast<Status>(status);
    header.priority = static_cast<Priority>(reader.u8());
    reader.reserved(1);
    header.deadline_ns = reader.u64();
    reader.reserved(8);

    if (!reader.ok()) return reader.error();
    const bool event = header.type == MessageType::Event && !header.reply;
    if (event != (header.request_id == 0))
        return field_error(Status::BadRequest, "request_id", event ? "0" : "1..18446744073709551615",
                           "0 is the id of events, and of nothing else");
    if (header.descriptors > kMaxDescriptors)
        return field_error(
            Status::BadDescriptor, "descriptors", "0.." + std::to_string(kMaxDescriptors),
            std::to_string(header.descriptors) + " descriptors are more than any message carries");
    if (header.body_bytes > max_body_bytes)
        return field_error(Status::TooLarge, "body_bytes", "0.." + std::to_string(max_body_bytes),
                           "a body of " + std::to_string(header.body_bytes) + " bytes is too long");
    if (has_status(header))
        if (auto error = check_answer(header, status)) return *std::move(error);
    return header;
}

Result<void> check_request(const FrameHeader& header) {
    if (!is_message_type(header.type))
        return field_error(
            Status::Unsupported, "type", "a message type of docs/protocol.md",
            "message type " + std::to_string(static_cast<unsigned>(header.type)) + " is not known");
    if (header.status != Status::Ok)
        return field_error(Status::BadRequest, "status", "0", "a request has no status");
    if (has_priority(header)) {
        if (static_cast<std::uint8_t>(header.priority) >= kPriorityCount)
            return bad_range("priority", "0..2",
                             "there are three priorities, found " +
                                 std::to_string(static_cast<unsigned>(header.priority)));
    } else if (header.priority != Priority{}) {
        return field_error(Status::BadRequest, "priority", "0", "only a job has a priority");
    }
    if (!has_time(header) && header.deadline_ns != 0)
        return field_error(Status::BadRequest, "deadline_ns", "0", "only a job has a deadline");
    const unsigned descriptors = header.type == MessageType::BufferRegister ? 1 : 0;
    if (header.descriptors != descriptors)
        return field_error(
            Status::BadDescriptor, "descriptors", std::to_string(descriptors),
            descriptors != 0 ? "the memfd of the buffer is missing" : "this message carries no descriptor");
    return {};
}

void encode_header(const FrameHeader& header, ByteBuffer& out) {
    out.resize(out.size() + kHeaderBytes);
    write_header(header, MutableBytes(out.data() + out.size() - kHeaderBytes, kHeaderBytes));
}

void write_header(const FrameHeader& header, MutableBytes place) {
    assert(place.size() == kHeaderBytes);
    Writer writer(place);
    const auto type = static_cast<std::uint16_t>(header.type);
    writer.u32(kMagic);
    writer.u8(header.version);
    writer.u8(header.descriptors);
    writer.u16(static_cast<std::uint16_t>(header.reply ? type | kReplyBit : type));
    writer.u64(header.request_id);
    writer.u32(header.body_bytes);
    writer.u16(has_status(header) ? static_cast<std::uint16_t>(header.status) : 0);
    writer.u8(has_priority(header) ? static_cast<std::uint8_t>(header.priority) : 0);
    writer.reserved(1);
    writer.u64(has_time(header) ? header.deadline_ns : 0);
    writer.reserved(8);
}

}  // namespace tegu::wire
