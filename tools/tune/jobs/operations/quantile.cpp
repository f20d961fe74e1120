// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/families.h"

namespace tegu::tune {
namespace {

JobParams quantile_params(std::uint64_t count) {
    QuantileParams params;
    for (std::uint64_t i = 1; i <= count; ++i)
        params.q.push_back(static_cast<double>(i) / static_cast<double>(count + 1));
    return params;
}

Family quantile_family(ElementType type, TuningRange detail, const char* word, std::array<unsigned, 3> counts,
                       const Sizes& sizes, unsigned rank) {
    Family family = detailed_family(type, detail, word, sizes, rank,
                                    [counts](std::size_t sample) { return quantile_params(counts[sample]); });
    family.any_of_width = true;
    return family;
}

}  // namespace

// The kernels depend on the width of an element, not on its type.
std::vector<Family> quantile_families(TuningBackend backend) {
    const Sizes fine = {&whole_sizes()}, coarse = {&coarse_sizes()}, rows = {&row_sizes()};
    const Sizes& sizes = backend == TuningBackend::Cuda ? fine : coarse;
    std::vector<Family> families = {
        quantile_family(ElementType::F32, {1, 2}, "q1", {1, 1, 1}, sizes, 0),
        quantile_family(ElementType::F32, {2, 17}, "q2", {3, 9, 16}, sizes, 0),
        quantile_family(ElementType::F32, {17, UINT64_MAX}, "q17", {32, 100, 256}, coarse, 1),
        quantile_family(ElementType::F32, {1, 2}, "q1", {1, 1, 1}, rows, 0),
        quantile_family(ElementType::F32, {2, UINT64_MAX}, "q2", {3, 9, 16}, rows, 1),
    };
    for (const ElementType type : {ElementType::U8, ElementType::F16, ElementType::F64})
        families.push_back(quantile_family(type, {}, "", {1, 3, 9}, coarse, 1));
    return families;
}

std::vector<CostFamily> quantile_costs() {
    std::vector<CostFamily> families = {
        detailed(ElementType::F32, 'q', {1, 2, 4, 16, 64, 256}, 0, true, quantile_params),
        detailed(ElementType::U8, 'q', {1, 4, 32}, 1, false, quantile_params),
        detailed(ElementType::F16, 'q', {1, 4, 32}, 1, false, quantile_params),
        detailed(ElementType::F64, 'q', {1, 4, 32}, 1, false, quantile_params)};
    for (CostFamily& family : families) family.any_of_width = true;
    return families;
}

}  // namespace tegu::tune
