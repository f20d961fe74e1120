// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/classes.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/tuning/job_class.h"
#include "kernels/tuning/revisions.h"
#include "kernels/tuning/row_check.h"
#include "tools/tune/jobs/cost_classes.h"
#include "tools/tune/jobs/work.h"

namespace tegu::tune {
namespace {

constexpr TuningBackend kBackends[] = {TuningBackend::Cpu, TuningBackend::Cuda};

Result<void> check(const TuningClass& jobs) {
    return tuning::check_class(jobs,
                               tuning::revision_of(jobs.backend, find_operation(jobs.operation)->operation));
}

TEST(Classes, StandForTheJobsThatTheyAreMeasuredWith) {
    for (const TuningBackend backend : kBackends)
        for (const OperationInfo& info : operation_infos())
            for (const TuneClass& one : tune_classes(backend, info.stem, ClassLimits())) {
                EXPECT_TRUE(check(one.jobs).ok()) << one.id << ": " << check(one.jobs).error().message;
                ASSERT_FALSE(one.samples.empty()) << one.id;
                for (const SampleJob& sample : one.samples)
                    EXPECT_TRUE(tuning::holds(one.jobs, tuning::class_of(sample.job))) << one.id;
            }
}

TEST(Classes, DoNotOverlapSoThatTheOrderOfRowsDoesNotMatter) {
    for (const TuningBackend backend : kBackends)
        for (const OperationInfo& info : operation_infos()) {
            const std::vector<TuneClass> classes = tune_classes(backend, info.stem, ClassLimits());
            for (const TuneClass& one : classes)
                for (const TuneClass& other : classes)
                    for (const SampleJob& sample : other.samples)
                        EXPECT_EQ(tuning::holds(one.jobs, tuning::class_of(sample.job)), &one == &other)
                            << one.id << ", " << other.id;
        }
}

TEST(Classes, CoverEveryOperationThatHasPoliciesAndOnlyThose) {
    for (const TuningBackend backend : kBackends)
        for (const OperationInfo& info : operation_infos()) {
            if (info.stem == "fused") continue;  // runs with the policies of its parts
            EXPECT_EQ(tune_classes(backend, info.stem, ClassLimits()).empty(),
                      tuning::policy_fields(backend, info.stem).empty())
                << info.stem;
        }
    EXPECT_TRUE(tune_classes(TuningBackend::Cuda, "no_such_operation", ClassLimits()).empty());
}

TEST(Classes, KeepToTheLimitsOfTheMachine) {
    ClassLimits limits;
    limits.array_bytes = 1 << 20;
    limits.elements = 100000;
    std::size_t fewer = 0;
    for (const OperationInfo& info : operation_infos()) {
        const auto all = tune_classes(TuningBackend::Cuda, info.stem, ClassLimits());
        const auto some = tune_classes(TuningBackend::Cuda, info.stem, limits);
        fewer += all.size() - some.size();
        for (const TuneClass& one : some)
            for (const SampleJob& sample : one.samples) EXPECT_LE(sample.job.rows * sample.job.cols, 100000u);
        for (const CostClass& one : cost_classes(TuningBackend::Cuda, info.stem, limits))
            for (const SampleJob& point : one.points) EXPECT_LE(point.job.rows * point.job.cols, 100000u);
    }
    EXPECT_GT(fewer, 50u);
}

TEST(CostClasses, HoldTheirPointsWhichAscend) {
    for (const TuningBackend backend : kBackends)
        for (const OperationInfo& info : operation_infos())
            for (const CostClass& one : cost_classes(backend, info.stem, ClassLimits())) {
                EXPECT_TRUE(check(one.jobs).ok()) << one.id << ": " << check(one.jobs).error().message;
                std::uint64_t before = 0;
                for (const SampleJob& point : one.points) {
                    const tuning::JobClass job = tuning::class_of(point.job);
                    EXPECT_TRUE(tuning::holds(one.jobs, job)) << one.id;
                    if (one.jobs.detail.begin != 0) {
                        EXPECT_EQ(job.detail, one.jobs.detail.begin) << one.id;
                    }
                    EXPECT_GT(job.sequences * job.elements, before) << one.id;
                    before = job.sequences * job.elements;
                }
            }
}

TEST(Work, HasEachStepOnceTheUsefulOnesFirst) {
    WorkWish wish;
    wish.backends = {TuningBackend::Cuda, TuningBackend::Cpu};
    const Work work(wish, {ClassLimits(), ClassLimits()});
    std::set<std::string> ids;
    unsigned rank = 0;
    bool costs = false;
    for (const WorkStep& step : work.steps()) {
        EXPECT_TRUE(ids.insert(step.id).second) << step.id;
        EXPECT_EQ(step.id.find(' '), std::string::npos);
        EXPECT_TRUE((step.tune != nullptr) != (step.cost != nullptr));
        if (step.cost != nullptr && !costs) rank = 0;
        costs = costs || step.cost != nullptr;
        EXPECT_EQ(costs, step.cost != nullptr) << step.id;
        const unsigned own = costs ? step.cost->rank : step.tune->rank;
        EXPECT_GE(own, rank) << step.id;
        rank = own;
    }
    EXPECT_GT(ids.size(), 300u);
}

TEST(Work, IsOfTheOperationsThatAreWanted) {
    WorkWish wish;
    wish.backends = {TuningBackend::Cpu};
    wish.operations = {"dot", "add"};
    wish.costs = false;
    const Work work(wish, {ClassLimits()});
    ASSERT_FALSE(work.steps().empty());
    for (const WorkStep& step : work.steps())
        EXPECT_TRUE(step.tune->jobs.operation == "dot" || step.tune->jobs.operation == "add") << step.id;
}

}  // namespace
}  // namespace tegu::tune
