// SPDX-License-Identifier: Apache-2.0
// Converts an array of numbers to a picture: a linear scale from [lo, hi] to a perceptually uniform colour
// map. Each map has 33 anchors with linear interpolation, within 2 of 255 of its 256-entry table (viridis and
// magma: CC0, by Smith and van der Walt).
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/formats/png.h"

namespace tegu {
namespace formats {

struct ColourMap {
    const char* word;
    std::uint32_t channels;        // 1: grey, anchors unused
    const std::uint32_t* anchors;  // 33, 0xRRGGBB
};

extern const ColourMap kColourMaps[3];  // grey, viridis, magma

// Null for a word that is not in the list.
const ColourMap* find_colour_map(std::string_view word);

// Value lo becomes the first colour, hi the last; values outside are clamped, NaN becomes the first.
// REQUIRES: lo < hi, both extents at most 2^32 - 1.
Picture render(const float* values, std::uint64_t rows, std::uint64_t cols, double lo, double hi,
               const ColourMap& map);

}  // namespace formats
}  // namespace tegu
