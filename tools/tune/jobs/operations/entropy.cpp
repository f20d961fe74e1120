// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/families.h"

namespace tegu::tune {
namespace {

Family entropy_family(ElementType type, TuningRange detail, const char* word,
                      std::array<std::uint32_t, 3> levels, const Sizes& sizes, unsigned rank) {
    return detailed_family(type, detail, word, sizes, rank, [=](std::size_t sample) {
        EntropyParams params;
        params.levels = levels[sample];
        params.has_range = is_float(type) && sample != 1;
        params.lo = low_of(type);
        params.hi = high_of(type);
        return params;
    });
}

}  // namespace

std::vector<Family> entropy_families(TuningBackend) {
    const Sizes coarse = {&coarse_sizes()}, rows = {&row_sizes()};
    constexpr TuningRange kSmall{0, 257}, kLarge{257, UINT64_MAX};
    return {entropy_family(ElementType::U8, {}, "", {256, 16, 256}, coarse, 0),
            entropy_family(ElementType::F32, kSmall, "l0", {256, 16, 256}, coarse, 0),
            entropy_family(ElementType::F32, kLarge, "l257", {1024, 4096, 65536}, coarse, 1),
            entropy_family(ElementType::U16, {}, "", {256, 65536, 65536}, coarse, 1),
            entropy_family(ElementType::F32, kSmall, "l0", {16, 64, 256}, rows, 1),
            entropy_family(ElementType::U8, {}, "", {256, 16, 256}, rows, 1)};
}

std::vector<CostFamily> entropy_costs() {
    std::vector<CostFamily> families;
    for (const ElementType type : {ElementType::F32, ElementType::U8, ElementType::U16}) {
        const auto params = [type](std::uint64_t levels) {
            EntropyParams made;
            made.levels = static_cast<std::uint32_t>(levels);
            made.has_range = is_float(type);
            made.lo = low_of(type);
            made.hi = high_of(type);
            return made;
        };
        const bool is_byte = type == ElementType::U8;
        families.push_back(detailed(
            type, 'l',
            is_byte ? std::vector<std::uint64_t>{16, 256} : std::vector<std::uint64_t>{16, 256, 4096, 65536},
            is_byte ? 0 : 1, is_byte, params));
    }
    return families;
}

}  // namespace tegu::tune
