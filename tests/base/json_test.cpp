// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace tegu {
namespace {

TEST(Json, NestsObjectsAndListsWithCommasWhereTheyBelong) {
    Json json;
    json.begin_object().key("a").begin_array().integer(std::uint64_t{1}).null().boolean(false).end_array();
    json.key("b").begin_object().end_object().key("c").text("x").end_object();
    EXPECT_EQ(json.str(), R"({"a": [1, null, false], "b": {}, "c": "x"})");
}

TEST(Json, KeepsAllDigitsOfIntegersAndNamesWhatIsNoNumber) {
    Json json;
    json.begin_array()
        .integer(std::numeric_limits<std::uint64_t>::max())
        .integer(std::numeric_limits<std::int64_t>::min());
    json.number(0.1).number(std::numeric_limits<double>::quiet_NaN());
    json.number(std::numeric_limits<double>::infinity())
        .number(-std::numeric_limits<double>::infinity())
        .end_array();
    EXPECT_EQ(json.str(),
              R"([18446744073709551615, -9223372036854775808, 0.1, "NaN", "Infinity", "-Infinity"])");
}

TEST(Json, EscapesTextThatWouldEndTheStringOrIsNoUtf8) {
    const auto text = [](std::string_view value) {
        Json json;
        return json.text(value).str();
    };
    EXPECT_EQ(text("a\"b\\c"), R"("a\"b\\c")");
    EXPECT_EQ(text(std::string_view("\0\n\x7f", 3)), R"("\u0000\u000a\u007f")");
    EXPECT_EQ(text("\xc3\xa9"), "\"\xc3\xa9\"");
    EXPECT_EQ(text("\xc3"), R"("\ufffd")");
    EXPECT_EQ(text("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")") << "a surrogate";
    EXPECT_EQ(text("\xf4\x90\x80\x80").size(), 26u) << "beyond the last character";
}

}  // namespace
}  // namespace tegu
