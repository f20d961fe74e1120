// SPDX-License-Identifier: Apache-2.0
// Texts for people and programs: numbers, elements, times, tables, JSON, shapes, and the percentiles of a
// histogram.
#include "tools/tegu/output/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tools/tegu/input.h"
#include "tools/tegu/output/json.h"

namespace tegu {
namespace cli {
namespace {

TEST(NumberText, ShortestThatReadsBack) {
    EXPECT_EQ(number_text(0.1), "0.1");
    EXPECT_EQ(number_text(0.1f), "0.1");
    EXPECT_EQ(number_text(1.0 / 3), "0.3333333333333333");
    EXPECT_EQ(number_text(1.0f / 3), "0.33333334");
    EXPECT_EQ(number_text(-0.0), "-0");
    EXPECT_EQ(number_text(5e-324), "4.94065645841247e-324");
    EXPECT_EQ(number_text(std::nan("")), "nan");
    EXPECT_EQ(number_text(-HUGE_VALF), "-inf");
    std::mt19937_64 random(2026);
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t bits = random();
        double value;
        std::memcpy(&value, &bits, sizeof value);
        if (std::isnan(value)) continue;
        EXPECT_EQ(std::strtod(number_text(value).c_str(), nullptr), value) << bits;
    }
}

TEST(ElementText, EveryType) {
    const auto text = [](std::uint8_t type, const void* data) {
        return element_text(client::Array{1, type, 1, 1, data}, 0);
    };
    const std::uint64_t big = UINT64_MAX;
    const std::int64_t least = INT64_MIN;
    const std::int8_t small = -128;
    EXPECT_EQ(text(TEGU_U64, &big), "18446744073709551615");
    EXPECT_EQ(text(TEGU_I64, &least), "-9223372036854775808");
    EXPECT_EQ(text(TEGU_I8, &small), "-128");
    EXPECT_EQ(text(TEGU_U8, &small), "128");
    const std::uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x03ff, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x8000};
    const char* const expected[] = {"1",   "-2", "5.9604645e-08", "6.097555e-05", "65504", "inf", "-inf",
                                    "nan", "-0"};
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(text(TEGU_F16, &halves[i]), expected[i]);
}

TEST(DurationText, PicksTheUnit) {
    EXPECT_EQ(duration_text(0), "0 ns");
    EXPECT_EQ(duration_text(999), "999 ns");
    EXPECT_EQ(duration_text(1234), "1.23 us");
    EXPECT_EQ(duration_text(99960), "100 us");
    EXPECT_EQ(duration_text(999600), "1 ms");
    EXPECT_EQ(duration_text(1.5e9), "1.5 s");
    EXPECT_EQ(rate_text(1e9, 1e9), "1 GB/s");
    EXPECT_EQ(rate_text(1e9, 0), "-");
    EXPECT_EQ(bytes_text(1023), "1023 B");
    EXPECT_EQ(bytes_text(64 << 20), "64.0 MiB");
    EXPECT_EQ(bytes_text((1 << 20) - 1), "1.0 MiB");
}

TEST(Table, Aligns) {
    Table table("lr");
    table.heading({"a", "long"});
    table.row({"xyz", "1"});
    EXPECT_EQ(table.text(false), "  a     long\n  xyz      1\n");
    EXPECT_EQ(table.text(true), "\033[1m  a     long\033[0m\n  xyz      1\n");
}

TEST(JsonText, EscapesAndSeparates) {
    Json json;
    json.begin_object().key("a\"\\\n").text(std::string("\x01\xff\xc3\xa9\xed\xa0\x80", 7));
    json.key("list")
        .begin_array()
        .integer(std::uint64_t{UINT64_MAX})
        .number(-HUGE_VAL)
        .number(std::nanf(""))
        .boolean(true);
    json.begin_array().end_array().end_array().key("n").null().end_object();
    EXPECT_EQ(json.str(),
              "{\"a\\\"\\\\\\u000a\": \"\\u0001\\ufffd\xc3\xa9\\ufffd\\ufffd\\ufffd\", \"list\": "
              "[18446744073709551615, \"-Infinity\", \"NaN\", true, []], \"n\": null}");
}

TEST(Shape, Words) {
    EXPECT_EQ(parse_shape("100").value(), (std::vector<std::uint64_t>{100}));
    EXPECT_EQ(parse_shape("3x4,5").value(), (std::vector<std::uint64_t>{3, 4, 5}));
    for (const char* word : {"", "x", "3x", "-1", " 3", "3 ", "1e3", "99999999999999999999", "3.5", "3xx4"})
        EXPECT_FALSE(parse_shape(word)) << word;
}

TEST(FoldedText, CutsBehindCommas) {
    const std::string line = "cpu: computed in 1 ms, queued 8 us, copied 0 ns\n";
    EXPECT_EQ(folded_text(line, 0), line);
    EXPECT_EQ(folded_text(line, 80), line);
    EXPECT_EQ(folded_text(line, 36), "cpu: computed in 1 ms, queued 8 us,\n  copied 0 ns\n");
    EXPECT_EQ(folded_text(line, 24), "cpu: computed in 1 ms,\n  queued 8 us,\n  copied 0 ns\n");
    EXPECT_EQ(folded_text("one long word", 3), "one long word");
}

}  // namespace
}  // namespace cli
}  // namespace tegu
