// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/sample_job.h"

#include <gtest/gtest.h>

namespace tegu::daemon {
namespace {

TEST(Sample, EveryOperationHasOne) {
    for (const OperationInfo& info : operation_infos()) {
        Sample sample;
        sample.operation = info.operation;
        sample.cols = 4096;
        const std::optional<Job> job = job_of(sample);
        ASSERT_TRUE(job) << info.stem;
        EXPECT_EQ(info.operation, operation_of(*job));
        EXPECT_TRUE(kernels::plan_job(*job).ok()) << info.stem;
        ASSERT_TRUE(class_of(sample)) << info.stem;
        EXPECT_EQ(4096u, class_of(sample)->job.elements) << info.stem;
    }
}

TEST(Sample, HasTheDetailThatIsAskedFor) {
    const auto detail = [](Operation operation, std::uint64_t wanted) {
        return class_of({operation, ElementType::F32, 1, 100'000, wanted, 0, false})->job.detail;
    };
    EXPECT_EQ(1000u, detail(Operation::Topk, 1000));
    EXPECT_EQ(25u, detail(Operation::EntropyMap, 25));
    EXPECT_EQ(961u, detail(Operation::EntropyMap, 961));
    EXPECT_EQ(7u, detail(Operation::Quantile, 7));
    EXPECT_EQ(4096u, detail(Operation::Histogram, 4096));
    EXPECT_EQ(512u, detail(Operation::Entropy, 512));
    EXPECT_EQ(4u, detail(Operation::Reduce, 4));
}

TEST(Sample, ThatCannotBeIsNone) {
    EXPECT_FALSE(job_of({Operation::Topk, ElementType::F32, 1, 10, 1000, 0, false})) << "k above n";
    EXPECT_FALSE(job_of({Operation::Rowscale, ElementType::U8, 1, 10, 0, 0, false})) << "of floats alone";
}

TEST(Sample, ItsTextIsReadBack) {
    Sample sample{Operation::EntropyMap, ElementType::U8, 512, 1024, 81, 256, false};
    EXPECT_EQ("entropy_map u8 512 1024 81 256 plain", text_of(sample));
    const std::optional<Sample> back = sample_from(text_of(sample));
    ASSERT_TRUE(back);
    EXPECT_EQ(text_of(sample), text_of(*back));
    sample = {Operation::Topk, ElementType::F32, 1, 100, 5, 0, true};
    EXPECT_TRUE(sample_from(text_of(sample))->distinct);
    for (const char* bad :
         {"", "topk", "topk f32 1 100 5 0", "topk f32 1 100 5 0 odd", "fly f32 1 100 5 0 plain",
          "topk f31 1 100 5 0 plain", "topk f32 x 100 5 0 plain", "topk f32 1 100 5 0 plain more"})
        EXPECT_FALSE(sample_from(bad)) << bad;
}

TEST(Sample, StandsForARowOfATable) {
    TuningClass jobs;
    jobs.operation = "topk";
    jobs.width = 4;
    jobs.detail = {8, 65};
    EXPECT_EQ(8u, sample_of(jobs, 1e6)->job.detail);
    EXPECT_EQ(1'000'000u, sample_of(jobs, 1e6)->job.elements);
    jobs.sequences = {100, UINT64_MAX};
    EXPECT_EQ(100u, sample_of(jobs, 1e6)->job.sequences);
    EXPECT_EQ(10'000u, sample_of(jobs, 1e6)->job.elements);
    jobs.operation = "entropy_map";
    jobs.levels = {65, 257};
    EXPECT_EQ(65u, sample_of(jobs, 1e6)->job.levels);
    EXPECT_NEAR(1e6, static_cast<double>(sample_of(jobs, 1e6)->job.elements), 1e3);
    jobs.operation = "fly";
    EXPECT_FALSE(sample_of(jobs, 1e6));
    jobs.operation = "reduce";
    EXPECT_FALSE(sample_of(jobs, 0));
    EXPECT_FALSE(sample_of(jobs, 1e300));
}

}  // namespace
}  // namespace tegu::daemon
