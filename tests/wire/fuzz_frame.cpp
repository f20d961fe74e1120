// SPDX-License-Identifier: Apache-2.0
// Fuzzes the cutting of a stream into frames. Bit 0 of the first byte says who sends, bit 1 which limit
// holds; the rest is the stream. Checked: however little of a frame has come, next_frame() asks for no more
// than the frame has, and says the same in the end; what it took for a header encodes to the same bytes.
#include <algorithm>

#include "tests/fuzz.h"
#include "wire/frame.h"

namespace {

using namespace tegu;
using namespace tegu::wire;
using tegu::fuzz::require;

void check_header(const Frame& frame, Bytes stream) {
    const bool answer = frame.header.reply || frame.header.type == MessageType::Event;
    // not kept to the bit
    if (answer ? frame.header.status == Status::Internal : !check_request(frame.header)) return;
    ByteBuffer again;
    encode_header(frame.header, again);
    require(std::equal(again.begin(), again.end(), stream.begin()), "a header encodes to other bytes");
}

void check_prefixes(Bytes stream, std::size_t whole, std::size_t max_body_bytes, Sender sender) {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, kHeaderBytes - 1, kHeaderBytes, whole - 1}) {
        if (size >= whole) continue;
        const FrameResult result = next_frame(stream.subspan(0, size), max_body_bytes, sender);
        const auto* more = std::get_if<NeedMore>(&result);
        require(more != nullptr && more->bytes > 0 && more->bytes <= whole - size,
                "a prefix of a frame is not a prefix");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Sender sender = (data[0] & 1) != 0 ? Sender::Daemon : Sender::Client;
    const std::size_t limit = (data[0] & 2) != 0 ? kMaxHelloBodyBytes : kMaxBodyBytes;
    Bytes stream(reinterpret_cast<const std::byte*>(data + 1), size - 1);
    for (;;) {
        const FrameResult result = next_frame(stream, limit, sender);
        const auto* frame = std::get_if<Frame>(&result);
        if (frame == nullptr) {
            const auto* error = std::get_if<Error>(&result);
            require(error == nullptr || !error->field.empty(), "an error names no field");
            require(error == nullptr || stream.size() >= kHeaderBytes, "an error before the header is there");
            return 0;
        }
        require(frame->consumed == kHeaderBytes + frame->body.size() && frame->consumed <= stream.size(),
                "a frame is too long");
        require(frame->body.size() == frame->header.body_bytes && frame->body.size() <= limit,
                "a body has another length");
        check_header(*frame, stream);
        check_prefixes(stream, frame->consumed, limit, sender);
        stream = stream.subspan(frame->consumed);
    }
}
