// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tools/tune/jobs/families.h"

namespace tegu::tune {
namespace {

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

// The best method depends on window and levels: up to 16 levels fit a register, beyond 64 counters are many.
std::vector<Family> entropy_map_families(TuningBackend) {
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

std::vector<CostFamily> entropy_map_costs() {
    struct Levels {
        TuningRange range;
        std::uint32_t count;
    };
    constexpr Levels kLevels[] = {{{2, 17}, 16}, {{17, 65}, 64}, {{65, 257}, 256}};
    std::vector<CostFamily> families;
    for (const ElementType type : {ElementType::U8, ElementType::F32})
        for (const Levels& levels : kLevels) {
            const auto params = [type, levels](std::uint64_t pixels) {
                EntropyMapParams made;
                made.window_rows = made.window_cols =
                    static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(pixels))));
                made.levels = levels.count;
                made.has_range = is_float(type);
                made.hi = is_float(type) ? 1 : 0;
                return made;
            };
            families.push_back(detailed(type, 'w', {9, 25, 49, 121, 225, 625, 1521, 3969},
                                        type == ElementType::U8 ? 0 : 2, false, params));
            families.back().levels = levels.range;
            families.back().level_count = levels.count;
            families.back().content = Content::Image;
        }
    return families;
}

}  // namespace tegu::tune
