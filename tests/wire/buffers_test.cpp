// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

ByteBuffer encoded(const std::vector<BufferInfo>& buffers) {
    ByteBuffer out;
    encode(Span<const BufferInfo>(buffers), out);
    return out;
}

BufferInfo info() {
    BufferInfo info;
    info.handle = 1;
    info.session = 2;
    info.bytes = 3;
    info.jobs_total = 4;
    info.generation = 5;
    info.pid = 6;
    info.access = Access::ReadWrite;
    info.frozen = true;
    return info;
}

TEST(BufferRegister, ComesBackAndChecksItsFields) {
    const ByteBuffer good = body_of(BufferRegisterRequest{4096, Access::ReadWrite});
    EXPECT_EQ(decode_buffer_register(good)->bytes, 4096u);
    EXPECT_EQ(decode_buffer_register(good)->access, Access::ReadWrite);
    expect_error(decode_buffer_register(with<std::uint64_t>(good, 0, 0)), Status::BadRange, "bytes");
    expect_error(decode_buffer_register(with<std::uint8_t>(good, 8, 2)), Status::BadRange, "access");
    expect_error(decode_buffer_register(with<std::uint8_t>(good, 15, 1)), Status::BadRequest, "reserved");
    expect_error(decode_buffer_register(with_tail(good, 8)), Status::BadRequest, "body");
    EXPECT_EQ(decode_buffer_register(with(good, 0, UINT64_MAX))->bytes, UINT64_MAX)
        << "how much is too much is the daemon's to say";
}

TEST(BufferCreate, ComesBackAndChecksItsFields) {
    const ByteBuffer good = body_of(BufferCreateRequest{1});
    EXPECT_EQ(decode_buffer_create(good)->bytes, 1u);
    expect_error(decode_buffer_create(with<std::uint64_t>(good, 0, 0)), Status::BadRange, "bytes");
    expect_error(decode_buffer_create({}), Status::BadRequest, "body");
}

TEST(BufferReplyBody, ComesBackAndChecksItsFields) {
    const ByteBuffer good = body_of(BufferReply{7, 4096});
    EXPECT_EQ(decode_buffer_reply(good)->handle, 7u);
    EXPECT_EQ(decode_buffer_reply(good)->bytes, 4096u);
    expect_error(decode_buffer_reply(with<std::uint64_t>(good, 0, 0)), Status::BadRange, "handle");
    expect_error(decode_buffer_reply(with<std::uint64_t>(good, 8, 0)), Status::BadRange, "bytes");
}

TEST(BufferRefBody, ComesBackWithAnyHandle) {
    for (const std::uint64_t handle : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX})
        EXPECT_EQ(decode_buffer_ref(body_of(BufferRef{handle}))->handle, handle);
    expect_error(decode_buffer_ref(with_tail(body_of(BufferRef{1}), 1)), Status::BadRequest, "body");
}

TEST(BufferList, ComesBack) {
    const auto list = *decode_buffer_list(encoded({info(), BufferInfo{}}));
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].handle, 1u);
    EXPECT_EQ(list[0].session, 2u);
    EXPECT_EQ(list[0].bytes, 3u);
    EXPECT_EQ(list[0].jobs_total, 4u);
    EXPECT_EQ(list[0].generation, 5u);
    EXPECT_EQ(list[0].pid, 6u);
    EXPECT_EQ(list[0].access, Access::ReadWrite);
    EXPECT_TRUE(list[0].frozen);
    EXPECT_FALSE(list[0].created_by_daemon);
    EXPECT_EQ(list[1].access, Access::Read);
    EXPECT_TRUE(decode_buffer_list(encoded({}))->empty());
}

TEST(BufferList, TakesTheLongestListThatFitsABody) {
    const ByteBuffer body = encoded(std::vector<BufferInfo>(kMaxBuffersListed, info()));
    EXPECT_LE(body.size(), kMaxBodyBytes);
    EXPECT_EQ(decode_buffer_list(body)->size(), kMaxBuffersListed);
}

TEST(BufferList, IsRefusedIfItsCountLies) {
    const ByteBuffer good = encoded({info()});
    expect_error(decode_buffer_list(with<std::uint32_t>(good, 0, 2)), Status::BadRequest, "count");
    expect_error(decode_buffer_list(with<std::uint32_t>(good, 0, 0)), Status::BadRequest, "count");
    expect_error(decode_buffer_list(with<std::uint32_t>(good, 0, UINT32_MAX)), Status::TooLarge, "count");
    expect_error(decode_buffer_list(with_tail(good, 1)), Status::BadRequest, "count");
    expect_error(decode_buffer_list(with<std::uint8_t>(good, 8 + 44, 2)), Status::BadRange, "access");
    expect_error(decode_buffer_list(with<std::uint8_t>(good, 8 + 45, 2)), Status::BadRange, "frozen");
    expect_error(decode_buffer_list(with<std::uint8_t>(good, 8 + 46, 2)), Status::BadRange,
                 "created_by_daemon");
    expect_error(decode_buffer_list(with<std::uint8_t>(good, 8 + 47, 2)), Status::BadRequest, "reserved");
    expect_error(decode_buffer_list(with<std::uint8_t>(good, 4, 1)), Status::BadRequest, "reserved");
}

}  // namespace
}  // namespace tegu::wire
