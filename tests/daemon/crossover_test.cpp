// SPDX-License-Identifier: Apache-2.0
#include "daemon/crossover.h"

#include <gtest/gtest.h>

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kLong = 1'000'000'000;

Job job_of(JobParams params, std::uint64_t rows, std::uint64_t cols, ElementType type = ElementType::F32) {
    Job job;
    job.type = type;
    job.rows = rows;
    job.cols = cols;
    job.params = std::move(params);
    return job;
}

bool prefers_gpu(const Job& job, std::uint64_t moved_bytes = 0, std::uint64_t cpu_ns = kLong) {
    return default_crossover().prefers_gpu(job, moved_bytes, cpu_ns);
}

TEST(Crossover, CountsTheBytesOfAllInputsOfItsOperation) {
    EXPECT_FALSE(prefers_gpu(job_of(EntropyMapParams{}, 128, 255)));
    EXPECT_TRUE(prefers_gpu(job_of(EntropyMapParams{}, 128, 256)));
    EXPECT_FALSE(prefers_gpu(job_of(EntropyMapParams{}, 128, 256, ElementType::U8)));
    EXPECT_FALSE(prefers_gpu(job_of(ReduceParams{}, 128, 256)));
    EXPECT_FALSE(prefers_gpu(job_of(ReduceParams{}, 1, (1 << 19) - 1)));
    EXPECT_TRUE(prefers_gpu(job_of(ReduceParams{}, 1, 1 << 19)));
    EXPECT_TRUE(prefers_gpu(job_of(AddParams{}, 1, 1 << 19))) << "two inputs of 2 MiB";
    EXPECT_FALSE(prefers_gpu(job_of(AddParams{}, 1, (1 << 19) - 1)));
    EXPECT_FALSE(prefers_gpu(job_of(AddParams{}, 0, 1000)));
}

TEST(Crossover, WhatIsCopiedForOneJobIsWeighedAgainstTheCpu) {
    const Job job = job_of(ReduceParams{}, 1, 1 << 20);
    EXPECT_TRUE(prefers_gpu(job, 4 << 20, 600'000)) << "copied in 0.53 ms";
    EXPECT_FALSE(prefers_gpu(job, 4 << 20, 500'000));
    EXPECT_TRUE(prefers_gpu(job, 0, 0));
}

TEST(Crossover, EveryOperationHasAnEntryAndNoShapeOverflows) {
    for (const OperationInfo& info : operation_infos())
        EXPECT_GT(default_crossover().at(info.operation), 0u) << info.stem;
    EXPECT_TRUE(prefers_gpu(job_of(AddParams{}, UINT64_MAX, 2)));
    EXPECT_TRUE(prefers_gpu(job_of(AddParams{}, 1, UINT64_MAX / 2)));
}

}  // namespace
}  // namespace tegu::daemon
