// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

FrameHeader job_header() {
    FrameHeader header;
    header.type = MessageType::Job;
    header.request_id = 0x1122334455667788;
    header.body_bytes = 96;
    header.priority = Priority::Low;
    header.deadline_ns = 250;
    return header;
}

ByteBuffer bytes_of(const FrameHeader& header) {
    ByteBuffer out;
    encode_header(header, out);
    return out;
}

Result<FrameHeader> decode(const ByteBuffer& bytes) {
    return decode_header(bytes, kMaxBodyBytes);
}

TEST(Header, OfAJobComesBack) {
    const ByteBuffer bytes = bytes_of(job_header());
    ASSERT_EQ(bytes.size(), kHeaderBytes);
    const FrameHeader header = *decode(bytes);
    EXPECT_EQ(header.type, MessageType::Job);
    EXPECT_FALSE(header.reply);
    EXPECT_EQ(header.request_id, 0x1122334455667788u);
    EXPECT_EQ(header.body_bytes, 96u);
    EXPECT_EQ(header.version, 1);
    EXPECT_EQ(header.descriptors, 0);
    EXPECT_EQ(header.status, Status::Ok);
    EXPECT_EQ(header.priority, Priority::Low);
    EXPECT_EQ(header.deadline_ns, 250u);
    EXPECT_TRUE(check_request(header).ok());
}

TEST(Header, StandsAtTheOffsetsOfTheDocument) {
    FrameHeader header = job_header();
    header.descriptors = 1;
    const ByteBuffer bytes = bytes_of(header);
    EXPECT_EQ(at<std::uint32_t>(bytes, 0), 0x55474554u);
    EXPECT_EQ(std::memcmp(bytes.data(), "TEGU", 4), 0);
    EXPECT_EQ(at<std::uint8_t>(bytes, 4), 1);
    EXPECT_EQ(at<std::uint8_t>(bytes, 5), 1);
    EXPECT_EQ(at<std::uint16_t>(bytes, 6), 10);
    EXPECT_EQ(at<std::uint64_t>(bytes, 8), 0x1122334455667788u);
    EXPECT_EQ(at<std::uint32_t>(bytes, 16), 96u);
    EXPECT_EQ(at<std::uint16_t>(bytes, 20), 0);
    EXPECT_EQ(at<std::uint8_t>(bytes, 22), 2);
    EXPECT_EQ(at<std::uint8_t>(bytes, 23), 0);
    EXPECT_EQ(at<std::uint64_t>(bytes, 24), 250u);
    EXPECT_EQ(at<std::uint64_t>(bytes, 32), 0u);
}

TEST(Header, WritesZeroInFieldsThatTheMessageDoesNotUse) {
    FrameHeader header = job_header();
    header.type = MessageType::Ping;
    EXPECT_EQ(at<std::uint8_t>(bytes_of(header), 22), 0);
    EXPECT_EQ(at<std::uint64_t>(bytes_of(header), 24), 0u);
    header.status = Status::Busy;
    EXPECT_EQ(at<std::uint16_t>(bytes_of(header), 20), 0);
    header.reply = true;
    EXPECT_EQ(at<std::uint16_t>(bytes_of(header), 20), 9);
    EXPECT_EQ(at<std::uint64_t>(bytes_of(header), 24), 250u);
    header.status = Status::Denied;
    EXPECT_EQ(at<std::uint64_t>(bytes_of(header), 24), 0u);
}

TEST(Header, RefusesWhatBreaksFraming) {
    const ByteBuffer good = bytes_of(job_header());
    expect_error(decode(with<std::uint32_t>(good, 0, 0x55474555)), Status::BadRequest, "magic");
    for (const std::uint8_t version : {0, 2, 255})
        expect_error(decode(with(good, 4, version)), Status::BadVersion, "version");
    for (const std::uint8_t count : {2, 253, 255})
        expect_error(decode(with(good, 5, count)), Status::BadDescriptor, "descriptors");
    expect_error(decode(with<std::uint64_t>(good, 8, 0)), Status::BadRequest, "request_id");
    expect_error(decode(with<std::uint32_t>(good, 16, kMaxBodyBytes + 1)), Status::TooLarge, "body_bytes");
    expect_error(decode(with<std::uint32_t>(good, 16, UINT32_MAX)), Status::TooLarge, "body_bytes");
    expect_error(decode(with<std::uint8_t>(good, 23, 1)), Status::BadRequest, "reserved");
    for (std::size_t i = 32; i < 40; ++i)
        expect_error(decode(with<std::uint8_t>(good, i, 0x80)), Status::BadRequest, "reserved");
}

TEST(Header, TakesTheLargestBodyAndNotOneByteMore) {
    const ByteBuffer good = bytes_of(job_header());
    EXPECT_TRUE(decode_header(good, 96).ok());
    expect_error(decode_header(good, 95), Status::TooLarge, "body_bytes");
    EXPECT_TRUE(decode(with<std::uint32_t>(good, 16, kMaxBodyBytes)).ok());
}

TEST(Header, LeavesWhatCanBeAnsweredToCheckRequest) {
    const ByteBuffer good = bytes_of(job_header());
    const auto check = [&](const ByteBuffer& bytes) { return check_request(*decode(bytes)); };
    for (const std::uint16_t type : {17, 999, 0x7fff}) {
        expect_error(check(with(good, 6, type)), Status::Unsupported, "type");
        EXPECT_EQ(static_cast<std::uint16_t>(decode(with(good, 6, type))->type), type);
    }
    for (const std::uint16_t status : {1, 21, 22, 65535})
        expect_error(check(with(good, 20, status)), Status::BadRequest, "status");
    for (const std::uint8_t priority : {3, 255})
        expect_error(check(with(good, 22, priority)), Status::BadRange, "priority");
    expect_error(check(with<std::uint8_t>(good, 5, 1)), Status::BadDescriptor, "descriptors");
    const ByteBuffer ping = with<std::uint16_t>(good, 6, 2);
    expect_error(check(ping), Status::BadRequest, "priority");
    expect_error(check(with<std::uint8_t>(ping, 22, 0)), Status::BadRequest, "deadline_ns");
}

TEST(Header, AsksForExactlyTheDescriptorsOfTheType) {
    FrameHeader header;
    header.priority = Priority{};
    header.request_id = 1;
#define TEGU_X(number, Name, WORD, sentence)                                                          \
    header.type = MessageType::Name;                                                                  \
    for (const std::uint8_t count : {0, 1}) {                                                         \
        header.descriptors = count;                                                                   \
        const bool right = (count == 1) == (header.type == MessageType::BufferRegister);              \
        EXPECT_EQ(check_request(header).ok(), right) << #WORD << " with " << static_cast<int>(count); \
    }
    TEGU_MESSAGE_TYPES(TEGU_X)
#undef TEGU_X
}

TEST(Header, OfAnEventHasIdZeroAndNoOtherHas) {
    FrameHeader header;
    header.type = MessageType::Event;
    header.status = Status::ShuttingDown;
    const ByteBuffer event = bytes_of(header);
    EXPECT_EQ(decode(event)->status, Status::ShuttingDown);
    expect_error(decode(with<std::uint64_t>(event, 8, 1)), Status::BadRequest, "request_id");
    expect_error(decode(with<std::uint16_t>(event, 6, 0x8000)), Status::BadRequest, "request_id");
    expect_error(decode(with<std::uint16_t>(event, 6, 0x800a)), Status::BadRequest, "request_id");
}

TEST(Header, OfAReplyKeepsWorkingWithAStatusFromTheFuture) {
    FrameHeader header = job_header();
    header.reply = true;
    header.status = Status::Busy;
    const ByteBuffer busy = bytes_of(header);
    EXPECT_EQ(decode(busy)->deadline_ns, 250u);
    EXPECT_EQ(decode(busy)->type, MessageType::Job);
    EXPECT_EQ(decode(with<std::uint16_t>(busy, 20, 4711))->status, Status::Internal);
    expect_error(decode(with<std::uint16_t>(busy, 20, 0)), Status::BadRequest, "retry_after_ns");
    expect_error(decode(with<std::uint8_t>(busy, 22, 1)), Status::BadRequest, "priority");
}

TEST(Header, EncodesToTheBytesItWasDecodedFrom) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const ByteBuffer good = bytes_of(job_header());
    int accepted = 0;
    for (int i = 0; i < 20000; ++i) {
        ByteBuffer bytes = good;
        for (unsigned flips = 1 + random() % 3; flips > 0; --flips)
            bytes[random() % kHeaderBytes] =
                static_cast<std::byte>(random() % 4 == 0 ? random() : random() % 12);
        const Result<FrameHeader> header = decode(bytes);
        if (!header) continue;
        const bool answer = header->reply || header->type == MessageType::Event;
        if (answer ? header->status == Status::Internal : !check_request(*header)) continue;
        EXPECT_EQ(bytes_of(*header), bytes);
        ++accepted;
    }
    EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace tegu::wire
