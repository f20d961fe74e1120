// SPDX-License-Identifier: Apache-2.0
// Frames: the boundaries of messages in a stream of bytes. A pure function of the bytes received so far: the
// sizes of single reads have no effect. The daemon and the client library share it.
#pragma once

#include <cstddef>
#include <variant>

#include "wire/messages.h"

namespace tegu::wire {

// The sender of the bytes: clients send requests, the daemon sends replies and events. Anything else is a
// framing error.
enum class Sender { Client, Daemon };

struct NeedMore {
    std::size_t bytes;  // minimum number of further bytes before the result changes; not 0
};
struct Frame {
    FrameHeader header;
    Bytes body;            // points into the bytes received
    std::size_t consumed;  // offset of the next frame
};
// An Error means that framing is broken: see decode_header. Close the connection.
using FrameResult = std::variant<NeedMore, Frame, Error>;

// Decodes the first frame of `received`.
FrameResult next_frame(Bytes received, std::size_t max_body_bytes, Sender sender);

// Frames are written in place. begin_frame() reserves a header at the end of `out` and returns its offset;
// the caller appends the body; end_frame() writes the header with the actual body_bytes.
std::size_t begin_frame(ByteBuffer& out);
void end_frame(FrameHeader header, std::size_t start, ByteBuffer& out);

// A whole frame whose body is one message.
template <class Message>
void encode_frame(const FrameHeader& header, const Message& message, ByteBuffer& out) {
    const std::size_t start = begin_frame(out);
    encode(message, out);
    end_frame(header, start, out);
}

}  // namespace tegu::wire
