// SPDX-License-Identifier: Apache-2.0
// Colour maps: their ends, what is out of range, and that luminance grows.
#include "tools/formats/colour.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tegu {
namespace formats {
namespace {

TEST(Colour, GreyScalesAndClamps) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const float values[] = {0, 1, 2, 4, 5, -1, nan, inf, -inf};
    const Picture picture = render(values, 1, 9, 0, 4, *find_colour_map("grey"));
    EXPECT_EQ(picture.channels, 1u);
    EXPECT_EQ(picture.pixels, (std::vector<std::uint8_t>{0, 64, 128, 255, 255, 0, 0, 255, 0}));
}

TEST(Colour, MapsBeginAndEndWithTheirColours) {
    const float values[] = {0, 1};
    EXPECT_EQ(render(values, 1, 2, 0, 1, *find_colour_map("viridis")).pixels,
              (std::vector<std::uint8_t>{0x44, 0x01, 0x54, 0xfd, 0xe7, 0x25}));
    EXPECT_EQ(render(values, 1, 2, 0, 1, *find_colour_map("magma")).pixels,
              (std::vector<std::uint8_t>{0x00, 0x00, 0x04, 0xfc, 0xfd, 0xbf}));
    EXPECT_EQ(find_colour_map("jet"), nullptr);
}

// What makes a map readable: luminance grows all the way.
TEST(Colour, LuminanceGrows) {
    std::vector<float> values(256);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    for (const ColourMap& map : kColourMaps) {
        const Picture picture = render(values.data(), 1, 256, 0, 255, map);
        double last = -1;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint8_t* pixel = &picture.pixels[i * map.channels];
            const double luma =
                map.channels == 1 ? pixel[0] : 0.2126 * pixel[0] + 0.7152 * pixel[1] + 0.0722 * pixel[2];
            EXPECT_GE(luma, last - 0.5) << map.word << " at " << i;
            last = luma;
        }
        EXPECT_GT(last, 200) << map.word;
    }
}

}  // namespace
}  // namespace formats
}  // namespace tegu
