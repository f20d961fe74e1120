// SPDX-License-Identifier: Apache-2.0
// Netpbm: greymaps (P5 binary, P2 text) and pixmaps (P6, P3) of 8 or 16 bits are read, P5 is written; colour
// becomes its luma (tools/formats/luma.h). Samples stand as they are, not scaled by the maximum: u8 if that
// is below 256, else u16. Of several images in one file the first is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/formats/array_header.h"

namespace tegu {
namespace formats {

struct PgmHeader {
    ArrayHeader array;            // text and colour: bytes is that of the decoded samples, not of the file
    std::uint32_t maximum = 255;  // 1..65535
    bool text = false;            // P2, P3: decode_pgm_text() makes the samples
    bool colour = false;          // P3, P6: of binary colour decode_ppm_pixels() makes the samples

    std::uint64_t file_samples() const {
        return array.bytes / tegu_element_bytes(array.type) * (colour ? 3 : 1);
    }
};

// True for any of P1 to P7 followed by a blank, so that bitmaps get a message of their own.
bool looks_like_pnm(std::string_view prefix);

// `prefix`: the first min(file_bytes, kPrefixBytes) bytes of the file.
Expected<PgmHeader> parse_pgm(std::string_view prefix, std::uint64_t file_bytes);

// The samples of a P2 or P3: `text` is the whole file, `samples` has header.array.bytes bytes, aligned to 2.
// Undefined contents on failure.
Expected<void> decode_pgm_text(std::string_view text, const PgmHeader& header, void* samples);

// The samples of `count` pixels of a P6. `pixels`: as in the file, three samples each; `samples`: `count` of
// header.array.type, aligned for it.
void decode_ppm_pixels(const char* pixels, std::uint64_t count, const PgmHeader& header, void* samples);

// "P5", a comment of one line if it is not empty, and the numbers; the samples follow, most significant byte
// first.
std::string encode_pgm_header(std::uint64_t rows, std::uint64_t cols, std::uint32_t maximum,
                              const std::string& comment);

}  // namespace formats
}  // namespace tegu
