// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

ByteBuffer encoded(const std::vector<Field>& fields) {
    ByteBuffer out;
    encode(Span<const Field>(fields), out);
    return out;
}

const std::vector<Field> kFields = {{"jobs_total", std::uint64_t{12345678901234567890u}},
                                    {"load", 0.25},
                                    {"backend", std::string("cpu")},
                                    {"text", std::string()}};

TEST(Fields, ComeBackInOrder) {
    const auto fields = *decode_fields(encoded(kFields));
    ASSERT_EQ(fields.size(), 4u);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        EXPECT_EQ(fields[i].name, kFields[i].name);
        EXPECT_EQ(fields[i].value, kFields[i].value);
    }
    EXPECT_TRUE(decode_fields(encoded({}))->empty());
}

TEST(Fields, KeepNan) {
    EXPECT_TRUE(std::isnan(std::get<double>((*decode_fields(encoded({{"x", std::nan("")}})))[0].value)));
}

TEST(Fields, OfAKindFromTheFutureAreSkipped) {
    ByteBuffer body = encoded({{"future", std::string("abc")}, {"known", std::uint64_t{7}}});
    body = with<std::uint8_t>(body, 8, 9);
    const auto fields = *decode_fields(body);
    ASSERT_EQ(fields.size(), 1u);
    EXPECT_EQ(fields[0].name, "known");
}

TEST(Fields, TakeTheLargestListAndNoMore) {
    std::vector<Field> many(kMaxFields, Field{"n", std::uint64_t{1}});
    const ByteBuffer body = encoded(many);
    EXPECT_EQ(decode_fields(body)->size(), kMaxFields);
    expect_error(decode_fields(with<std::uint16_t>(body, 0, kMaxFields + 1)), Status::TooLarge, "count");
    const std::vector<Field> longest = {
        {std::string(kMaxNameBytes, 'n'), std::string(kMaxFieldTextBytes, 't')}};
    EXPECT_EQ(std::get<std::string>((*decode_fields(encoded(longest)))[0].value).size(), kMaxFieldTextBytes);
}

TEST(Fields, TextsAreCutBetweenCharacters) {
    const auto fields = *decode_fields(
        encoded({{"path", std::string(kMaxFieldTextBytes - 1, 'p') + "\xc3\xa9"}, {"n", 0.5}}));
    EXPECT_EQ(std::get<std::string>(fields[0].value), std::string(kMaxFieldTextBytes - 1, 'p'));
    EXPECT_EQ(std::get<double>(fields[1].value), 0.5);
}

TEST(Fields, AreRefusedWithTheWrongLengths) {
    const ByteBuffer good = encoded(kFields);
    expect_error(decode_fields(with<std::uint16_t>(good, 0, 65535)), Status::TooLarge, "count");
    expect_error(decode_fields(with<std::uint16_t>(good, 0, 5)), Status::BadRequest, "body");
    expect_error(decode_fields(with<std::uint16_t>(good, 0, 3)), Status::BadRequest, "body");
    expect_error(decode_fields(with<std::uint8_t>(good, 5, 1)), Status::BadRequest, "reserved");
    expect_error(decode_fields(with<std::uint8_t>(good, 9, 0)), Status::BadRequest, "name_bytes");
    expect_error(decode_fields(with<std::uint8_t>(with_tail(good, 100), 9, 65)), Status::BadRequest,
                 "name_bytes");
    expect_error(decode_fields(with<std::uint16_t>(good, 10, 7)), Status::BadRequest, "value_bytes");
    expect_error(decode_fields(with<std::uint16_t>(good, 10, 1025)), Status::TooLarge, "value_bytes");
    expect_error(decode_fields(with<std::uint8_t>(good, 9, 64)), Status::BadRequest, "body");
}

}  // namespace
}  // namespace tegu::wire
