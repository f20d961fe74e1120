// SPDX-License-Identifier: Apache-2.0
// Rows on their way into a table: findings in the journal, merged rows, and the summary of all classes.
#include "tools/tune/table/row_merge.h"

#include <gtest/gtest.h>

#include "tools/tune/table/finding.h"
#include "tools/tune/table/summary.h"

namespace tegu::tune {
namespace {

TuningRow row(const std::string& id, TuningRange elements, std::int64_t waves, double time_us = 90) {
    TuningRow made;
    made.id = id;
    made.jobs.operation = "add";
    made.jobs.width = 4;
    made.jobs.elements = elements;
    made.revision = 1;
    TuningValue value;
    value.name = "waves";
    value.number = waves;
    made.policy = {value};
    made.evidence.time_us = time_us;
    made.evidence.default_us = 100;
    made.evidence.noise = 0.004;
    made.evidence.date = "2026-11-23";
    return made;
}

TEST(Finding, ComesBackFromItsText) {
    Finding finding;
    finding.id = "cuda/add-f32-n0";
    finding.candidates = 31;
    finding.refused = 2;
    finding.best_speed = 1.125;
    finding.worst = 1.0625;
    finding.rows = {row("add-f32-n0", {0, 16384}, 8)};
    const Result<Finding> again = parse_finding(finding.id, finding_text(finding));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->candidates, 31u);
    EXPECT_EQ(again->refused, 2u);
    EXPECT_EQ(again->best_speed, 1.125);
    EXPECT_EQ(again->worst, 1.0625);
    ASSERT_EQ(again->rows.size(), 1u);
    EXPECT_EQ(again->rows[0].policy[0].number, 8);
    EXPECT_EQ(again->rows[0].jobs.elements, (TuningRange{0, 16384}));
    EXPECT_NEAR(again->speed(), 100.0 / 90, 1e-12);
    EXPECT_FALSE(again->is_cost());
    EXPECT_EQ(finding_text(*again), finding_text(finding));
}

TEST(Finding, OfACostComesBackToo) {
    Finding finding;
    finding.id = "cpu/cost-add-f32-1t";
    CostRow cost;
    cost.jobs = row("", {}, 1).jobs;
    cost.jobs.backend = TuningBackend::Cpu;
    cost.threads = 1;
    cost.revision = 1;
    cost.points = {{1000, 0.75}, {1e6, 312.5}};
    finding.costs = {cost};
    const Result<Finding> again = parse_finding(finding.id, finding_text(finding));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_TRUE(again->is_cost());
    ASSERT_EQ(again->costs.size(), 1u);
    EXPECT_EQ(again->costs[0].threads, 1u);
    EXPECT_EQ(again->costs[0].points[1].time_us, 312.5);
    EXPECT_EQ(again->speed(), 1);
}

TEST(Finding, TextThatIsNoneIsRefused) {
    EXPECT_FALSE(parse_finding("x", "").ok());
    EXPECT_FALSE(parse_finding("x", "# candidates=1\nformat = 1\n").ok());
    const Result<Finding> broken =
        parse_finding("cuda/x", "# candidates=1 refused=0 best_speed=1 worst=1\nformat = [\n");
    ASSERT_FALSE(broken.ok());
    EXPECT_NE(broken.error().message.find("cuda/x"), std::string::npos);
}

TEST(RowMerge, NeighboursWithOnePolicyAreOneRow) {
    const std::vector<TuningRow> merged = merge_rows({row("a", {0, 100}, 8, 80), row("b", {100, 200}, 8, 95),
                                                      row("c", {200, 300}, 4), row("d", {300, 400}, 8)});
    ASSERT_EQ(merged.size(), 3u);
    EXPECT_EQ(merged[0].id, "a");
    EXPECT_EQ(merged[0].jobs.elements, (TuningRange{0, 200}));
    EXPECT_EQ(merged[0].evidence.time_us, 95) << "the smaller gain";
    EXPECT_EQ(merged[1].id, "c");
    EXPECT_EQ(merged[2].id, "d");
}

TEST(RowMerge, WhatDoesNotTouchOrIsOfAnotherKindStays) {
    TuningRow typed = row("b", {100, 200}, 8), revised = row("c", {200, 300}, 8),
              shifted = row("d", {0, 100}, 8);
    typed.jobs.type = "f32";
    revised.revision = 2;
    shifted.jobs.detail = {5, 9};
    EXPECT_EQ(merge_rows({row("a", {0, 100}, 8), typed, revised}).size(), 3u);
    EXPECT_EQ(merge_rows({row("a", {0, 100}, 8), row("e", {150, 200}, 8)}).size(), 2u);
    EXPECT_EQ(merge_rows({row("a", {200, 300}, 8), shifted}).size(), 2u) << "two ranges differ";
}

// A square of four: two merges in one range make rows that differ in the other alone.
TEST(RowMerge, GoesOnAcrossBothRanges) {
    std::vector<TuningRow> rows;
    for (const TuningRange detail : {TuningRange{1, 5}, TuningRange{5, 9}})
        for (const TuningRange elements : {TuningRange{0, 100}, TuningRange{100, UINT64_MAX}}) {
            rows.push_back(row("r" + std::to_string(rows.size()), elements, 8));
            rows.back().jobs.detail = detail;
        }
    const std::vector<TuningRow> merged = merge_rows(rows);
    ASSERT_EQ(merged.size(), 1u);
    EXPECT_EQ(merged[0].jobs.elements, TuningRange());
    EXPECT_EQ(merged[0].jobs.detail, (TuningRange{1, 9}));
}

TEST(Summary, CountsClassesWithoutARowAsUnchanged) {
    const std::vector<ClassSpeed> speeds = {{"cuda/a-1", "cuda/a", true, 2, 1.5},
                                            {"cuda/a-2", "cuda/a", false, 1, 1},
                                            {"cuda/b-1", "cuda/b", true, 0.5, 0.4}};
    const GainSummary summary = summarize(speeds);
    EXPECT_EQ(summary.classes, 3u);
    EXPECT_EQ(summary.rows, 2u);
    EXPECT_NEAR(summary.mean, 1, 1e-12);
    EXPECT_EQ(summary.worst, 0.4);
    EXPECT_EQ(summary.worst_id, "cuda/b-1");
    EXPECT_EQ(summary.best_id, "cuda/a-1");
    EXPECT_EQ(summarize({}).worst, 1);
    const std::string text = summary_text(speeds);
    EXPECT_NE(text.find("cuda/a             2      1    1.414    1.000    2.000  cuda/a-1\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("all                3      2    1.000    0.400    2.000  cuda/a-1\n"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace tegu::tune
