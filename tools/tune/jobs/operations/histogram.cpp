// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/families.h"

namespace tegu::tune {
namespace {

// The second of the three jobs includes the range search, as in many programs.
Family histogram_family(ElementType type, TuningRange detail, const char* word,
                        std::array<std::uint32_t, 3> bins, const Sizes& sizes, unsigned rank) {
    return detailed_family(type, detail, word, sizes, rank, [=](std::size_t sample) {
        return HistogramParams{bins[sample], sample != 1, low_of(type), high_of(type), false};
    });
}

}  // namespace

std::vector<Family> histogram_families(TuningBackend) {
    const Sizes coarse = {&coarse_sizes()}, rows = {&row_sizes()};
    constexpr TuningRange kSmall{0, 257}, kMiddle{257, 4097}, kLarge{4097, UINT64_MAX};
    return {histogram_family(ElementType::U8, {}, "", {256, 64, 256}, coarse, 0),
            histogram_family(ElementType::F32, kSmall, "b0", {64, 256, 256}, coarse, 0),
            histogram_family(ElementType::F32, kMiddle, "b257", {1024, 1024, 4096}, coarse, 1),
            histogram_family(ElementType::F32, kLarge, "b4K", {16384, 65536, 65536}, coarse, 1),
            histogram_family(ElementType::U16, kSmall, "b0", {64, 256, 256}, coarse, 1),
            histogram_family(ElementType::U16, kLarge, "b4K", {16384, 65536, 65536}, coarse, 1),
            histogram_family(ElementType::F32, kSmall, "b0", {64, 16, 256}, rows, 1)};
}

std::vector<CostFamily> histogram_costs() {
    std::vector<CostFamily> families;
    for (const ElementType type : {ElementType::F32, ElementType::U8, ElementType::U16}) {
        const auto params = [type](std::uint64_t bins) {
            return HistogramParams{static_cast<std::uint32_t>(bins), true, low_of(type), high_of(type),
                                   false};
        };
        const bool is_byte = type == ElementType::U8, is_float = type == ElementType::F32;
        families.push_back(detailed(
            type, 'b',
            is_byte ? std::vector<std::uint64_t>{16, 256} : std::vector<std::uint64_t>{16, 256, 4096, 65536},
            is_float ? 0 : 1, is_float, params));
    }
    return families;
}

}  // namespace tegu::tune
