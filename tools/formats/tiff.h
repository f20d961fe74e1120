// SPDX-License-Identifier: Apache-2.0
// TIFF and BigTIFF through libtiff: the first image of the file, grey of any of the eleven types, or RGB of 8
// or 16 bits, which becomes its luma. Uncompressed, LZW, deflate and PackBits, in strips or tiles; other
// kinds are refused by name.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/formats/reader.h"

namespace tegu {
namespace formats {

struct TiffHeader {
    std::uint8_t type = 0;  // TEGU_U8, ...
    std::uint64_t rows = 0, cols = 0;
    std::uint32_t samples = 1;  // of a pixel: 2 and 4 end with an alpha channel, which is dropped
    bool colour = false;        // the first three are red, green and blue
};

bool looks_like_tiff(std::string_view prefix);

// An image that cannot come out of the file's bytes is refused here, before anybody allocates for it.
Expected<TiffHeader> parse_tiff(const Reader& file);

// Decodes the image into `samples`: rows * cols of header.type, dense, aligned for it. Undefined contents on
// failure.
Expected<void> decode_tiff(const Reader& file, const TiffHeader& header, void* samples);

}  // namespace formats
}  // namespace tegu
