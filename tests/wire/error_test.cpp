// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

FrameHeader reply_with(Status status) {
    FrameHeader header;
    header.type = MessageType::Job;
    header.reply = true;
    header.request_id = 1;
    header.status = status;
    header.deadline_ns = status == Status::Busy ? 77 : 0;
    return header;
}

TEST(ErrorBody, ComesBackWithTheStatusOfTheHeader) {
    const Error sent = bad_range("k", "1..10", "k is larger than the row");
    const Error error = decode_error(reply_with(Status::BadRange), body_of(sent));
    EXPECT_EQ(error.status, Status::BadRange);
    EXPECT_EQ(error.field, "k");
    EXPECT_EQ(error.allowed, "1..10");
    EXPECT_EQ(error.message, "k is larger than the row");
    EXPECT_EQ(error.retry_after_ns, 0u);
}

TEST(ErrorBody, BusyCarriesTheHint) {
    EXPECT_EQ(
        decode_error(reply_with(Status::Busy), body_of(make_error(Status::Busy, "later"))).retry_after_ns,
        77u);
}

TEST(ErrorBody, TextsAreCutBetweenCharacters) {
    // an e acute at the limit
    Error error = make_error(Status::Internal, std::string(kMaxErrorTextBytes - 1, 'a') + "\xc3\xa9");
    error.allowed = std::string(kMaxErrorTextBytes - 2, 'b') + "\xe2\x82\xac";  // a euro sign
    error.field = std::string(kMaxErrorTextBytes + 1, 'c');
    const Error decoded = decode_error(reply_with(Status::Internal), body_of(error));
    EXPECT_EQ(decoded.message, std::string(kMaxErrorTextBytes - 1, 'a'));
    EXPECT_EQ(decoded.allowed, std::string(kMaxErrorTextBytes - 2, 'b'));
    EXPECT_EQ(decoded.field, std::string(kMaxErrorTextBytes, 'c'));
    error.message = std::string(2000, '\x80');  // no place to cut
    EXPECT_EQ(decode_error(reply_with(Status::Internal), body_of(error)).message, "");
}

TEST(ErrorBody, ThatIsMalformedKeepsTheStatusAndSaysSo) {
    const ByteBuffer good = body_of(bad_range("k", "1..10", "k is wrong"));
    for (const ByteBuffer& body :
         {ByteBuffer{}, with_tail(good, 1), with<std::uint16_t>(good, 0, 2), with<std::uint16_t>(good, 6, 1),
          with<std::uint16_t>(with_tail(good, 512), 0, 513), with<std::uint16_t>(good, 4, 65535)}) {
        const Error error = decode_error(reply_with(Status::BadRange), body);
        EXPECT_EQ(error.status, Status::BadRange);
        EXPECT_EQ(error.message, "the daemon sent an error whose text cannot be read");
        EXPECT_TRUE(error.field.empty());
    }
}

TEST(ErrorBody, IsNeverOk) {
    EXPECT_EQ(decode_error(reply_with(Status::Ok), {}).status, Status::Internal);
}

}  // namespace
}  // namespace tegu::wire
