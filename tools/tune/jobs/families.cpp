// SPDX-License-Identifier: Apache-2.0
// The families of the operations that read their input once: add, dot, reduce, rowscale.
#include "tools/tune/jobs/families.h"

#include "tools/tune/jobs/families_parts.h"

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

std::vector<Family> reduce_families() {
    constexpr StatisticSet kMax = statistic_bit(Statistic::Max);
    return {reduce_family(ElementType::F32, {1, 2}, "s1", {kSum, kSum, kMax}, 0),
            reduce_family(ElementType::F32, {2, UINT64_MAX}, "s2", {kBounds, kMoments, kMoments}, 1),
            reduce_family(ElementType::U8, {}, "", {kSum, kMoments, kSum}, 1),
            reduce_family(ElementType::I32, {}, "", {kSum, kMoments, kSum}, 1),
            reduce_family(ElementType::F64, {}, "", {kSum, kMoments, kSum}, 2)};
}

template <class Params>
Family plain_family(ElementType type, Content content, unsigned rank) {
    Family family;
    family.type = type;
    family.params = [](std::size_t) { return Params(); };
    family.sizes = {&whole_sizes()};
    family.content = content;
    family.rank = rank;
    return family;
}

std::vector<Family> add_families() {
    return {plain_family<AddParams>(ElementType::F32, Content::Small, 1),
            plain_family<AddParams>(ElementType::U8, Content::Small, 2)};
}

std::vector<Family> dot_families() {
    std::vector<Family> families = {plain_family<DotParams>(ElementType::F32, Content::Uniform, 1),
                                    plain_family<DotParams>(ElementType::I16, Content::Uniform, 2)};
    families[0].sizes.push_back(&row_sizes());
    return families;
}

std::vector<Family> rowscale_families() {
    std::vector<Family> families = {plain_family<RowscaleParams>(ElementType::F32, Content::Uniform, 1),
                                    plain_family<RowscaleParams>(ElementType::F16, Content::Uniform, 2)};
    for (Family& family : families) family.sizes = {&row_sizes(), &coarse_sizes()};
    return families;
}

}  // namespace

std::vector<Family> families_of(TuningBackend backend, std::string_view operation) {
    if (operation == "add") return add_families();
    if (operation == "dot") return dot_families();
    if (operation == "reduce") return reduce_families();
    if (operation == "rowscale") return rowscale_families();
    if (operation == "topk") return topk_families(backend);
    if (operation == "quantile") return quantile_families(backend);
    if (operation == "histogram") return histogram_families();
    if (operation == "entropy") return entropy_families();
    if (operation == "entropy_map") return entropy_map_families();
    return {};
}

}  // namespace tegu::tune
