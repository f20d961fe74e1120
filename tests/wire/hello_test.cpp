// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

HelloRequest request() {
    HelloRequest message;
    message.version_max = 3;
    message.features = 0x8000000000000001;
    message.name = "camera-3";
    return message;
}

TEST(Hello, RequestComesBack) {
    const ByteBuffer body = body_of(request());
    const HelloRequest message = *decode_hello_request(body);
    EXPECT_EQ(message.version_min, 1);
    EXPECT_EQ(message.version_max, 3);
    EXPECT_EQ(message.features, 0x8000000000000001u)
        << "bits from the future are kept for the daemon to ignore";
    EXPECT_EQ(message.name, "camera-3");
}

TEST(Hello, ReplyComesBack) {
    HelloReply reply;
    reply.features = 1;
    reply.session = 99;
    reply.max_jobs_in_flight = 64;
    reply.max_buffers = 256;
    reply.max_buffer_bytes = std::uint64_t{1} << 40;
    reply.server = "tegud 0.1.0";
    const ByteBuffer body = body_of(reply);
    const HelloReply message = *decode_hello_reply(body);
    EXPECT_EQ(message.version, 1);
    EXPECT_EQ(message.features, 1u);
    EXPECT_EQ(message.session, 99u);
    EXPECT_EQ(message.max_body_bytes, kMaxBodyBytes);
    EXPECT_EQ(message.max_inline_bytes, kMaxInlineBytes);
    EXPECT_EQ(message.max_jobs_in_flight, 64u);
    EXPECT_EQ(message.max_buffers, 256u);
    EXPECT_EQ(message.max_buffer_bytes, std::uint64_t{1} << 40);
    EXPECT_EQ(message.server, "tegud 0.1.0");
}

TEST(Hello, EncoderCutsAndCleansNames) {
    HelloRequest message = request();
    const std::string long_name(200, 'x');
    message.name = long_name;
    EXPECT_EQ(decode_hello_request(body_of(message)).ok(), true);
    EXPECT_EQ(body_of(message).size(), 16 + kMaxNameBytes);
    message.name = "a\nb\xff\x7f";
    const ByteBuffer body = body_of(message);
    EXPECT_EQ(decode_hello_request(body)->name, "a?b??");
}

TEST(Hello, RefusesNamesThatAreTooLongOrNotPrintable) {
    const ByteBuffer good = body_of(request());
    expect_error(decode_hello_request(with<std::uint16_t>(with_tail(good, 57), 4, 65)), Status::TooLarge,
                 "name");
    expect_error(decode_hello_request(with<std::uint16_t>(good, 4, 65535)), Status::TooLarge, "name");
    for (const std::uint8_t character : {0x00, 0x0a, 0x1b, 0x7f, 0x80, 0xff})
        expect_error(decode_hello_request(with(good, 18, character)), Status::BadRequest, "name");
    ByteBuffer reply = body_of(HelloReply{});
    expect_error(decode_hello_reply(with<std::uint16_t>(reply, 2, 65)), Status::TooLarge, "server");
    reply = with<std::uint16_t>(with_tail(reply, 1), 2, 1);
    expect_error(decode_hello_reply(reply), Status::BadRequest, "server");
}

TEST(Hello, RefusesAnEmptyRangeOfVersionsAndWrongLengths) {
    const ByteBuffer good = body_of(request());
    expect_error(decode_hello_request(with<std::uint16_t>(good, 0, 4)), Status::BadRange, "version_min");
    expect_error(decode_hello_request(with<std::uint16_t>(good, 6, 1)), Status::BadRequest, "reserved");
    expect_error(decode_hello_request(with<std::uint16_t>(good, 4, 9)), Status::BadRequest, "body");
    expect_error(decode_hello_request(with<std::uint16_t>(good, 4, 7)), Status::BadRequest, "body");
    expect_error(decode_hello_request(with_tail(good, 1)), Status::BadRequest, "body");
    expect_error(decode_hello_reply(with<std::uint32_t>(body_of(HelloReply{}), 36, 1)), Status::BadRequest,
                 "reserved");
}

}  // namespace
}  // namespace tegu::wire
