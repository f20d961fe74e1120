// SPDX-License-Identifier: Apache-2.0
// The families of topk and quantile. Their kernels see the width of an element, not its type.
#include <initializer_list>

#include "tools/tune/jobs/families_parts.h"

namespace tegu::tune {
namespace {

using Sizes = std::vector<const std::vector<SizeClass>*>;

struct Results {
    TuningRange k;
    const char* word;
    std::array<std::uint64_t, 3> samples;
};
constexpr Results kFew{{1, 32}, "k1", {5, 10, 25}};
constexpr Results kSome{{32, 512}, "k32", {48, 100, 400}};
constexpr Results kMany{{512, 8192}, "k512", {600, 2000, 5000}};
constexpr Results kMost{{8192, UINT64_MAX}, "k8K", {10000, 65536, 500000}};
constexpr Results kBelow512{{1, 512}, "k1", {10, 48, 200}};
constexpr Results kAbove512{{512, UINT64_MAX}, "k512", {1000, 4096, 65536}};

Family topk_family(ElementType type, const Results& results, const Sizes& sizes, bool distinct,
                   unsigned rank) {
    Family family;
    family.type = type;
    family.any_of_width = true;
    if (distinct) family.variant = "distinct";
    family.detail = results.k;
    family.detail_word = results.word;
    family.params = [k = results.samples, distinct](std::size_t sample) {
        return TopkParams{k[sample], true, distinct};
    };
    family.sizes = sizes;
    family.rank = rank;
    return family;
}

Family quantile_family(ElementType type, TuningRange detail, const char* word, std::array<unsigned, 3> counts,
                       const Sizes& sizes, unsigned rank) {
    Family family;
    family.type = type;
    family.any_of_width = true;
    family.detail = detail;
    family.detail_word = word;
    family.params = [counts](std::size_t sample) {
        QuantileParams params;
        const unsigned count = counts[sample];
        for (unsigned i = 1; i <= count; ++i) params.q.push_back(static_cast<double>(i) / (count + 1));
        return params;
    };
    family.sizes = sizes;
    family.rank = rank;
    return family;
}

}  // namespace

std::vector<Family> topk_families(TuningBackend backend) {
    const Sizes fine = {&whole_sizes()}, coarse = {&coarse_sizes()}, rows = {&row_sizes()};
    std::vector<Family> families;
    for (const Results& results : {kFew, kSome, kMany, kMost})
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

}  // namespace tegu::tune
