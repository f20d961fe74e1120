// SPDX-License-Identifier: Apache-2.0
// Lists of numbers and ranges as they are typed.
#include "tools/tegu/output/words.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tegu {
namespace cli {
namespace {

TEST(Words, Split) {
    EXPECT_EQ(split("a,b"), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(split(""), std::vector<std::string>{""});
    EXPECT_EQ(split("a,"), (std::vector<std::string>{"a", ""}));
}

TEST(Words, NumbersOrNothing) {
    std::vector<double> numbers;
    ASSERT_TRUE(parse_numbers("0.5,-1e3,0x10", numbers));
    EXPECT_EQ(numbers, (std::vector<double>{0.5, -1000, 16}));
    for (const char* word : {"", ",", "1,", "1;2", "1 ", "one", "1,,2"}) {
        numbers.clear();
        EXPECT_FALSE(parse_numbers(word, numbers)) << word;
    }
}

TEST(Words, RangeIsTwoNumbers) {
    Range range;
    ASSERT_TRUE(parse_range("-2.5,inf", range));
    EXPECT_EQ(range.lo, -2.5);
    EXPECT_TRUE(std::isinf(range.hi));
    for (const char* word : {"", "1", "1,2,3", "1-2"}) EXPECT_FALSE(parse_range(word, range)) << word;
}

TEST(Words, FillRangeLeavesTheDefaultWithoutAWord) {
    tegu_histogram_params params = {};
    ASSERT_TRUE(fill_range("", params));
    EXPECT_EQ(params.has_range, 0);
    ASSERT_TRUE(fill_range("1,4", params));
    EXPECT_EQ(params.has_range, 1);
    EXPECT_EQ(params.hi, 4);
    const Expected<void> wrong = fill_range("1", params);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(exit_code_of(wrong.error()), 64);
    EXPECT_EQ(wrong.error().field, "--range");
}

}  // namespace
}  // namespace cli
}  // namespace tegu
