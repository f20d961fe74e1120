// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/probe_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "daemon/placement/sample_memory.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

std::uint64_t elements(const Sample& sample) {
    return sample.rows * sample.cols;
}

// Runs a plan on a machine of which each element takes `element_ns` beside `fixed_ns`; how many samples it
// was.
std::size_t run(ProbePlan& plan, double fixed_ns, double element_ns) {
    std::size_t count = 0;
    while (const std::optional<Sample> sample = plan.next()) {
        const double ns = fixed_ns + element_ns * static_cast<double>(elements(*sample));
        plan.record(ns, static_cast<std::uint64_t>(ns * (ProbePlan::kRuns + 1)));
        ++count;
    }
    return count;
}

TEST(ProbePlan, TimesEveryOperationAtSeveralSizes) {
    for (const CostResource resource : {kOneThread, kPool, kFirstGpu}) {
        ProbePlan plan(resource, 10'000 * kMs);
        run(plan, 1000, 0.01);
        std::map<Operation, std::set<std::uint64_t>> seen;
        for (const ProbedSample& probed : plan.results())
            seen[probed.sample.operation].insert(elements(probed.sample));
        for (const OperationInfo& info : operation_infos())
            EXPECT_GE(seen[info.operation].size(), 3u) << info.stem << " on " << resource;
    }
}

TEST(ProbePlan, EndsWithItsBudgetAndBeginsWithEveryOperation) {
    ProbePlan plan(kPool, 10 * kMs);
    run(plan, 20'000, 1);
    EXPECT_LT(plan.spent_ns(), 11 * kMs) << "the last one may end behind it";
    std::set<Operation> seen;
    for (const ProbedSample& probed : plan.results()) seen.insert(probed.sample.operation);
    EXPECT_EQ(operation_infos().size(), seen.size());
}

TEST(ProbePlan, NoSampleTakesLongOnASlowMachine) {
    ProbePlan plan(kPool, 200 * kMs);
    while (const std::optional<Sample> sample = plan.next()) {
        const double ns = 20.0 * static_cast<double>(elements(*sample));
        EXPECT_LT(ns, 2.0 * kMs) << text_of(*sample);
        plan.record(ns, static_cast<std::uint64_t>(ns * 4));
    }
}

TEST(ProbePlan, WhatCannotBeRunIsNotTriedAgain) {
    ProbePlan plan(kFirstGpu, 1000 * kMs);
    std::set<std::string> tried;
    std::size_t count = 0;
    for (; const std::optional<Sample> sample = plan.next(); ++count) {
        Sample of_any_size = *sample;
        of_any_size.rows = of_any_size.rows > 1 ? 2 : 1;
        of_any_size.cols = 0;
        EXPECT_TRUE(tried.insert(text_of(of_any_size)).second);
        plan.record(0, 1000);
    }
    EXPECT_EQ(tried.size(), count);
    EXPECT_TRUE(plan.results().empty());
}

TEST(ProbePlan, WithoutABudgetNothingIsTimed) {
    EXPECT_FALSE(ProbePlan(kPool, 0).next());
}

TEST(SampleMemory, TimesEverySampleOfAPlanOnTheCpu) {
    SampleMemory memory;
    ASSERT_TRUE(memory.prepare());
    ASSERT_TRUE(memory.prepare()) << "twice is once";
    ProbePlan plan(kOneThread, 1000 * kMs);
    while (const std::optional<Sample> sample = plan.next()) {
        const std::optional<Job> job = job_of(*sample);
        ASSERT_TRUE(job);
        EXPECT_TRUE(SampleMemory::holds(*job, kernels::plan_job(*job).value())) << text_of(*sample);
        const SampleTime time = memory.time_on_cpu(*job, nullptr);
        EXPECT_GT(time.ns, 0) << text_of(*sample);
        EXPECT_GE(static_cast<double>(time.spent_ns), ProbePlan::kRuns * time.ns) << text_of(*sample);
        plan.record(time.ns, 1000);  // so that the budget does not end early on a busy machine
    }
    EXPECT_GE(plan.results().size(), operation_infos().size());
    memory.release();
    memory.release();
}

TEST(SampleMemory, HoldsNoMoreThanItIs) {
    const auto holds = [](const Sample& sample) {
        const Job job = job_of(sample).value();
        return SampleMemory::holds(job, kernels::plan_job(job).value());
    };
    EXPECT_TRUE(holds({Operation::Add, ElementType::F32, 1, ProbePlan::kMaxElements, 0, 0, false}));
    EXPECT_FALSE(holds({Operation::Add, ElementType::F32, 1, ProbePlan::kMaxElements + 1, 0, 0, false}));
    EXPECT_FALSE(holds({Operation::Reduce, ElementType::F64, 1, ProbePlan::kMaxElements, 1, 0, false}));
    EXPECT_FALSE(
        holds({Operation::EntropyMap, ElementType::U8, 1, 2 * ProbePlan::kMaxElements, 25, 0, false}))
        << "its map is four times as large";
}

}  // namespace
}  // namespace tegu::daemon
