// SPDX-License-Identifier: Apache-2.0
// The families of histogram, entropy and entropy_map.
#include "tools/tune/jobs/families_parts.h"

namespace tegu::tune {
namespace {

using Sizes = std::vector<const std::vector<SizeClass>*>;

// The range of the values: that of a byte, of two bytes, of the floats of Content::Uniform.
double low_of(ElementType type) {
    return is_float(type) ? -1 : 0;
}
double high_of(ElementType type) {
    return type == ElementType::U8 ? 256 : type == ElementType::U16 ? 65536 : 1;
}

// The second of the three jobs looks for the range itself, as many programs let it.
Family histogram_family(ElementType type, TuningRange detail, const char* word,
                        std::array<std::uint32_t, 3> bins, const Sizes& sizes, unsigned rank) {
    Family family;
    family.type = type;
    family.detail = detail;
    family.detail_word = word;
    family.params = [=](std::size_t sample) {
        return HistogramParams{bins[sample], sample != 1, low_of(type), high_of(type), false};
    };
    family.sizes = sizes;
    family.rank = rank;
    return family;
}

Family entropy_family(ElementType type, TuningRange detail, const char* word,
                      std::array<std::uint32_t, 3> levels, const Sizes& sizes, unsigned rank) {
    Family family;
    family.type = type;
    family.detail = detail;
    family.detail_word = word;
    family.params = [=](std::size_t sample) {
        EntropyParams params;
        params.levels = levels[sample];
        params.has_range = is_float(type) && sample != 1;
        params.lo = low_of(type);
        params.hi = high_of(type);
        return params;
    };
    family.sizes = sizes;
    family.rank = rank;
    return family;
}

// Windows and levels of the three jobs of a family.
struct Windows {
    TuningRange pixels, levels;
    const char* word;
    std::array<std::uint32_t, 3> edges, counts;
};
Family entropy_map_family(ElementType type, const Windows& windows, unsigned rank) {
    Family family;
    family.type = type;
    family.detail = windows.pixels;
    family.levels = windows.levels;
    family.detail_word = windows.word;
    family.params = [windows, type](std::size_t sample) {
        EntropyMapParams params;
        params.window_rows = params.window_cols = windows.edges[sample];
        params.levels = windows.counts[sample];
        params.has_range = is_float(type);
        params.hi = is_float(type) ? 1 : 0;
        return params;
    };
    family.sizes = {&image_sizes()};
    family.content = Content::Image;
    family.rank = rank;
    return family;
}

}  // namespace

std::vector<Family> histogram_families() {
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

std::vector<Family> entropy_families() {
    const Sizes coarse = {&coarse_sizes()}, rows = {&row_sizes()};
    constexpr TuningRange kSmall{0, 257}, kLarge{257, UINT64_MAX};
    return {entropy_family(ElementType::U8, {}, "", {256, 16, 256}, coarse, 0),
            entropy_family(ElementType::F32, kSmall, "l0", {256, 16, 256}, coarse, 0),
            entropy_family(ElementType::F32, kLarge, "l257", {1024, 4096, 65536}, coarse, 1),
            entropy_family(ElementType::U16, {}, "", {256, 65536, 65536}, coarse, 1),
            entropy_family(ElementType::F32, kSmall, "l0", {16, 64, 256}, rows, 1),
            entropy_family(ElementType::U8, {}, "", {256, 16, 256}, rows, 1)};
}

// The best method depends on window and levels: up to 16 levels fit a register, beyond 64 counters are many.
std::vector<Family> entropy_map_families() {
    constexpr TuningRange kFew{2, 17}, kMany{17, 257};
    const Windows small[] = {{{9, 26}, kFew, "w9-l2", {3, 5, 5}, {16, 16, 8}},
                             {{9, 26}, kMany, "w9-l17", {5, 5, 3}, {64, 32, 256}},
                             {{26, 122}, kFew, "w26-l2", {9, 9, 7}, {16, 8, 16}},
                             {{26, 122}, kMany, "w26-l17", {9, 9, 7}, {64, 256, 32}}};
    const Windows large[] = {{{122, 626}, kFew, "w122-l2", {15, 21, 17}, {16, 8, 16}},
                             {{122, 626}, kMany, "w122-l17", {15, 21, 17}, {64, 256, 32}},
                             {{626, UINT64_MAX}, kFew, "w626-l2", {63, 31, 27}, {16, 8, 16}},
                             {{626, UINT64_MAX}, kMany, "w626-l17", {63, 31, 27}, {256, 64, 32}}};
    std::vector<Family> families;
    for (const Windows& windows : small) families.push_back(entropy_map_family(ElementType::U8, windows, 0));
    for (const Windows& windows : large) families.push_back(entropy_map_family(ElementType::U8, windows, 1));
    for (const Windows& windows : small) families.push_back(entropy_map_family(ElementType::F32, windows, 1));
    for (const Windows& windows : large) families.push_back(entropy_map_family(ElementType::F32, windows, 2));
    return families;
}

}  // namespace tegu::tune
