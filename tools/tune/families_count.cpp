// SPDX-License-Identifier: Apache-2.0
// The families of histogram, entropy and entropy_map.
#include "tools/tune/families_parts.h"

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
Family histogram_family(ElementType type, TuningRange detail, const char* word, std::array<std::uint32_t, 3> bins,
                        const Sizes& sizes, unsigned rank) {
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

Family entropy_family(ElementType type, TuningRange detail, const char* word, std::array<std::uint32_t, 3> levels,
                      const Sizes& sizes, unsigned rank) {
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

struct Window {
    std::uint32_t rows, cols, levels;
};
Family entropy_map_family(ElementType type, TuningRange pixels, const char* word, std::array<Window, 3> windows, unsigned rank) {
    Family family;
    family.type = type;
    family.detail = pixels;
    family.detail_word = word;
    family.params = [windows, type](std::size_t sample) {
        EntropyMapParams params;
        params.window_rows = windows[sample].rows;
        params.window_cols = windows[sample].cols;
        params.levels = windows[sample].levels;
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

// Many levels and few: the best method depends on them, and a row has to be good for both.
std::vector<Family> entropy_map_families() {
    std::vector<Family> families;
    for (const ElementType type : {ElementType::U8, ElementType::F32}) {
        const unsigned rank = type == ElementType::U8 ? 0 : 1;
        families.push_back(entropy_map_family(type, {9, 26}, "w9", {{{3, 3, 16}, {5, 5, 16}, {5, 5, 64}}}, rank));
        families.push_back(entropy_map_family(type, {26, 122}, "w26", {{{9, 9, 64}, {9, 9, 16}, {7, 7, 256}}}, rank));
        families.push_back(entropy_map_family(type, {122, 626}, "w122", {{{15, 15, 16}, {21, 21, 256}, {17, 17, 64}}}, rank + 1));
        families.push_back(entropy_map_family(type, {626, UINT64_MAX}, "w626", {{{63, 63, 256}, {31, 31, 64}, {27, 27, 256}}}, rank + 1));
    }
    return families;
}

}  // namespace tegu::tune
