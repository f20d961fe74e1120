// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

const std::string kLongText(kMaxKernelTextBytes, 'x');

KernelInfo info(std::uint32_t first) {
    KernelInfo kernel;
    kernel.name = kLongText;
    kernel.moves = kLongText;
    std::uint32_t* const numbers[] = {&kernel.registers,           &kernel.threads,
                                      &kernel.max_threads,         &kernel.blocks_per_multiprocessor,
                                      &kernel.static_shared_bytes, &kernel.dynamic_shared_bytes,
                                      &kernel.local_bytes,         &kernel.constant_bytes,
                                      &kernel.architecture};
    for (std::uint32_t* const number : numbers) *number = first++;
    return kernel;
}

KernelsReply one() {
    KernelsReply reply;
    reply.total = 1;
    reply.threads_per_multiprocessor = 2048;
    reply.kernels = {info(1)};
    return reply;
}

TEST(Kernels, RequestComesBack) {
    EXPECT_EQ(decode_kernels_request(body_of(KernelsRequest{0xffffffffu}))->first, 0xffffffffu);
    expect_error(decode_kernels_request(with<std::uint8_t>(body_of(KernelsRequest{1}), 7, 1)),
                 Status::BadRequest, "reserved");
    expect_error(decode_kernels_request({}), Status::BadRequest, "body");
}

TEST(Kernels, LongestReplyFitsABodyAndComesBack) {
    const std::string reason(kMaxErrorTextBytes, 'r');
    KernelsReply reply;
    reply.total = 1000;
    reply.threads_per_multiprocessor = 1536;
    reply.reason = reason;
    for (std::uint32_t i = 0; i < kMaxKernelsListed; ++i) reply.kernels.push_back(info(100 * i));
    const ByteBuffer body = body_of(reply);
    EXPECT_LE(body.size(), kMaxBodyBytes);
    const Result<KernelsReply> again = decode_kernels_reply(body);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->total, 1000u);
    EXPECT_EQ(again->threads_per_multiprocessor, 1536u);
    EXPECT_EQ(again->reason, reason);
    ASSERT_EQ(again->kernels.size(), kMaxKernelsListed);
    const KernelInfo& last = again->kernels.back();
    EXPECT_EQ(last.name, kLongText);
    EXPECT_EQ(last.moves, kLongText);
    EXPECT_EQ(last.registers, 12700u);
    EXPECT_EQ(last.threads, 12701u);
    EXPECT_EQ(last.max_threads, 12702u);
    EXPECT_EQ(last.blocks_per_multiprocessor, 12703u);
    EXPECT_EQ(last.static_shared_bytes, 12704u);
    EXPECT_EQ(last.dynamic_shared_bytes, 12705u);
    EXPECT_EQ(last.local_bytes, 12706u);
    EXPECT_EQ(last.constant_bytes, 12707u);
    EXPECT_EQ(last.architecture, 12708u);
}

TEST(Kernels, LongReasonIsCut) {
    const std::string reason(2000, 'r');
    KernelsReply reply;
    reply.reason = reason;
    EXPECT_EQ(decode_kernels_reply(body_of(reply))->reason.size(), kMaxErrorTextBytes);
}

TEST(Kernels, ReplyChecksItsFields) {
    const ByteBuffer good = body_of(one());
    ASSERT_TRUE(decode_kernels_reply(good).ok());
    expect_error(decode_kernels_reply(with<std::uint16_t>(good, 8, kMaxKernelsListed + 1)), Status::TooLarge,
                 "count");
    expect_error(decode_kernels_reply(with<std::uint16_t>(good, 8, 2)), Status::BadRequest, "body");
    expect_error(decode_kernels_reply(with<std::uint16_t>(good, 8, 0)), Status::BadRequest, "body");
    expect_error(decode_kernels_reply(with<std::uint16_t>(good, 10, kMaxErrorTextBytes + 1)),
                 Status::TooLarge, "reason_bytes");
    expect_error(decode_kernels_reply(with<std::uint8_t>(good, 12, 1)), Status::BadRequest, "reserved");
    expect_error(decode_kernels_reply(with<std::uint8_t>(good, 16 + 36, 0)), Status::BadRequest,
                 "name_bytes");
    expect_error(decode_kernels_reply(with<std::uint8_t>(good, 16 + 37, 254)), Status::BadRequest, "body");
    expect_error(decode_kernels_reply(with<std::uint8_t>(good, 16 + 38, 1)), Status::BadRequest, "reserved");
    expect_error(decode_kernels_reply(with_tail(good, 1)), Status::BadRequest, "body");
}

}  // namespace
}  // namespace tegu::wire
