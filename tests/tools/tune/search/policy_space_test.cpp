// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/search/policy_space.h"

#include <gtest/gtest.h>

#include <set>

#include "base/job.h"
#include "tools/tune/measure/policy_text.h"
#include "tools/tune/search/policies.h"

namespace tegu::tune {
namespace {

PolicySpace small_space() {
    PolicySpace space;
    space.axes = {
        {"threads", {32, 64, 128}, 1, true}, {"method", {0, 1, 2}, 0, false}, {"waves", {4}, 0, true}};
    return space;
}

TEST(PolicySpace, ValuesAreAddedInOrderAndTheDefaultStays) {
    PolicyAxis axis{"threads", {32, 128}, 1, true};
    EXPECT_EQ(add_value(axis, 64), 1u);
    EXPECT_EQ(axis.values, (std::vector<std::int64_t>{32, 64, 128}));
    EXPECT_EQ(axis.initial, 2u);
    EXPECT_EQ(add_value(axis, 64), 1u);
    EXPECT_EQ(add_value(axis, 256), 3u);
    EXPECT_EQ(axis.initial, 2u);
    PolicyAxis empty{"waves", {}, 0, true};
    EXPECT_EQ(add_value(empty, 7), 0u);
    EXPECT_EQ(empty.initial, 0u);
}

TEST(PolicySpace, SamplesAreDifferentValidAndTheSameForASeed) {
    PolicySpace space = small_space();
    const std::vector<PolicyPoint> all = sample_points(space, 100, 7);
    EXPECT_EQ(all.size(), 8u);  // 3 * 3 points but the default
    EXPECT_EQ(std::set<PolicyPoint>(all.begin(), all.end()).size(), all.size());
    EXPECT_EQ(sample_points(space, 100, 7), all);
    EXPECT_EQ(sample_points(space, 3, 7), std::vector<PolicyPoint>(all.begin(), all.begin() + 3));
    space.is_valid = [](const PolicyPoint& point) { return point[0] != 2; };
    for (const PolicyPoint& point : sample_points(space, 100, 7)) EXPECT_NE(point[0], 2u);
    EXPECT_TRUE(sample_points(PolicySpace(), 5, 7).empty());
}

TEST(PolicySpace, NeighboursAreOneStepOrAnyOtherChoice) {
    const PolicySpace space = small_space();
    const std::vector<PolicyPoint> wanted = {{1, 0, 0}, {0, 1, 0}, {0, 2, 0}};
    EXPECT_EQ(neighbours_of(space, {0, 0, 0}), wanted);
    EXPECT_EQ(neighbours_of(space, {1, 2, 0}).size(), 4u);
}

TEST(Policies, EveryOperationHasASpaceWhosePointsArePolicies) {
    for (const TuningBackend backend : {TuningBackend::Cpu, TuningBackend::Cuda})
        for (const OperationInfo& info : operation_infos()) {
            PolicySubject subject;
            subject.backend = backend;
            subject.operation = info.stem;
            subject.cpu_threads = 4;
            const PolicySpace space = policy_space(subject, {});
            if (tuning::policy_fields(backend, info.stem).empty()) continue;
            ASSERT_FALSE(space.axes.empty()) << info.stem;
            EXPECT_TRUE(
                tuning::changed_values(backend, info.stem, policies_at(space, subject, default_point(space)))
                    .empty());
            for (const PolicyPoint& point : sample_points(space, 50, 3)) {
                const tuning::PolicySet policies = policies_at(space, subject, point);
                EXPECT_TRUE(tuning::check_policies(backend, info.stem, policies, subject.limits).ok());
                EXPECT_FALSE(tuning::changed_values(backend, info.stem, policies).empty());
                EXPECT_EQ(point_of(space, subject, policies), point);
            }
        }
}

TEST(Policies, OfTheCpuTryNoMoreThreadsThanThereAre) {
    PolicySubject subject;
    subject.operation = "add";
    subject.cpu_threads = 4;
    for (const PolicyAxis& axis : policy_space(subject, {}).axes)
        if (axis.name == "threads") {
            EXPECT_EQ(axis.values, (std::vector<std::int64_t>{0, 1, 2, 3}));
        }
}

TEST(Policies, ValuesOfKnownRowsAreCandidates) {
    PolicySubject subject;
    subject.backend = TuningBackend::Cuda;
    subject.operation = "topk";
    tuning::PolicySet known;
    known.cuda.selection.sample = 5000;
    const PolicySpace space = policy_space(subject, {known});
    EXPECT_EQ(policies_at(space, subject, point_of(space, subject, known)).cuda.selection.sample, 5000u);
    EXPECT_EQ(changes_text(tuning::changed_values(subject.backend, subject.operation, known)), "sample=5000");
    EXPECT_EQ(changes_text({}), "default");
}

}  // namespace
}  // namespace tegu::tune
