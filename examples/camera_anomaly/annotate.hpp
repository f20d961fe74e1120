// SPDX-License-Identifier: Apache-2.0
// A tile of a frame, and the PNG of a frame with some tiles marked.
#pragma once

#include <png.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "frames.hpp"

constexpr std::uint64_t kTile = 40;  // pixels; divides 1280 and 720

struct Tile {
    std::uint64_t x, y;
    double score;
};

// Returns whether the file was written.
inline bool annotate(const std::vector<std::uint8_t>& grey, Size size, const std::vector<Tile>& tiles,
                     const char* path) {
    std::vector<std::uint8_t> rgb;
    for (const std::uint8_t pixel : grey) rgb.insert(rgb.end(), 3, pixel);
    for (const Tile& tile : tiles)
        for (std::uint64_t y = 0; y < kTile; ++y)
            for (std::uint64_t x = 0; x < kTile; ++x)
                if (std::min({x, y, kTile - 1 - x, kTile - 1 - y}) < 3)
                    std::memcpy(&rgb[((tile.y + y) * size.width + tile.x + x) * 3], "\xff\x3c\x28", 3);
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(size.width);
    image.height = static_cast<png_uint_32>(size.height);
    image.format = PNG_FORMAT_RGB;
    return png_image_write_to_file(&image, path, 0, rgb.data(), 0, nullptr) != 0;
}
