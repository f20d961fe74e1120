// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/families.h"

namespace tegu::tune {
namespace {

struct Results {
    TuningRange k;
    const char* word;
    std::array<std::uint64_t, 3> samples;
};
constexpr Results kFew{{1, 32}, "k1", {5, 10, 25}};
constexpr Results kSome{{32, 512}, "k32", {48, 100, 400}};
constexpr Results kMany{{512, 8192}, "k512", {600, 2000, 5000}};
constexpr Results kMax{{8192, UINT64_MAX}, "k8K", {10000, 65536, 500000}};
constexpr Results kBelow512{{1, 512}, "k1", {10, 48, 200}};
constexpr Results kAbove512{{512, UINT64_MAX}, "k512", {1000, 4096, 65536}};

Family topk_family(ElementType type, const Results& results, const Sizes& sizes, bool distinct,
                   unsigned rank) {
    Family family = detailed_family(type, results.k, results.word, sizes, rank,
                                    [k = results.samples, distinct](std::size_t sample) {
                                        return TopkParams{k[sample], true, distinct};
                                    });
    family.any_of_width = true;
    if (distinct) family.variant = "distinct";
    return family;
}

}  // namespace

// The kernels depend on the width of an element, not on its type.
std::vector<Family> topk_families(TuningBackend backend) {
    const Sizes fine = {&whole_sizes()}, coarse = {&coarse_sizes()}, rows = {&row_sizes()};
    std::vector<Family> families;
    for (const Results& results : {kFew, kSome, kMany, kMax})
        families.push_back(
            topk_family(ElementType::F32, results, backend == TuningBackend::Cuda ? fine : coarse, false, 0));
    for (const Results& results : {kFew, kSome})
        families.push_back(topk_family(ElementType::F32, results, rows, false, 0));
    for (const ElementType type : {ElementType::U8, ElementType::F16, ElementType::F64})
        for (const Results& results : {kBelow512, kAbove512})
            families.push_back(topk_family(type, results, coarse, false, 1));
    for (const Results& results : {kBelow512, kAbove512})
        families.push_back(topk_family(ElementType::F32, results, coarse, true, 1));
    return families;
}

std::vector<CostFamily> topk_costs() {
    const auto params = [](std::uint64_t k) { return TopkParams{k, true, false}; };
    const auto distinct = [](std::uint64_t k) { return TopkParams{k, true, true}; };
    std::vector<CostFamily> families = {
        detailed(ElementType::F32, 'k', {1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144}, 0, true,
                 params),
        detailed(ElementType::U8, 'k', {1, 16, 256, 4096, 65536}, 1, false, params),
        detailed(ElementType::F16, 'k', {1, 16, 256, 4096, 65536}, 1, false, params),
        detailed(ElementType::F64, 'k', {1, 16, 256, 4096, 65536}, 1, false, params),
        detailed(ElementType::F32, 'k', {1, 64, 4096}, 1, false, distinct)};
    for (CostFamily& family : families) family.any_of_width = true;
    families.back().variant = "distinct";
    return families;
}

}  // namespace tegu::tune
