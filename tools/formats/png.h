// SPDX-License-Identifier: Apache-2.0
// PNG through libpng: reads grey images of 1 to 16 bits and colour, writes 8-bit grey and RGB images. Grey of
// 1 to 8 bits becomes u8 (1, 2 and 4 bits are spread over 0..255), of 16 bits u16. Colour becomes its luma:
// (19595 R + 38470 G + 7471 B + 32768) >> 16 of the samples as stored (ITU-R BT.601, as Pillow's
// convert("L")).
//
// An alpha channel is dropped, not composed. Gamma and colour profiles are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/formats/array_header.h"

namespace tegu {
namespace formats {

struct PngHeader {
    std::uint8_t type = 0;  // TEGU_U8 or TEGU_U16
    std::uint64_t rows = 0, cols = 0;
    bool colour = false;  // RGB or a palette: the samples are luma
    bool alpha = false;   // an alpha channel is dropped
};

bool looks_like_png(std::string_view prefix);

// `prefix`: the first 33 bytes of the file or more. An image whose rows cannot come out of file_bytes of
// deflate is refused here, before anybody allocates for it.
Expected<PngHeader> parse_png(std::string_view prefix, std::uint64_t file_bytes);

// Decodes the whole file into `samples`: rows * cols of header.type, dense, aligned for it. Undefined
// contents on failure.
Expected<void> decode_png(std::string_view file, const PngHeader& header, void* samples);

// A picture in memory: 8 bits a channel, rows dense.
struct Picture {
    std::uint32_t rows = 0, cols = 0;
    std::uint32_t channels = 1;        // 1 grey, 3 RGB
    std::vector<std::uint8_t> pixels;  // rows * cols * channels
};

// The bytes of a PNG file. `description` goes into a text chunk unless it is empty.
Expected<std::string> encode_png(const Picture& picture, const std::string& description);

}  // namespace formats
}  // namespace tegu
