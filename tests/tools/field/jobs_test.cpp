// SPDX-License-Identifier: Apache-2.0
// The jobs of a field run: valid, named once, the same inputs on every board; and the small parts of the
// tool.
#include "tools/field/jobs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "kernels/operation.h"
#include "tools/field/progress.h"
#include "tools/field/statistics.h"

namespace tegu::field {
namespace {

TEST(Jobs, OfEveryOperationAreValidAndNamedOnce) {
    std::set<std::string> names;
    for (const OperationInfo& info : operation_infos()) {
        std::vector<FieldJob> jobs = operation_jobs(info.stem);
        ASSERT_FALSE(jobs.empty()) << info.stem;
        EXPECT_EQ(jobs.front().priority, 0)
            << info.stem << ": the first is the one that a short run measures";
        for (const FieldJob& job : jobs) {
            EXPECT_TRUE(names.insert(job.name).second) << job.name;
            EXPECT_EQ(job.operation(), info.stem);
            EXPECT_TRUE(kernels::plan_job(job.job).ok()) << job.name;
            EXPECT_EQ(std::get<std::int64_t>(job.axes[1].second), static_cast<std::int64_t>(job.elements()));
        }
        make_quick(jobs);
        for (const FieldJob& job : jobs) {
            EXPECT_TRUE(kernels::plan_job(job.job).ok()) << job.name;
            EXPECT_LE(job.elements(), 20000u) << job.name;
        }
    }
    EXPECT_GT(names.size(), 90u);
}

const std::int64_t* whole_axis(const FieldJob& job, const std::string& name) {
    for (const auto& [axis, value] : job.axes)
        if (axis == name) return std::get_if<std::int64_t>(&value);
    return nullptr;
}

TEST(Jobs, SmallOnesSayWhatTheyCompute) {
    std::size_t counted = 0;
    for (const char* stem : {"add", "dot", "rowscale", "reduce", "topk"}) {
        const std::vector<FieldJob> whole = operation_jobs(stem);
        std::vector<FieldJob> jobs = whole;
        make_quick(jobs);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const FieldJob& job = jobs[i];
            SCOPED_TRACE(job.name);
            const auto* topk = std::get_if<TopkParams>(&job.job.params);
            if (topk != nullptr) {
                ASSERT_NE(whole_axis(job, "k"), nullptr);
                EXPECT_EQ(*whole_axis(job, "k"), static_cast<std::int64_t>(topk->k));
            }
            ASSERT_EQ(job.flops.has_value(), whole[i].flops.has_value());
            if (!job.flops) continue;
            ++counted;
            EXPECT_DOUBLE_EQ(*job.flops / static_cast<double>(job.elements()),
                             *whole[i].flops / static_cast<double>(whole[i].elements()));
        }
    }
    EXPECT_GT(counted, 20u);
}

TEST(Jobs, OfTheCrossoverHaveTheSameNamesForEachSize) {
    const std::vector<FieldJob> jobs = crossover_jobs({1000, 3000, 10000});
    EXPECT_EQ(jobs.size() % 3, 0u);
    std::set<std::string> names;
    for (const FieldJob& job : jobs) EXPECT_TRUE(names.insert(job.name).second) << job.name;
    EXPECT_EQ(names.count("topk i32 3e3 k=10"), 1u);
    EXPECT_EQ(names.count("entropy_map u8 100x100 window=31 levels=16"), 1u);
}

TEST(Jobs, CountsAreShort) {
    EXPECT_EQ(count_text(10000000), "1e7");
    EXPECT_EQ(count_text(3000), "3e3");
    EXPECT_EQ(count_text(100), "100");
    EXPECT_EQ(count_text(1234000), "1234000");
    EXPECT_EQ(count_text(0), "0");
}

TEST(Inputs, AreTheSameForAnyNumberOfThreads) {
    kernels::ThreadPool one(1), three(3);
    for (const ElementType type : {ElementType::U8, ElementType::I32, ElementType::F16, ElementType::F64}) {
        InputStore a(one, 1 << 20), b(three, 1 << 20);
        EXPECT_EQ(*a.get(type, 600001), *b.get(type, 600001));
        EXPECT_NE(*a.get(type, 1000, Values::Uniform, 0), *a.get(type, 1000, Values::Uniform, 1));
    }
}

TEST(Inputs, AreKeptAsLongAsThereIsMemory) {
    kernels::ThreadPool pool(1);
    InputStore inputs(pool, 3000);
    const Bytes first = inputs.get(ElementType::U8, 1000);
    EXPECT_EQ(inputs.get(ElementType::U8, 1000), first);
    (void)inputs.get(ElementType::U8, 2500);
    EXPECT_EQ(*inputs.get(ElementType::U8, 1000), *first);  // made again, the same
    std::int32_t low = 0, high = 0;
    const Bytes small = inputs.get(ElementType::I32, 700, Values::Small);
    for (std::size_t i = 0; i < 700; ++i) {
        std::int32_t value = 0;
        std::memcpy(&value, small->data() + 4 * i, sizeof value);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    EXPECT_LT(low, 0);
    EXPECT_GT(high, 0);
    EXPECT_LE(high, INT32_MAX / 4);
    EXPECT_GE(low, INT32_MIN / 4);
}

TEST(Statistics, MedianPercentileAndNoise) {
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
    EXPECT_EQ(percentile({5, 1, 2, 3, 4}, 50), 3);
    EXPECT_EQ(percentile({5, 1, 2, 3, 4}, 99), 5);
    EXPECT_EQ(percentile({5, 1, 2, 3, 4}, 0), 1);
    EXPECT_EQ(noise({10, 10, 10}), 0);
    EXPECT_DOUBLE_EQ(noise({9, 10, 11, 10, 12}), 0.1);
    EXPECT_EQ(noise({0, 0}), 0);
}

TEST(Progress, TellsShareTimeAndTheLastResult) {
    EXPECT_EQ(seconds_text(3.48e-5), "34.8 us");
    EXPECT_EQ(seconds_text(1.25), "1.25 s");
    EXPECT_EQ(seconds_text(0.99996), "1.00 s");
    EXPECT_EQ(seconds_text(2.5e-10), "0.25 ns");
    ProgressState state;
    state.share = 0.341;
    state.seconds_left = 150.6;
    state.part = "operations";
    state.done = 57;
    state.cases = 210;
    state.last = "topk i32 1e7 k=10 cuda: 34.8 us +-0.4 %";
    EXPECT_EQ(progress_line(state, 200),
              "[ 34 %] 2:31 left, operations 57/210  topk i32 1e7 k=10 cuda: 34.8 us +-0.4 %");
    EXPECT_EQ(progress_line(state, 40).size(), 39u);
    state.seconds_left = -3;
    EXPECT_NE(progress_line(state, 200).find("0:00 left"), std::string::npos);
}

}  // namespace
}  // namespace tegu::field
