// SPDX-License-Identifier: Apache-2.0
#include "kernels/tuning/policy_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/job.h"

namespace tegu::tuning {
namespace {

using cuda::DeviceLimits;

constexpr TuningBackend kBackends[] = {TuningBackend::Cpu, TuningBackend::Cuda};

DeviceLimits nano() {
    return DeviceLimits{};
}
DeviceLimits h200() {
    DeviceLimits limits;
    limits.compute_capability = 90;
    limits.multiprocessors = 132;
    limits.shared_bytes_per_block = 227 << 10;
    return limits;
}

template <class Visit>
void for_each_field(Visit visit) {
    for (const TuningBackend backend : kBackends)
        for (const OperationInfo& operation : operation_infos())
            for (const PolicyField& field : policy_fields(backend, operation.stem)) {
                SCOPED_TRACE(std::string(operation.stem) + "." + std::string(field.name));
                visit(backend, operation.stem, field);
            }
}

TuningValue number(std::string name, std::int64_t value) {
    TuningValue made;
    made.name = std::move(name);
    made.number = value;
    return made;
}
TuningValue word(std::string name, std::string value) {
    TuningValue made;
    made.name = std::move(name);
    made.word = std::move(value);
    return made;
}

TEST(PolicyFields, EveryOperationOfABackendHasFields) {
    for (const OperationInfo& operation : operation_infos()) {
        EXPECT_FALSE(policy_fields(TuningBackend::Cpu, operation.stem).empty()) << operation.stem;
        EXPECT_EQ(policy_fields(TuningBackend::Cuda, operation.stem).empty(),
                  operation.operation == Operation::Fused);
    }
    EXPECT_TRUE(policy_fields(TuningBackend::Cuda, "sort").empty());
    EXPECT_TRUE(policy_fields(TuningBackend::Cpu, "").empty());
}

TEST(PolicyFields, NamesAreUniqueAndSentencesAreThere) {
    for (const TuningBackend backend : kBackends)
        for (const OperationInfo& operation : operation_infos()) {
            std::set<std::string_view> names;
            for (const PolicyField& field : policy_fields(backend, operation.stem)) {
                EXPECT_TRUE(names.insert(field.name).second) << operation.stem << "." << field.name;
                EXPECT_FALSE(field.sentence.empty()) << field.name;
            }
        }
}

TEST(PolicyFields, DefaultsAreAllowedOnEveryDevice) {
    for (const OperationInfo& operation : operation_infos())
        for (const TuningBackend backend : kBackends)
            for (const DeviceLimits& limits : {nano(), h200()}) {
                const Result<void> checked = check_policies(backend, operation.stem, PolicySet{}, limits);
                EXPECT_TRUE(checked.ok()) << operation.stem;
            }
}

TEST(PolicyFields, CandidatesAreAllowedAscendAndHoldTheDefault) {
    for_each_field([](TuningBackend, std::string_view, const PolicyField& field) {
        if (field.candidates.empty()) return;
        EXPECT_TRUE(std::is_sorted(field.candidates.begin(), field.candidates.end()));
        const PolicySet defaults;
        const std::int64_t usual = field.get(defaults);
        // Numbers of the CPU's methods that 0 stands for need not be among them.
        EXPECT_EQ(std::count(field.candidates.begin(), field.candidates.end(), usual), 1) << usual;
        DeviceLimits large = h200();
        for (const std::int64_t candidate : field.candidates)
            EXPECT_TRUE(is_allowed(field, candidate, large));
        EXPECT_FALSE(allowed_candidates(field, nano()).empty());
    });
}

TEST(PolicyFields, WhatIsSetIsReadAndNothingElse) {
    for_each_field([](TuningBackend backend, std::string_view operation, const PolicyField& field) {
        for (const std::int64_t candidate : field.candidates) {
            PolicySet policies;
            field.set(&policies, candidate);
            EXPECT_EQ(field.get(policies), candidate);
            const bool is_default = candidate == field.get(PolicySet{});
            EXPECT_EQ(changed_values(backend, operation, policies).size(), is_default ? 0u : 1u);
        }
    });
}

TEST(PolicyFields, ChangedValuesMakeThePoliciesAgain) {
    for_each_field([](TuningBackend backend, std::string_view operation, const PolicyField& field) {
        if (field.candidates.empty()) return;
        PolicySet policies, copy;
        field.set(&policies, field.candidates.back());
        for (const TuningValue& value : changed_values(backend, operation, policies))
            EXPECT_TRUE(set_policy_value(backend, operation, value, h200(), &copy).ok());
        EXPECT_EQ(policy_text(backend, operation, copy), policy_text(backend, operation, policies));
    });
}

TEST(PolicyFields, ValuesOutsideAreNamedWithWhatIsAllowed) {
    PolicySet policies;
    const auto set = [&](const char* operation, const TuningValue& value, const DeviceLimits& limits) {
        return set_policy_value(TuningBackend::Cuda, operation, value, limits, &policies);
    };
    Result<void> done = set("rowscale", number("packs_per_thread", 8), h200());
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().status, Status::BadRange);
    EXPECT_EQ(done.error().field, "policy.packs_per_thread");
    EXPECT_EQ(done.error().allowed, "a power of two from 1 to 4");
    EXPECT_EQ(done.error().message, "packs_per_thread is 8");
    EXPECT_EQ(set("topk", number("block_threads", 100), h200()).error().allowed,
              "a multiple of 32 from 64 to 1024");
    EXPECT_FALSE(set("topk", number("waves", 0), h200()).ok());
    EXPECT_FALSE(set("topk", number("sample", -1), h200()).ok());
    EXPECT_EQ(set("entropy_map", number("rows_per_strip", 3), h200()).error().allowed, "0, or 8 to 4096");
    EXPECT_TRUE(set("entropy_map", number("rows_per_strip", 0), h200()).ok());
    // A smaller device: half of the registers, and 48 KiB of shared memory.
    EXPECT_TRUE(set("add", number("threads_per_block", 1024), h200()).ok());
    EXPECT_EQ(set("add", number("threads_per_block", 1024), nano()).error().allowed,
              "a multiple of 32 from 32 to 512");
    EXPECT_TRUE(set("topk", number("room", 16384), h200()).ok());
    EXPECT_EQ(set("topk", number("room", 16384), nano()).error().allowed, "a power of two from 64 to 4096");
}

TEST(PolicyFields, UnknownFieldsAndWrongKindsAreNamed) {
    PolicySet policies;
    const auto set = [&](const char* operation, const TuningValue& value) {
        return set_policy_value(TuningBackend::Cuda, operation, value, h200(), &policies).error();
    };
    Error error = set("add", number("block_threads", 128));
    EXPECT_EQ(error.status, Status::BadRequest);
    EXPECT_EQ(error.allowed, "threads_per_block, packs_per_thread, waves or launch_bytes");
    EXPECT_EQ(set("add", word("waves", "many")).message, "waves is the word \"many\"");
    EXPECT_EQ(set("entropy_map", word("method", "prefix")).allowed, "chosen, slide, pairs, columns or quads");
    EXPECT_EQ(set("entropy_map", number("method", 1)).status, Status::BadRequest);
    EXPECT_EQ(set("fused", number("waves", 1)).allowed, "no field");
    EXPECT_EQ(policy_text(TuningBackend::Cuda, "entropy_map", policies),
              policy_text(TuningBackend::Cuda, "entropy_map", PolicySet{}));
}

TEST(PolicyFields, FieldsThatDependOnEachOtherAreCheckedTogether) {
    PolicySet policies;
    policies.cuda.selection.capacity = 64;
    policies.cuda.selection.slice = 128;
    const Result<void> checked = check_policies(TuningBackend::Cuda, "topk", policies, h200());
    ASSERT_FALSE(checked.ok());
    EXPECT_EQ(checked.error().field, "policy.slice");
    EXPECT_EQ(checked.error().allowed, "room (64) at most");
    EXPECT_TRUE(check_policies(TuningBackend::Cuda, "quantile", policies, h200()).ok());
}

TEST(PolicyFields, TextHoldsAllFieldsAndWordsOfChoices) {
    PolicySet policies;
    policies.cuda.entropy_map.method = cuda::EntropyMapMethod::Columns;
    EXPECT_EQ(policy_text(TuningBackend::Cuda, "entropy_map", policies),
              "method=columns threads_per_block=128 rows_per_strip=0 columns_per_thread=0 piece_pixels=0");
    EXPECT_EQ(policy_text(TuningBackend::Cuda, "fused", policies), "");
}

}  // namespace
}  // namespace tegu::tuning
