// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/cost_rows.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/daemon/placement/placement_cases.h"

namespace tegu::daemon {
namespace {

CostRow row(const char* operation, std::vector<CostPoint> points,
            TuningBackend backend = TuningBackend::Cuda) {
    CostRow made;
    made.jobs.backend = backend;
    made.jobs.operation = operation;
    made.points = std::move(points);
    return made;
}

double time_us(const std::vector<CostRow>& rows, const Job& job, TuningBackend backend = TuningBackend::Cuda,
               unsigned threads = 1) {
    return CostRows(rows, backend, threads).time_ns(class_of_job(job)) / 1000;
}

TEST(CostRows, InterpolateOnLogarithmicScales) {
    const std::vector<CostRow> rows{row("reduce", {{1000, 10}, {100'000, 1000}})};
    EXPECT_NEAR(10, time_us(rows, job_of(sum(), 1, 1000)), 1e-6);
    EXPECT_NEAR(100, time_us(rows, job_of(sum(), 1, 10'000)), 1e-6);
    EXPECT_NEAR(10, time_us(rows, job_of(sum(), 1, 10)), 1e-6) << "before the first";
    EXPECT_NEAR(5000, time_us(rows, job_of(sum(), 1, 500'000)), 1e-3) << "behind the last, with the elements";
    EXPECT_EQ(0, time_us(rows, job_of(DotParams{}, 1, 1000))) << "no row";
    EXPECT_NEAR(7, time_us({row("dot", {{1000, 7}})}, job_of(DotParams{}, 1, 100)), 1e-6)
        << "one point is enough";
}

TEST(CostRows, CountTheElementsOfAllSequences) {
    const std::vector<CostRow> rows{row("reduce", {{1000, 10}, {100'000, 1000}})};
    EXPECT_NEAR(100, time_us(rows, job_of(sum(), 100, 100, ElementType::F32, Axis::Rows)), 1e-6);
}

TEST(CostRows, TheRowThatSaysMostAboutAJobIsForIt) {
    CostRow any = row("topk", {{1000, 1}}), wide = row("topk", {{1000, 2}}), typed = row("topk", {{1000, 3}}),
            small = row("topk", {{1000, 4}}), distinct = row("topk", {{1000, 5}});
    wide.jobs.width = 4;
    typed.jobs.type = "i32";
    typed.jobs.width = 4;
    small.jobs.width = 4;
    small.jobs.detail = {1, 65};
    distinct.jobs.width = 4;
    distinct.jobs.variant = "distinct";
    const std::vector<CostRow> rows{any, wide, typed, small, distinct};
    EXPECT_NEAR(1, time_us(rows, job_of(TopkParams{100, true, false}, 1, 1000, ElementType::U8)), 1e-6);
    EXPECT_NEAR(2, time_us(rows, job_of(TopkParams{100, true, false}, 1, 1000)), 1e-6);
    EXPECT_NEAR(3, time_us(rows, job_of(TopkParams{100, true, false}, 1, 1000, ElementType::I32)), 1e-6);
    EXPECT_NEAR(4, time_us(rows, job_of(TopkParams{64, true, false}, 1, 1000)), 1e-6);
    EXPECT_NEAR(5, time_us(rows, job_of(TopkParams{100, true, true}, 1, 1000)), 1e-6);
}

TEST(CostRows, RangesOfSequencesAndElementsHold) {
    CostRow whole = row("reduce", {{1000, 1}}), rows = row("reduce", {{1000, 2}});
    whole.jobs.sequences = {1, 2};
    rows.jobs.sequences = {2, UINT64_MAX};
    rows.jobs.elements = {0, 1024};
    EXPECT_NEAR(1, time_us({whole, rows}, job_of(sum(), 1, 100)), 1e-6);
    EXPECT_NEAR(2, time_us({whole, rows}, job_of(sum(), 9, 100, ElementType::F32, Axis::Rows)), 1e-6);
    EXPECT_EQ(0, time_us({whole, rows}, job_of(sum(), 9, 1024, ElementType::F32, Axis::Rows)));
}

TEST(CostRows, OfTheCpuAreForItsThreads) {
    std::vector<CostRow> rows(3, row("reduce", {{1000, 1}}, TuningBackend::Cpu));
    rows[0].threads = 1;
    rows[1].threads = 16;
    rows[1].points = {{1000, 2}};
    rows[2].threads = 0;  // all of the pool
    rows[2].points = {{1000, 3}};
    const Job job = job_of(sum(), 1, 1000);
    EXPECT_NEAR(1, time_us(rows, job, TuningBackend::Cpu, 1), 1e-6);
    EXPECT_NEAR(2, time_us(rows, job, TuningBackend::Cpu, 16), 1e-6);
    EXPECT_NEAR(3, time_us(rows, job, TuningBackend::Cpu, 4), 1e-6);
    EXPECT_EQ(0, time_us(rows, job, TuningBackend::Cuda));
}

TEST(CostRows, OfEntropyMapsAreForTheirLevels) {
    CostRow few = row("entropy_map", {{1e6, 100}}), many = row("entropy_map", {{1e6, 900}});
    few.jobs.levels = {2, 17};
    many.jobs.levels = {65, 257};
    EntropyMapParams params;
    params.levels = 16;
    EXPECT_NEAR(100, time_us({few, many}, job_of(params, 1000, 1000)), 1e-3);
    params.levels = 256;
    EXPECT_NEAR(900, time_us({few, many}, job_of(params, 1000, 1000)), 1e-3);
    params.levels = 32;
    EXPECT_EQ(0, time_us({few, many}, job_of(params, 1000, 1000)));
}

TEST(CostRows, PlainOnesAreForJobsWithoutAVariant) {
    CostRow plain = row("topk", {{1000, 1}});
    plain.jobs.variant = "plain";
    EXPECT_NEAR(1, time_us({plain}, job_of(TopkParams{10, true, false}, 1, 1000)), 1e-6);
    EXPECT_EQ(0, time_us({plain}, job_of(TopkParams{10, true, true}, 1, 1000)));
    plain.jobs.variant = "odd";
    EXPECT_TRUE(CostRows({plain}, TuningBackend::Cuda, 1).empty());
}

TEST(CostRows, AreAlikeIfTheySayTheSame) {
    const CostRow one = row("topk", {{1000, 1}});
    CostRow other = one, later = one;
    other.points[0].time_us = 2;
    later.evidence.date = "2026-01-01";
    EXPECT_TRUE(are_alike({}, {}));
    EXPECT_TRUE(are_alike({one}, {later}));
    later.evidence.provenance = "model";
    EXPECT_FALSE(are_alike({one}, {later})) << "it says how sure it is";
    EXPECT_FALSE(are_alike({one}, {other}));
    EXPECT_FALSE(are_alike({one}, {one, one}));
    other = one;
    other.jobs.detail = {1, 2};
    EXPECT_FALSE(are_alike({one}, {other}));
}

TEST(CostRows, LeaveOutWhatCannotBe) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                     kInf = std::numeric_limits<double>::infinity();
    for (const std::vector<CostPoint>& points : {std::vector<CostPoint>{},
                                                 {{0, 1}},
                                                 {{-5, 1}},
                                                 {{1000, 0}},
                                                 {{1000, -1}},
                                                 {{1000, kNan}},
                                                 {{kNan, 1}},
                                                 {{1000, kInf}},
                                                 {{1000, 1}, {1000, 2}},
                                                 {{1000, 1}, {10, 2}}})
        EXPECT_TRUE(CostRows({row("reduce", points)}, TuningBackend::Cuda, 1).empty()) << points.size();
    EXPECT_TRUE(CostRows({row("fly", {{1000, 1}})}, TuningBackend::Cuda, 1).empty());
    EXPECT_EQ(1u,
              CostRows({row("fly", {{1000, 1}}), row("dot", {{1000, 1}})}, TuningBackend::Cuda, 1).size());
    EXPECT_EQ(0, CostRows().time_ns(planned(1000)));
}

}  // namespace
}  // namespace tegu::daemon
