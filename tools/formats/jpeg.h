// SPDX-License-Identifier: Apache-2.0
// JPEG through libturbojpeg: baseline and progressive, 8 bits. Grey images stand as they are; of colour the
// luma that the file holds (its Y) is taken, without the detour over RGB. The orientation of a camera is
// ignored.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/formats/reader.h"

namespace tegu {
namespace formats {

struct JpegHeader {
    std::uint64_t rows = 0, cols = 0;
    bool colour = false;
};

bool looks_like_jpeg(std::string_view prefix);

// Walks the markers up to the size of the image. An image that cannot come out of the file's bytes is refused
// here, before anybody allocates for it.
Expected<JpegHeader> parse_jpeg(const Reader& file);

// Decodes the whole file into `samples`: rows * cols of u8, dense. Undefined contents on failure.
Expected<void> decode_jpeg(std::string_view file, const JpegHeader& header, std::uint8_t* samples);

}  // namespace formats
}  // namespace tegu
