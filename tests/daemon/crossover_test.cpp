// SPDX-License-Identifier: Apache-2.0
#include "daemon/crossover.h"

#include <gtest/gtest.h>

namespace tegu::daemon {
namespace {

Job job_of(JobParams params, std::uint64_t rows, std::uint64_t cols) {
    Job job;
    job.rows = rows;
    job.cols = cols;
    job.params = std::move(params);
    return job;
}

TEST(Crossover, CountsTheElementsOfItsOperation) {
    const Crossover crossover = default_crossover();
    EXPECT_FALSE(crossover.prefers_gpu(job_of(EntropyMapParams{}, 400, 409)));
    EXPECT_TRUE(crossover.prefers_gpu(job_of(EntropyMapParams{}, 400, 410)));
    EXPECT_FALSE(crossover.prefers_gpu(job_of(AddParams{}, 400, 410)));
    EXPECT_FALSE(crossover.prefers_gpu(job_of(AddParams{}, 1, 999'999)));
    EXPECT_TRUE(crossover.prefers_gpu(job_of(AddParams{}, 1000, 1000)));
    EXPECT_FALSE(crossover.prefers_gpu(job_of(AddParams{}, 0, 1000)));
}

TEST(Crossover, EveryOperationHasAnEntryAndNoShapeOverflows) {
    for (const OperationInfo& info : operation_infos())
        EXPECT_GT(default_crossover().at(info.operation), 0u) << info.stem;
    EXPECT_TRUE(default_crossover().prefers_gpu(job_of(AddParams{}, UINT64_MAX, 2)));
}

}  // namespace
}  // namespace tegu::daemon
