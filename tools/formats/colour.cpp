// SPDX-License-Identifier: Apache-2.0
#include "tools/formats/colour.h"

#include <array>
#include <cassert>

namespace tegu {
namespace formats {
namespace {

constexpr int kAnchors = 33;
constexpr int kSteps = 256;

constexpr std::uint32_t kViridis[kAnchors] = {
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453681, 0x424086, 0x3f4989, 0x3b528b,
    0x375a8d, 0x33638d, 0x2f6a8e, 0x2c728e, 0x297a8e, 0x26818e, 0x23898e, 0x21908c, 0x1f988b,
    0x1f9f88, 0x21a685, 0x28ae80, 0x31b57b, 0x3ebc74, 0x4cc26c, 0x5dc963, 0x6ece58, 0x82d34c,
    0x96d83f, 0xabdc32, 0xc0df24, 0xd5e21a, 0xeae51a, 0xfde725};
constexpr std::uint32_t kMagma[kAnchors] = {
    0x000004, 0x030311, 0x0a0822, 0x130d33, 0x1d1146, 0x28115a, 0x36106a, 0x430f76, 0x50127c,
    0x5d177f, 0x691c81, 0x762181, 0x822681, 0x8f2a81, 0x9c2e7f, 0xa9327d, 0xb63779, 0xc33b75,
    0xcf4170, 0xdb486a, 0xe65163, 0xee5c5e, 0xf5695c, 0xf9785d, 0xfb8761, 0xfd9668, 0xfea571,
    0xfeb47b, 0xfec387, 0xfed194, 0xfde0a2, 0xfceeb0, 0xfcfdbf};

// Step 0..255 of value; NaN compares false and stays at 0.
int step_of(double value, double lo, double scale) {
    const double step = (value - lo) * scale + 0.5;
    if (!(step >= 0)) return 0;
    return step >= kSteps ? kSteps - 1 : static_cast<int>(step);
}

using Table = std::array<std::array<std::uint8_t, 3>, kSteps>;

Table table_of(const ColourMap& map) {
    Table table;
    for (int step = 0; step < kSteps; ++step) {
        for (int channel = 0; channel < 3; ++channel) {
            const int position = step * (kAnchors - 1);
            const int anchor = position / (kSteps - 1), rest = position % (kSteps - 1);
            const int shift = 16 - 8 * channel;
            const auto part = [&](int index) { return static_cast<int>(map.anchors[index] >> shift & 0xff); };
            const int low = part(anchor), high = rest == 0 ? low : part(anchor + 1);
            const int value = (low * (kSteps - 1 - rest) + high * rest + (kSteps - 1) / 2) / (kSteps - 1);
            table[static_cast<std::size_t>(step)][static_cast<std::size_t>(channel)] =
                static_cast<std::uint8_t>(value);
        }
    }
    return table;
}

}  // namespace

const ColourMap kColourMaps[3] = {{"grey", 1, nullptr}, {"viridis", 3, kViridis}, {"magma", 3, kMagma}};

const ColourMap* find_colour_map(std::string_view word) {
    for (const ColourMap& map : kColourMaps)
        if (word == map.word) return &map;
    return nullptr;
}

Picture render(const float* values, std::uint64_t rows, std::uint64_t cols, double lo, double hi,
               const ColourMap& map) {
    assert(lo < hi && rows <= UINT32_MAX && cols <= UINT32_MAX);
    Picture picture;
    picture.rows = static_cast<std::uint32_t>(rows);
    picture.cols = static_cast<std::uint32_t>(cols);
    picture.channels = map.channels;
    picture.pixels.resize(rows * cols * map.channels);
    const double scale = (kSteps - 1) / (hi - lo);
    const Table table = map.anchors != nullptr ? table_of(map) : Table();
    std::uint8_t* pixel = picture.pixels.data();
    for (std::uint64_t i = 0; i < rows * cols; ++i) {
        const int step = step_of(static_cast<double>(values[i]), lo, scale);
        if (map.channels == 1) {
            *pixel++ = static_cast<std::uint8_t>(step);
        } else {
            for (const std::uint8_t part : table[static_cast<std::size_t>(step)]) *pixel++ = part;
        }
    }
    return picture;
}

}  // namespace formats
}  // namespace tegu
