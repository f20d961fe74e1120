// SPDX-License-Identifier: Apache-2.0
#include "wire/frame.h"

#include <cassert>

namespace tegu::wire {
namespace {

bool may_send(const FrameHeader& header, Sender sender) {
    const bool answer = header.reply || header.type == MessageType::Event;
    return answer == (sender == Sender::Daemon);
}

}  // namespace

FrameResult next_frame(Bytes received, std::size_t max_body_bytes, Sender sender) {
    if (received.size() < kHeaderBytes) return NeedMore{kHeaderBytes - received.size()};
    Result<FrameHeader> header = decode_header(received, max_body_bytes);
    if (!header) return std::move(header).error();
    if (!may_send(*header, sender))
        return field_error(Status::BadRequest, "type",
                           sender == Sender::Client ? "a request" : "a reply or an event",
                           "a message goes in the wrong direction");
    const std::size_t whole = kHeaderBytes + header->body_bytes;
    if (received.size() < whole) return NeedMore{whole - received.size()};
    return Frame{*header, received.subspan(kHeaderBytes, header->body_bytes), whole};
}

std::size_t begin_frame(ByteBuffer& out) {
    const std::size_t start = out.size();
    out.resize(start + kHeaderBytes);
    return start;
}

void end_frame(FrameHeader header, std::size_t start, ByteBuffer& out) {
    assert(out.size() >= start + kHeaderBytes && out.size() - start - kHeaderBytes <= kMaxBodyBytes);
    header.body_bytes = static_cast<std::uint32_t>(out.size() - start - kHeaderBytes);
    write_header(header, MutableBytes(out.data() + start, kHeaderBytes));
}

}  // namespace tegu::wire
