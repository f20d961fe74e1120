// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/cost_class.h"

#include <gtest/gtest.h>

#include "daemon/placement/gpu_work.h"
#include "tests/daemon/placement/placement_cases.h"

namespace tegu::daemon {
namespace {

std::uint64_t key(const Job& job) {
    return class_of_job(job).key;
}

TEST(CostClass, JobsOfOneClassDifferInSizeAlone) {
    EXPECT_EQ(key(job_of(sum(), 1, 1000)), key(job_of(sum(), 1, 10'000'000)));
    EXPECT_EQ(key(job_of(sum(), 10, 100)), key(job_of(sum(), 1, 10'000'000))) << "as one sequence";
    EXPECT_EQ(key(job_of(TopkParams{70, true, false}, 1, 1000)),
              key(job_of(TopkParams{100, true, false}, 1, 1000)))
        << "in steps of two";
    EXPECT_EQ(key(job_of(sum(), 10, 1000, ElementType::F32, Axis::Rows)),
              key(job_of(sum(), 99999, 1000, ElementType::F32, Axis::Rows)));
}

TEST(CostClass, WhatDecidesTheTimeMakesAClass) {
    std::vector<Job> jobs{job_of(sum(), 100, 100),
                          job_of(sum(), 100, 100, ElementType::F64),
                          job_of(sum(), 100, 100, ElementType::F32, Axis::Rows),
                          job_of(ReduceParams{kAllStatistics, false, 0}, 100, 100),
                          job_of(ReduceParams{statistic_bit(Statistic::Var), false, 0}, 100, 100),
                          job_of(TopkParams{16, true, false}, 100, 100),
                          job_of(TopkParams{16, true, true}, 100, 100),
                          job_of(TopkParams{1024, true, false}, 100, 100),
                          job_of(DotParams{}, 100, 100),
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

TEST(CostClass, IsDescribedAsTablesDo) {
    const CostClass rows = class_of_job(job_of(sum(), 10, 1000, ElementType::U8, Axis::Rows));
    EXPECT_EQ(10u, rows.job.sequences);
    EXPECT_EQ(1000u, rows.job.elements);
    EXPECT_EQ(10'000, rows.elements());
    EXPECT_EQ(Operation::Reduce, rows.operation());
    const CostClass whole = class_of_job(job_of(TopkParams{7, true, true}, 10, 1000));
    EXPECT_EQ(1u, whole.job.sequences);
    EXPECT_EQ(7u, whole.job.detail);
    EXPECT_EQ(unsigned{tuning::kDistinct}, whole.job.variants);
}

TEST(GpuWork, GrowsWithSizeAndDetail) {
    const auto ps = [](const Job& job) { return gpu_work_of(job, kernels::plan_job(job).value()).ps; };
    EXPECT_GT(ps(job_of(sum(), 1, 2000)), ps(job_of(sum(), 1, 1000)));
    EXPECT_GT(ps(job_of(sum(), 1, 100'000, ElementType::F64)), ps(job_of(sum(), 1, 100'000)));
    EXPECT_GT(ps(job_of(TopkParams{50'000, true, false}, 1, 100'000)),
              ps(job_of(TopkParams{50, true, false}, 1, 100'000)));
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
            case Operation::Quantile:
                job.params = QuantileParams{{0.5}, QuantileMethod::Linear, false};
                break;
            case Operation::Histogram: job.params = HistogramParams{}; break;
            case Operation::Entropy: job.params = EntropyParams{}; break;
            case Operation::Fused: job.params = FusedParams{{sum()}}; break;
        }
        EXPECT_GT(ps(job), 0) << info.stem;
    }
}

}  // namespace
}  // namespace tegu::daemon
