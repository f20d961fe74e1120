// SPDX-License-Identifier: Apache-2.0
// Text from outside in a grid: columns, cuts, and what cannot be shown. Then the parts of lines.
#include "tools/tegu/top/grid.h"

#include <gtest/gtest.h>

#include "tests/tools/top_frames.h"
#include "tools/tegu/top/parts.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

std::string shown(const std::string& text, int columns, bool unicode = true) {
    Grid grid(20, 1, unicode);
    grid.put(0, 0, columns, text, Style::Plain);
    return grid.text();
}

class TopGrid : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!use_utf8()) GTEST_SKIP() << "no UTF-8 locale";
    }
};

TEST_F(TopGrid, CutsByColumns) {
    EXPECT_EQ(shown("abcdef", 6), "abcdef\n");
    EXPECT_EQ(shown("abcdefg", 6), "abcde…\n");
    EXPECT_EQ(shown("abcdefg", 6, false), "abcde~\n");
    EXPECT_EQ(shown("图像处理", 8), "图像处理\n");
    EXPECT_EQ(shown("图像处理", 7), "图像处…\n");
    EXPECT_EQ(shown("图像处理", 6), "图像…\n");  // half a character is none
    EXPECT_EQ(shown("abc", 0), "\n");
}

TEST_F(TopGrid, ShowsWhatCannotBePrinted) {
    EXPECT_EQ(shown("a\x1b[2J\n\x7f", 20), "a\\x1b[2J\\x0a\\x7f\n");
    EXPECT_EQ(shown("\xe2\x80\xae", 20), "\\u202e\n");     // turns the direction of writing
    EXPECT_EQ(shown("e\xcc\x81", 20), "e\\u0301\n");       // joins its neighbour
    EXPECT_EQ(shown("\xc2\x9b\x31m", 20), "\\u009b1m\n");  // a control character of 8 bits
    EXPECT_EQ(shown("\xff\xc3", 20), "\\xff\\xc3\n");
    EXPECT_EQ(shown("\xed\xa0\x80", 20), "\\xed\\xa0\\x80\n");  // half of a pair
    EXPECT_EQ(shown("\xc3\xa4", 20, false), "\\xc3\\xa4\n");
    EXPECT_EQ(shown(std::string("a\0b", 3), 20), "a\\x00b\n");
}

TEST_F(TopGrid, LeavesOutWhatLiesOutside) {
    Grid grid(5, 2, true);
    EXPECT_EQ(grid.put(2, 0, 5, "x", Style::Plain), 0);
    EXPECT_EQ(grid.put(-1, 0, 5, "x", Style::Plain), 0);
    EXPECT_EQ(grid.put(0, 5, 5, "x", Style::Plain), 0);
    EXPECT_EQ(grid.put(0, -1, 5, "x", Style::Plain), 0);
    EXPECT_EQ(grid.put(0, 3, 100, "xyz", Style::Bad), 2);
    EXPECT_EQ(grid.text(), "   x…\n\n");
}

TEST_F(TopGrid, LinesCutTheLeftBeforeTheRight) {
    Grid grid(12, 1, true);
    draw_line({{{"a long text", Style::Label}}, {{"right"}}}, 0, 0, 12, grid);
    EXPECT_EQ(grid.text(), "a lon… right\n");
}

TEST_F(TopGrid, SmallScreensKeepWhatMatters) {
    const auto line = [](const char* text, int rank, bool title = false) {
        return Line{{{text}}, {}, rank, title};
    };
    const Lines all = {line("A", 1, true), line("a", 5), line("B", 1, true), line("b", 2), line("c", 3)};
    const auto names = [&](int height) {
        std::string found;
        for (const Line& each : fitting(all, height)) found += each.left[0].text;
        return found;
    };
    EXPECT_EQ(names(5), "AaBbc");
    EXPECT_EQ(names(4), "Bbc");  // a title alone says nothing
    EXPECT_EQ(names(2), "Bb");
    EXPECT_EQ(names(0), "");
}

TEST_F(TopGrid, Meters) {
    const auto text = [](Number share, bool unicode) {
        std::string drawn;
        for (const Span& span : meter(share, 4, Style::Meter, unicode)) drawn += span.text;
        return drawn;
    };
    EXPECT_EQ(text(0.0, true), "────");
    EXPECT_EQ(text(0.001, true), "╸───");
    EXPECT_EQ(text(0.5, true), "━━──");
    EXPECT_EQ(text(0.6, true), "━━╸─");
    EXPECT_EQ(text(17.0, true), "━━━━");
    EXPECT_EQ(text(-1.0, true), "────");
    EXPECT_EQ(text({}, true), "────");
    EXPECT_EQ(text(0.6, false), "###-");
}

TEST(TopText, NumbersAreShort) {
    EXPECT_EQ(percent_text(0.472), " 47 %");
    EXPECT_EQ(percent_text(1e17), "999 %");
    EXPECT_EQ(percent_text({}), "    -");
    EXPECT_EQ(part_text(3.4e9, 8.1e9), "3.2 of 7.5 GiB");
    EXPECT_EQ(part_text(12, 100), "12 of 100 B");
    EXPECT_EQ(part_text({}, 8.1e9), "-");
    EXPECT_EQ(span_text(59), "59 s");
    EXPECT_EQ(span_text(61), "1 min 1 s");
    EXPECT_EQ(span_text(3 * 86400 + 4 * 3600), "3 d 4 h");
    EXPECT_EQ(span_text(-5), "0 s");
    EXPECT_EQ(count_text(0.25), "0.2");
    EXPECT_EQ(count_text(3), "3");
    EXPECT_EQ(count_text(812.4), "812");
    EXPECT_EQ(count_text(12345), "12.3k");
    EXPECT_EQ(count_text(4560000), "4.56M");
    EXPECT_EQ(size_text(1e18), "909494.7 TiB");
}

}  // namespace
}  // namespace top
}  // namespace cli
}  // namespace tegu
