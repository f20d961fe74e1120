// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

constexpr std::size_t kInOutput = 1, kCount = 2, kPolicyBytes = 4, kArray = 32;
constexpr std::size_t kRole = kArray, kType = kArray + 1, kRows = kArray + 8, kCols = kArray + 16,
                      kOffset = kArray + 24;

const ByteBuffer kData(24, std::byte{9});

JobReply reply() {
    JobReply reply;
    reply.backend = Backend::Cpu;
    reply.policy = "cpu avx2";
    reply.timing = {1, 2, 3};
    reply.arrays = {{{ArrayRole::Values, ElementType::F32, 1, 2}, 0},
                    {{ArrayRole::Indices, ElementType::I64, 1, 2}, 8}};
    reply.data = kData;
    return reply;
}

JobReply reply_in_output() {
    JobReply message = reply();
    message.in_output = true;
    message.arrays[1].offset_bytes = 64;
    message.data = {};
    return message;
}

TEST(JobReplyBody, ComesBack) {
    const ByteBuffer body = body_of(reply());
    const JobReply message = *decode_job_reply(body);
    EXPECT_EQ(message.backend, Backend::Cpu);
    EXPECT_EQ(message.policy, "cpu avx2");
    EXPECT_EQ(message.timing.queue_ns, 1u);
    EXPECT_EQ(message.timing.copy_ns, 2u);
    EXPECT_EQ(message.timing.compute_ns, 3u);
    EXPECT_FALSE(message.in_output);
    ASSERT_EQ(message.arrays.size(), 2u);
    EXPECT_EQ(message.arrays[1].spec.role, ArrayRole::Indices);
    EXPECT_EQ(message.arrays[1].spec.type, ElementType::I64);
    EXPECT_EQ(message.arrays[1].spec.cols, 2u);
    EXPECT_EQ(message.arrays[1].offset_bytes, 8u);
    EXPECT_EQ(message.data.size(), 24u);
    EXPECT_EQ(message.data.end(), body.data() + body.size()) << "a view, not a copy";
}

TEST(JobReplyBody, InOutputHasNoData) {
    const JobReply message = *decode_job_reply(body_of(reply_in_output()));
    EXPECT_TRUE(message.in_output);
    EXPECT_EQ(message.arrays[1].offset_bytes, 64u);
}

TEST(JobReplyBody, DataBeginsAtAMultipleOfEightWhateverThePolicy) {
    const std::string policy(kMaxPolicyBytes, 'p');
    for (std::size_t length = 0; length <= policy.size(); ++length) {
        JobReply message = reply();
        message.policy = std::string_view(policy).substr(0, length);
        const ByteBuffer body = body_of(message);
        const JobReply decoded = *decode_job_reply(body);
        EXPECT_EQ((decoded.data.data() - body.data()) % 8, 0) << length;
        EXPECT_EQ(decoded.policy, message.policy);
    }
}

TEST(JobReplyBody, PrefixLeavesRoomForTheData) {
    ByteBuffer out(3);
    const JobReply message = reply();
    const std::size_t begin = encode_job_reply_prefix(message, message.data.size(), out);
    EXPECT_EQ(out.size(), begin + message.data.size());
    std::memcpy(out.data() + begin, message.data.data(), message.data.size());
    EXPECT_EQ(ByteBuffer(out.begin() + 3, out.end()), body_of(message));
}

TEST(JobReplyBody, TakesTheMostArraysAndNoMore) {
    JobReply message = reply();
    message.arrays.assign(kMaxArrays, message.arrays[0]);
    const ByteBuffer body = body_of(message);
    EXPECT_EQ(decode_job_reply(body)->arrays.size(), kMaxArrays);
    expect_error(decode_job_reply(with<std::uint16_t>(with_tail(body, 32), kCount, kMaxArrays + 1)),
                 Status::TooLarge, "array_count");
    expect_error(decode_job_reply(with<std::uint16_t>(body_of(reply()), kCount, 32)), Status::BadRequest,
                 "body");
}

TEST(JobReplyBody, RefusesArraysOutsideTheData) {
    const ByteBuffer good = body_of(reply());
    for (const std::uint64_t offset : {std::uint64_t{24}, std::uint64_t{1} << 63, UINT64_MAX - 7})
        expect_error(decode_job_reply(with(good, kOffset, offset)), Status::BadRange, "offset_bytes");
    for (const std::uint64_t offset : {1, 4, 12})
        expect_error(decode_job_reply(with(good, kOffset, offset)), Status::BadRange, "offset_bytes");
    expect_error(decode_job_reply(with<std::uint64_t>(good, kCols, 7)), Status::BadRange, "offset_bytes");
    EXPECT_TRUE(decode_job_reply(with<std::uint64_t>(good, kCols, 6)).ok());
    expect_error(decode_job_reply(with<std::uint64_t>(good, kRows, std::uint64_t{1} << 63)), Status::BadRange,
                 "offset_bytes");
    expect_error(decode_job_reply(with<std::uint64_t>(good, kRows, std::uint64_t{1} << 61)), Status::BadRange,
                 "offset_bytes");
    const ByteBuffer out = body_of(reply_in_output());
    expect_error(decode_job_reply(with<std::uint64_t>(out, kOffset, 8)), Status::BadRange, "offset_bytes");
    expect_error(decode_job_reply(with<std::uint64_t>(out, kOffset, UINT64_MAX - 63)), Status::BadRange,
                 "offset_bytes");
}

TEST(JobReplyBody, RefusesNumbersAndLengthsThatAreWrong) {
    const ByteBuffer good = body_of(reply());
    expect_error(decode_job_reply(with<std::uint8_t>(good, 0, 3)), Status::BadRange, "backend");
    expect_error(decode_job_reply(with<std::uint8_t>(good, kInOutput, 2)), Status::BadRange, "in_output");
    expect_error(decode_job_reply(with<std::uint8_t>(good, kInOutput, 1)), Status::BadRequest, "data");
    expect_error(decode_job_reply(with<std::uint16_t>(good, kPolicyBytes, 257)), Status::TooLarge,
                 "policy_bytes");
    expect_error(decode_job_reply(with<std::uint16_t>(good, kPolicyBytes, 200)), Status::BadRequest, "body");
    expect_error(decode_job_reply(with<std::uint16_t>(good, 6, 1)), Status::BadRequest, "reserved");
    for (const std::uint8_t role : {0, 16, 31, 44, 255})
        expect_error(decode_job_reply(with(good, kRole, role)), Status::BadRange, "role");
    for (const std::uint8_t type : {0, 12, 255})
        expect_error(decode_job_reply(with(good, kType, type)), Status::BadRange, "type");
    expect_error(decode_job_reply(with<std::uint8_t>(good, kArray + 7, 1)), Status::BadRequest, "reserved");
    JobReply message = reply();
    message.policy = "p";
    expect_error(decode_job_reply(with<std::uint8_t>(body_of(message), kArray + 64 + 1, 1)),
                 Status::BadRequest, "reserved");
    const ByteBuffer too_much(kMaxInlineBytes + 8);
    message.data = too_much;
    expect_error(decode_job_reply(body_of(message)), Status::TooLarge, "data");
}

TEST(LayoutArrays, PutsEachAtItsAlignment) {
    const ArraySpec specs[] = {{ArrayRole::Values, ElementType::U8, 3, 3},
                               {ArrayRole::Indices, ElementType::I64, 3, 3},
                               {ArrayRole::Counts, ElementType::U64, 0, 1},
                               {ArrayRole::Map, ElementType::F32, 1, 1}};
    std::vector<std::uint64_t> offsets{99};
    EXPECT_EQ(*layout_arrays(specs, 8, offsets), 92u);
    EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 16, 88, 88}));
    EXPECT_EQ(*layout_arrays(specs, 64, offsets), 196u);
    EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 64, 192, 192}));
    EXPECT_EQ(*layout_arrays({}, 64, offsets), 0u);
}

TEST(LayoutArrays, RefusesWhatDoesNotFit63Bits) {
    std::vector<std::uint64_t> offsets;
    const std::uint64_t two62 = std::uint64_t{1} << 62;
    const auto layout = [&](std::vector<ArraySpec> specs) { return layout_arrays(specs, 64, offsets); };
    const auto bytes = [](std::uint64_t count) {
        return ArraySpec{ArrayRole::Values, ElementType::U8, 1, count};
    };
    EXPECT_EQ(*layout({bytes(INT64_MAX)}), std::uint64_t{INT64_MAX});
    expect_error(layout({bytes(std::uint64_t{1} << 63)}), Status::TooLarge, "rows");
    expect_error(layout({{ArrayRole::Values, ElementType::F64, two62, 4}}), Status::TooLarge, "rows");
    expect_error(layout({{ArrayRole::Values, ElementType::F64, UINT64_MAX, UINT64_MAX}}), Status::TooLarge,
                 "rows");
    expect_error(layout({{ArrayRole::Values, ElementType::F64, two62, 1}}), Status::TooLarge, "rows");
    expect_error(layout({bytes(two62), bytes(two62)}), Status::TooLarge, "rows");
    EXPECT_TRUE(layout({bytes(two62), bytes(two62 - 1)}).ok());
    expect_error(layout({bytes(INT64_MAX), bytes(0), bytes(1)}), Status::TooLarge, "rows");
}

}  // namespace
}  // namespace tegu::wire
