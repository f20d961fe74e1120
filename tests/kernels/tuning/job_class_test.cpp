// SPDX-License-Identifier: Apache-2.0
#include "kernels/tuning/job_class.h"

#include <gtest/gtest.h>

namespace tegu::tuning {
namespace {

Job job_of(JobParams params, std::uint64_t rows, std::uint64_t cols, Axis axis = Axis::Whole) {
    Job job;
    job.rows = rows;
    job.cols = cols;
    job.axis = axis;
    job.params = std::move(params);
    return job;
}

TEST(JobClass, ShapeIsOneSequenceOrOneARow) {
    const JobClass whole = class_of(job_of(TopkParams{10, true, false}, 30, 100));
    EXPECT_EQ(whole.sequences, 1u);
    EXPECT_EQ(whole.elements, 3000u);
    EXPECT_EQ(whole.width, 4u);
    const JobClass rows = class_of(job_of(TopkParams{10, true, false}, 30, 100, Axis::Rows));
    EXPECT_EQ(rows.sequences, 30u);
    EXPECT_EQ(rows.elements, 100u);
}

TEST(JobClass, DetailIsTheNumberThatDecides) {
    ReduceParams reduce;
    reduce.statistics =
        statistic_bit(Statistic::Count) | statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Var);
    EntropyMapParams map;
    map.window_rows = 5;
    map.window_cols = 7;
    map.levels = 32;
    QuantileParams quantile;
    quantile.q = {0.1, 0.5, 0.9};
    HistogramParams histogram;
    histogram.bins = 77;
    EntropyParams entropy;
    entropy.levels = 99;
    FusedParams fused;
    fused.parts = {reduce, entropy};
    const auto detail = [](JobParams params) { return class_of(job_of(std::move(params), 1, 100)).detail; };
    EXPECT_EQ(detail(reduce), 2u);
    EXPECT_EQ(detail(TopkParams{17, true, false}), 17u);
    EXPECT_EQ(detail(map), 35u);
    EXPECT_EQ(class_of(job_of(map, 10, 10)).levels, 32u);
    EXPECT_EQ(detail(AddParams{}), 0u);
    EXPECT_EQ(detail(DotParams{}), 0u);
    EXPECT_EQ(detail(RowscaleParams{}), 0u);
    EXPECT_EQ(detail(quantile), 3u);
    EXPECT_EQ(detail(histogram), 77u);
    EXPECT_EQ(detail(entropy), 99u);
    EXPECT_EQ(detail(fused), 2u);
}

TEST(JobClass, PartsOfAFusedJobAreAsJobsOfTheirOwn) {
    FusedParams fused;
    fused.parts = {TopkParams{5, true, true}, EntropyParams{}};
    const Job job = job_of(fused, 8, 1000, Axis::Rows);
    EXPECT_EQ(class_of(job).operation, Operation::Fused);
    const JobClass part = class_of(job, fused.parts[0]),
                   alone = class_of(job_of(TopkParams{5, true, true}, 8, 1000, Axis::Rows));
    EXPECT_EQ(part.operation, Operation::Topk);
    EXPECT_EQ(part.sequences, alone.sequences);
    EXPECT_EQ(part.elements, alone.elements);
    EXPECT_EQ(part.detail, alone.detail);
    EXPECT_EQ(part.variants, alone.variants);
}

TEST(JobClass, RowsHoldForTheirVariantAlone) {
    const JobClass plain = class_of(job_of(TopkParams{5, true, false}, 1, 100));
    const JobClass distinct = class_of(job_of(TopkParams{5, true, true}, 1, 100));
    TuningClass wanted;
    wanted.operation = "topk";
    EXPECT_TRUE(holds(wanted, plain) && holds(wanted, distinct));
    wanted.variant = "distinct";
    EXPECT_TRUE(!holds(wanted, plain) && holds(wanted, distinct));
    wanted.variant = "plain";
    EXPECT_TRUE(holds(wanted, plain) && !holds(wanted, distinct));
}

TEST(JobClass, RowsHoldWithinTheirRanges) {
    const JobClass job = class_of(job_of(TopkParams{5, true, false}, 1, 1000));
    TuningClass wanted;
    wanted.operation = "topk";
    wanted.elements = {1000, 1001};
    EXPECT_TRUE(holds(wanted, job));
    wanted.elements = {0, 1000};
    EXPECT_FALSE(holds(wanted, job));
    wanted.elements = TuningRange();
    wanted.detail = {6, 10};
    EXPECT_FALSE(holds(wanted, job));
    wanted.detail = {5, 6};
    wanted.type = "f32";
    EXPECT_TRUE(holds(wanted, job));
    wanted.type = "i32";
    EXPECT_FALSE(holds(wanted, job));
    wanted.type.clear();
    wanted.width = 8;
    EXPECT_FALSE(holds(wanted, job));
    wanted.width = 4;
    wanted.sequences = {2, 3};
    EXPECT_FALSE(holds(wanted, job));
}

TEST(JobClass, WordsOfTypesAndVariantsAreFound) {
    EXPECT_EQ(find_element_type("f16"), ElementType::F16);
    EXPECT_EQ(find_element_type("f65"), std::nullopt);
    EXPECT_EQ(find_variant("plain"), 0u);
    EXPECT_EQ(find_variant("mirror"), unsigned{kMirror});
    EXPECT_EQ(find_variant(""), std::nullopt);
}

}  // namespace
}  // namespace tegu::tuning
