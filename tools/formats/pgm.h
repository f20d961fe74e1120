// SPDX-License-Identifier: Apache-2.0
// Netpbm's greymap: P5 (binary) with 8 or 16 bits and P2 (text) are read, P5 is written. Samples are taken as
// they stand, not scaled by the maximum: u8 if the maximum is below 256, else u16. Of several images in one
// file the first is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/formats/array_header.h"

namespace tegu {
namespace formats {

struct PgmHeader {
    ArrayHeader array;            // text: bytes is that of the decoded samples, not of the file
    std::uint32_t maximum = 255;  // 1..65535
    bool text = false;            // P2: decode_pgm_text() makes the samples
};

// True for any of P1 to P7 followed by a blank, so that colour images get a message of their own.
bool looks_like_pnm(std::string_view prefix);

// `prefix`: the first min(file_bytes, kPrefixBytes) bytes of the file.
Expected<PgmHeader> parse_pgm(std::string_view prefix, std::uint64_t file_bytes);

// The samples of a P2: `text` is the whole file, `samples` has header.array.bytes bytes, aligned to 2.
// Undefined contents on failure.
Expected<void> decode_pgm_text(std::string_view text, const PgmHeader& header, void* samples);

// "P5", a comment of one line if it is not empty, and the numbers; the samples follow, most significant byte
// first.
std::string encode_pgm_header(std::uint64_t rows, std::uint64_t cols, std::uint32_t maximum,
                              const std::string& comment);

}  // namespace formats
}  // namespace tegu
