// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/families.h"

namespace tegu::tune {
namespace {

constexpr StatisticSet kSum = statistic_bit(Statistic::Sum);
constexpr StatisticSet kBounds = statistic_bit(Statistic::Min) | statistic_bit(Statistic::Max);
constexpr StatisticSet kMoments = statistic_bit(Statistic::Mean) | statistic_bit(Statistic::Std) | kBounds;

Family reduce_family(ElementType type, TuningRange detail, const char* word, std::array<StatisticSet, 3> sets,
                     unsigned rank) {
    Family family;
    family.type = type;
    family.detail = detail;
    family.detail_word = word;
    family.params = [sets](std::size_t sample) { return ReduceParams{sets[sample], false, 0}; };
    family.sizes = {&whole_sizes(), &row_sizes()};
    family.rank = rank;
    return family;
}

JobParams reduce_params(std::uint64_t count) {
    constexpr Statistic kOrder[] = {Statistic::Sum,  Statistic::Min, Statistic::Max,
                                    Statistic::Mean, Statistic::Std, Statistic::Argmax};
    StatisticSet set = 0;
    for (std::uint64_t i = 0; i < count; ++i) set |= statistic_bit(kOrder[i]);
    return ReduceParams{set, false, 0};
}

}  // namespace

std::vector<Family> reduce_families(TuningBackend) {
    constexpr StatisticSet kMax = statistic_bit(Statistic::Max);
    return {reduce_family(ElementType::F32, {1, 2}, "s1", {kSum, kSum, kMax}, 0),
            reduce_family(ElementType::F32, {2, UINT64_MAX}, "s2", {kBounds, kMoments, kMoments}, 1),
            reduce_family(ElementType::U8, {}, "", {kSum, kMoments, kSum}, 1),
            reduce_family(ElementType::I32, {}, "", {kSum, kMoments, kSum}, 1),
            reduce_family(ElementType::F64, {}, "", {kSum, kMoments, kSum}, 2)};
}

std::vector<CostFamily> reduce_costs() {
    std::vector<CostFamily> families;
    for (const ElementType type :
         {ElementType::F32, ElementType::U8, ElementType::I32, ElementType::F64, ElementType::F16})
        families.push_back(detailed(type, 's', {1, 2, 5}, type == ElementType::F32 ? 0 : 1,
                                    type == ElementType::F32, reduce_params));
    return families;
}

}  // namespace tegu::tune
