// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

TEST(Cancel, ComesBackAndChecksItsFields) {
    EXPECT_EQ(decode_cancel_request(body_of(CancelRequest{UINT64_MAX}))->target_id, UINT64_MAX);
    expect_error(decode_cancel_request(body_of(CancelRequest{0})), Status::BadRange, "target_id");
    for (const bool running : {false, true})
        EXPECT_EQ(decode_cancel_reply(body_of(CancelReply{running}))->was_running, running);
    expect_error(decode_cancel_reply(with<std::uint8_t>(body_of(CancelReply{}), 0, 2)), Status::BadRange,
                 "was_running");
    expect_error(decode_cancel_reply(with<std::uint8_t>(body_of(CancelReply{}), 7, 2)), Status::BadRequest,
                 "reserved");
}

TEST(EmptyBody, HasNoBytes) {
    EXPECT_TRUE(decode_empty({}).ok());
    expect_error(decode_empty(ByteBuffer(1)), Status::BadRequest, "body");
}

}  // namespace
}  // namespace tegu::wire
