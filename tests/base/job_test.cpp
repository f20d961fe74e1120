// SPDX-License-Identifier: Apache-2.0
// The lists of base/job.h and base/element_type.h: numbers, words, and the way from one to the other.
#include "base/job.h"

#include <gtest/gtest.h>

#include <set>

namespace tegu {
namespace {

TEST(ElementTypes, SizesWordsAndKinds) {
    EXPECT_EQ(element_bytes(ElementType::U8), 1u);
    EXPECT_EQ(element_bytes(ElementType::F16), 2u);
    EXPECT_EQ(element_bytes(ElementType::I32), 4u);
    EXPECT_EQ(element_bytes(ElementType::F64), 8u);
    EXPECT_EQ(element_word(ElementType::I64), "i64");
    EXPECT_TRUE(is_float(ElementType::F16) && is_float(ElementType::F32) && is_float(ElementType::F64));
    EXPECT_FALSE(is_float(ElementType::U64));
    EXPECT_TRUE(is_signed_integer(ElementType::I8));
    EXPECT_FALSE(is_signed_integer(ElementType::U8));
    EXPECT_FALSE(is_signed_integer(ElementType::F32));
    std::set<std::string_view> words;
    for (int number = 0; number < 256; ++number) {
        const bool known = number >= 1 && number <= 11;
        EXPECT_EQ(is_element_type(static_cast<std::uint8_t>(number)), known) << number;
        const auto type = static_cast<ElementType>(number);
        EXPECT_EQ(element_word(type) != "?", known) << number;
        EXPECT_TRUE(!known || words.insert(element_word(type)).second) << number;
    }
}

TEST(ElementTypes, VisitingGivesTheCppType) {
    for (int number = 1; number <= 11; ++number) {
        const auto type = static_cast<ElementType>(number);
        const auto seen =
            visit_element_type(type, [](auto element) { return ElementTypeOf<decltype(element)>::value; });
        EXPECT_EQ(seen, type);
        EXPECT_EQ(visit_element_type(type, [](auto element) { return sizeof element; }), element_bytes(type));
    }
}

TEST(Statistics, TheListIsInOrder) {
    std::set<std::string_view> words;
    for (int i = 0; i < kStatisticCount; ++i) {
        const StatisticInfo& info = kStatisticInfos[i];
        EXPECT_EQ(static_cast<int>(info.statistic), i);
        EXPECT_EQ(info.values_per_row, info.statistic == Statistic::Minmax ? 2 : 1);
        EXPECT_TRUE(words.insert(info.word).second);
        EXPECT_EQ(array_role_word(role_of(info.statistic)), info.word);
        EXPECT_TRUE(kAllStatistics & statistic_bit(info.statistic));
    }
    EXPECT_EQ(kAllStatistics, 0x7fffu);
}

TEST(Operations, AreFoundByNumberAndStem) {
    for (const OperationInfo& info : operation_infos()) {
        EXPECT_EQ(find_operation(static_cast<std::uint16_t>(info.operation)), &info);
        EXPECT_EQ(&info_of(info.operation), &info);
        EXPECT_EQ(find_operation(info.stem), &info);
        EXPECT_GE(info.inputs, 1);
    }
    EXPECT_EQ(find_operation(std::uint16_t{0}), nullptr);
    EXPECT_EQ(find_operation(std::uint16_t{999}), nullptr);
    EXPECT_EQ(find_operation("entropy-map"), nullptr);
    EXPECT_EQ(find_operation("entropy_map")->operation, Operation::EntropyMap);
}

TEST(Operations, AJobsParametersTellItsOperation) {
    Job job;
    EXPECT_EQ(operation_of(job), Operation::Reduce);
    job.params = TopkParams{};
    EXPECT_EQ(operation_of(job), Operation::Topk);
    job.params = EntropyMapParams{};
    EXPECT_EQ(operation_of(job), Operation::EntropyMap);
}

TEST(ArrayRoles, KnowTheirWords) {
    int known = 0;
    for (int number = 0; number < 256; ++number) {
        const auto role = static_cast<ArrayRole>(number);
        EXPECT_EQ(is_array_role(static_cast<std::uint8_t>(number)), array_role_word(role) != "?");
        known += is_array_role(static_cast<std::uint8_t>(number));
    }
    EXPECT_EQ(known, kStatisticCount + 12);
    EXPECT_EQ(array_role_word(ArrayRole::Map), "map");
    EXPECT_FALSE(is_array_role(0));
}

TEST(ArraySpecs, CountTheirBytes) {
    EXPECT_EQ(array_bytes(ArraySpec{ArrayRole::Values, ElementType::F16, 3, 5}), 30u);
    EXPECT_EQ(array_bytes(ArraySpec{ArrayRole::Map, ElementType::F32, 0, 5}), 0u);
}

}  // namespace
}  // namespace tegu
