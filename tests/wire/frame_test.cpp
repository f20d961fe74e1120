// SPDX-License-Identifier: Apache-2.0
#include "wire/frame.h"

#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

// A ping of `bytes` bytes with id `id`.
void append_ping(std::uint64_t id, std::size_t bytes, ByteBuffer& out) {
    FrameHeader header;
    header.type = MessageType::Ping;
    header.request_id = id;
    const std::size_t start = begin_frame(out);
    out.resize(out.size() + bytes, static_cast<std::byte>(id));
    end_frame(header, start, out);
}

std::string field_of(const FrameResult& result) {
    const auto* error = std::get_if<Error>(&result);
    return error != nullptr ? error->field : "no error";
}

TEST(Frame, AsksForMoreUntilItIsWhole) {
    ByteBuffer stream;
    append_ping(1, 17, stream);
    for (std::size_t size = 0; size < stream.size(); ++size) {
        const FrameResult result = next_frame(Bytes(stream).subspan(0, size), kMaxBodyBytes, Sender::Client);
        const auto* more = std::get_if<NeedMore>(&result);
        ASSERT_NE(more, nullptr) << size;
        EXPECT_EQ(more->bytes, size < kHeaderBytes ? kHeaderBytes - size : stream.size() - size);
    }
    const FrameResult result = next_frame(stream, kMaxBodyBytes, Sender::Client);
    const auto& frame = std::get<Frame>(result);
    EXPECT_EQ(frame.consumed, stream.size());
    EXPECT_EQ(frame.body.size(), 17u);
    EXPECT_EQ(frame.body.data(), stream.data() + kHeaderBytes) << "a view, not a copy";
    EXPECT_EQ(frame.header.request_id, 1u);
}

TEST(Frame, CutsAStreamTheSameHoweverItArrives) {
    ByteBuffer stream;
    for (std::uint64_t id = 1; id <= 9; ++id) append_ping(id, id * id % 7 * 13, stream);
    for (std::size_t chunk = 1; chunk <= 100; ++chunk) {
        std::vector<std::uint64_t> ids;
        std::size_t begin = 0;
        for (std::size_t received = 0; received < stream.size();) {
            received = std::min(received + chunk, stream.size());
            for (;;) {
                const FrameResult result =
                    next_frame(Bytes(stream).subspan(begin, received - begin), 1000, Sender::Client);
                const auto* frame = std::get_if<Frame>(&result);
                if (frame == nullptr) break;
                EXPECT_EQ(frame->body.size(), frame->header.request_id * frame->header.request_id % 7 * 13);
                ids.push_back(frame->header.request_id);
                begin += frame->consumed;
            }
        }
        EXPECT_EQ(ids, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9})) << "chunks of " << chunk;
        EXPECT_EQ(begin, stream.size());
    }
}

TEST(Frame, RefusesAHeaderAsSoonAsItIsThere) {
    ByteBuffer stream;
    append_ping(1, 100, stream);
    EXPECT_EQ(field_of(next_frame(Bytes(stream).subspan(0, kHeaderBytes), 99, Sender::Client)), "body_bytes");
    EXPECT_EQ(field_of(next_frame(with<std::uint8_t>(stream, 0, 0), kMaxBodyBytes, Sender::Client)), "magic");
}

TEST(Frame, RefusesAMessageInTheWrongDirection) {
    ByteBuffer request, reply, event;
    append_ping(1, 0, request);
    FrameHeader header;
    header.type = MessageType::Ping;
    header.request_id = 1;
    header.reply = true;
    encode_header(header, reply);
    encode_header(FrameHeader{}, event);
    EXPECT_EQ(field_of(next_frame(request, 10, Sender::Daemon)), "type");
    EXPECT_EQ(field_of(next_frame(reply, 10, Sender::Client)), "type");
    EXPECT_EQ(field_of(next_frame(event, 10, Sender::Client)), "type");
    EXPECT_TRUE(std::holds_alternative<Frame>(next_frame(request, 10, Sender::Client)));
    EXPECT_TRUE(std::holds_alternative<Frame>(next_frame(reply, 10, Sender::Daemon)));
    EXPECT_TRUE(std::holds_alternative<Frame>(next_frame(event, 10, Sender::Daemon)));
}

TEST(Frame, IsWrittenWithTheLengthOfItsBody) {
    ByteBuffer out(5, std::byte{1});
    FrameHeader header;
    header.type = MessageType::Cancel;
    header.request_id = 3;
    encode_frame(header, CancelRequest{2}, out);
    ASSERT_EQ(out.size(), 5 + kHeaderBytes + 8);
    const FrameResult result = next_frame(Bytes(out).subspan(5), kMaxBodyBytes, Sender::Client);
    EXPECT_EQ(decode_cancel_request(std::get<Frame>(result).body)->target_id, 2u);
}

}  // namespace
}  // namespace tegu::wire
