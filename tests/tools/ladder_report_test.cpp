// SPDX-License-Identifier: Apache-2.0
// The report of tegu-bench ladder, of made-up times.
#include <gtest/gtest.h>

#include "tools/bench/ladder/ladder_bench.h"

namespace tegu::bench {
namespace {

LadderRow row(const std::string& name, const std::string& title, double us, std::uint64_t bytes,
              double speedup, std::uint64_t partials) {
    LadderRow made;
    made.row.name = name;
    made.row.median_ns = made.row.min_ns = 1e3 * us;
    made.row.noise = 0.015;
    made.row.elements = bytes / 4;
    made.row.bytes = bytes;
    made.title = title;
    made.change = "a <change> & more";
    made.of_copy = bytes == 0 ? 0 : 0.25;
    made.speedup = speedup;
    made.partials = partials;
    return made;
}

LadderReport report() {
    LadderReport made;
    made.gpu = "a GPU & its driver";
    made.copy_gigabytes_per_second = 400;
    made.copied_bytes = std::uint64_t{1} << 30;
    made.tables.push_back(
        {"Sum of 1000 f32",
         {row("sum/1", "1. first", 40, 4000000, 0, 4), row("sum/tegu", "tegu's", 20, 4000000, 2, 1)}});
    made.tables.push_back({"Sum of two", {row("add/managed", "managed", 1234.5, 0, 0, 0)}});
    return made;
}

Device device() {
    Device made;
    made.command = "tegu-bench ladder";
    made.commit = "abc";
    made.date = "2026-01-01 00:00 UTC";
    return made;
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(LadderReport, MarkdownHasARowForEachStepAndColumnsThatApply) {
    const std::string text = ladder_markdown(report(), device());
    EXPECT_TRUE(holds(
        text,
        "`tegu-bench ladder`, commit abc, 2026-01-01 00:00 UTC\non a GPU & its driver; a copy of 1024 MiB "
        "moves 400 GB/s"));
    EXPECT_TRUE(holds(text,
                      "| kernel | what it changes | us | noise | GB/s | of copy | faster by | left to add "
                      "|\n|---|---|---|---|---|---|---|---|\n"));
    EXPECT_TRUE(holds(text, "| 1. first | a <change> & more | 40.00 | 1.5 % | 100 | 25 % |  | 4 |\n"));
    EXPECT_TRUE(holds(text, "| tegu's | a <change> & more | 20.00 | 1.5 % | 200 | 25 % | 2.00 | 1 |\n"));
    EXPECT_TRUE(
        holds(text,
              "### Sum of two\n\n| kernel | what it changes | us | noise | GB/s | of copy | faster by "
              "|\n|---|---|---|---|---|---|---|\n"
              "| managed | a <change> & more | 1234 | 1.5 % |  |  |  |\n"));
}

TEST(LadderReport, JsonNamesTheGpuAndWhatAppliesToARow) {
    const std::string text = ladder_json(report(), device());
    EXPECT_TRUE(holds(text, "\"gpu\": \"a GPU & its driver\""));
    EXPECT_TRUE(holds(text, "\"name\": \"sum/tegu\", \"median_ns\": 20000, \"min_ns\": 20000"));
    EXPECT_TRUE(holds(text, "\"policy\": \"tegu's\", \"of_copy\": 0.25, \"speedup\": 2, \"partials\": 1}"));
    EXPECT_TRUE(holds(text, "\"policy\": \"managed\"}"));
}

}  // namespace
}  // namespace tegu::bench
