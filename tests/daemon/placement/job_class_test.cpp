// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/job_class.h"

#include <gtest/gtest.h>

#include "daemon/placement/gpu_work.h"
#include "tests/daemon/placement/placement_cases.h"

namespace tegu::daemon {
namespace {

std::uint64_t key(const Job& job) {
    return class_of_job(job).key;
}

TEST(JobClass, JobsOfOneClassDifferInSizeAlone) {
    EXPECT_EQ(key(job_of(sum(), 1, 1000)), key(job_of(sum(), 1, 10'000'000)));
    EXPECT_EQ(key(job_of(sum(), 10, 100)), key(job_of(sum(), 1, 10'000'000))) << "as one sequence";
    EXPECT_EQ(key(job_of(TopkParams{70, true, false}, 1, 1000)), key(job_of(TopkParams{100, true, false}, 1, 1000)))
        << "in steps of two";
    EXPECT_EQ(key(job_of(sum(), 10, 1000, ElementType::F32, Axis::Rows)),
              key(job_of(sum(), 99999, 1000, ElementType::F32, Axis::Rows)));
}

TEST(JobClass, WhatDecidesTheTimeMakesAClass) {
    std::vector<Job> jobs{job_of(sum(), 100, 100), job_of(sum(), 100, 100, ElementType::F64),
                          job_of(sum(), 100, 100, ElementType::F32, Axis::Rows),
                          job_of(ReduceParams{kAllStatistics, false, 0}, 100, 100),
                          job_of(ReduceParams{statistic_bit(Statistic::Var), false, 0}, 100, 100),
                          job_of(TopkParams{16, true, false}, 100, 100), job_of(TopkParams{16, true, true}, 100, 100),
                          job_of(TopkParams{1024, true, false}, 100, 100), job_of(DotParams{}, 100, 100),
                          job_of(AddParams{}, 100, 100)};
    for (const std::uint32_t window : {3u, 5u, 31u})
        for (const std::uint32_t levels : {16u, 256u}) {
            EntropyMapParams params;
            params.window_rows = params.window_cols = window;
            params.levels = levels;
            jobs.push_back(job_of(params, 100, 100));
        }
    for (const std::size_t count : {1u, 7u}) {
        QuantileParams params;
        params.q.assign(count, 0.5);
        jobs.push_back(job_of(params, 100, 100));
    }
    FusedParams fused;
    fused.parts = {sum()};
    jobs.push_back(job_of(fused, 100, 100));
    fused.parts.emplace_back(TopkParams{16, true, false});
    jobs.push_back(job_of(fused, 100, 100));
    for (std::size_t i = 0; i < jobs.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(key(jobs[i]), key(jobs[j])) << i << " and " << j;
}

TEST(JobClass, IsDescribedAsTablesDo) {
    const JobClass rows = class_of_job(job_of(sum(), 10, 1000, ElementType::U8, Axis::Rows));
    EXPECT_EQ(10u, rows.sequences);
    EXPECT_EQ(1000u, rows.elements);
    EXPECT_EQ(1u, rows.detail);
    const JobClass whole = class_of_job(job_of(TopkParams{7, true, true}, 10, 1000));
    EXPECT_EQ(1u, whole.sequences);
    EXPECT_EQ(10'000u, whole.elements);
    EXPECT_EQ(7u, whole.detail);
    EXPECT_EQ("distinct", whole.variant);
    EntropyMapParams map;
    map.window_cols = 7;
    map.border = Border::Mirror;
    const JobClass image = class_of_job(job_of(map, 10, 1000));
    EXPECT_EQ(35u, image.detail);
    EXPECT_EQ("mirror", image.variant);
    const StatisticSet three = statistic_bit(Statistic::Count) | statistic_bit(Statistic::Sum) |
                               statistic_bit(Statistic::Min) | statistic_bit(Statistic::Max);
    EXPECT_EQ(3u, class_of_job(job_of(ReduceParams{three, false, 0}, 1, 100)).detail) << "a count reads nothing";
}

TEST(GpuWork, GrowsWithSizeAndDetail) {
    const auto ps = [](const Job& job) { return gpu_work_of(job, kernels::plan_job(job).value()).ps; };
    EXPECT_GT(ps(job_of(sum(), 1, 2000)), ps(job_of(sum(), 1, 1000)));
    EXPECT_GT(ps(job_of(sum(), 1, 100'000, ElementType::F64)), ps(job_of(sum(), 1, 100'000)));
    EXPECT_GT(ps(job_of(TopkParams{50'000, true, false}, 1, 100'000)), ps(job_of(TopkParams{50, true, false}, 1, 100'000)));
    EntropyMapParams small, large;
    large.window_rows = large.window_cols = 63;
    EXPECT_GT(ps(job_of(large, 100, 100)), 5 * ps(job_of(small, 100, 100)));
    for (const OperationInfo& info : operation_infos()) {
        Job job = job_of(sum(), 100, 100);
        switch (info.operation) {
            case Operation::Reduce: break;
            case Operation::Topk: job.params = TopkParams{10, true, false}; break;
            case Operation::EntropyMap: job.params = EntropyMapParams{}; break;
            case Operation::Add: job.params = AddParams{}; break;
            case Operation::Dot: job.params = DotParams{}; break;
            case Operation::Rowscale: job.params = RowscaleParams{}; break;
            case Operation::Quantile: job.params = QuantileParams{{0.5}, QuantileMethod::Linear, false}; break;
            case Operation::Histogram: job.params = HistogramParams{}; break;
            case Operation::Entropy: job.params = EntropyParams{}; break;
            case Operation::Fused: job.params = FusedParams{{sum()}}; break;
        }
        EXPECT_GT(ps(job), 0) << info.stem;
    }
}

}  // namespace
}  // namespace tegu::daemon
