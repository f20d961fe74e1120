// SPDX-License-Identifier: Apache-2.0
// Which file an input is, by its first bytes, and the decoding of its elements. The parsers are in
// tools/formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/formats/array_header.h"
#include "tools/formats/jpeg.h"
#include "tools/formats/pgm.h"
#include "tools/formats/png.h"
#include "tools/formats/tiff.h"
#include "tools/tegu/source.h"

namespace tegu {
namespace cli {

struct InputHeader {
    enum class Format { Raw, Npy, Pgm, Png, Jpeg, Tiff };
    std::string name;  // of the file, "stdin", or "x.npz:member"
    Format format = Format::Raw;
    formats::ArrayHeader array;
    formats::PgmHeader pgm;    // Format::Pgm
    formats::PngHeader png;    // Format::Png
    formats::JpegHeader jpeg;  // Format::Jpeg
    formats::TiffHeader tiff;  // Format::Tiff

    // "npy", "png, luma of its colours"
    std::string format_word() const;
    // The shape as rows and cols: a scalar is 1 x 1, n elements are 1 x n, three and more dimensions are one
    // row of all.
    std::uint64_t rows() const { return array.shape.size() == 2 ? array.shape[0] : 1; }
    std::uint64_t cols() const;
    std::uint64_t elements() const { return array.bytes / tegu_element_bytes(array.type); }
    // The bytes of the file are the elements: in order, aligned, and nothing to decode.
    bool lies_ready() const;
};

// "a .npy", "a .png image"; null for bytes that are none of the formats.
const char* kind_of(std::string_view prefix);
// ".npy, .npz, .png, ...": what is read.
extern const char* const kReadFormats;

// The bytes of the file in `source`, for parsers that look further than its first bytes. `source` outlives
// it.
formats::Reader reader_of(const Source& source);

// An error of a parser or decoder with the name of the file. A library that is missing is kNoInput.
Error input_error(const std::string& name, Error error);

// Errors: kNoInput (reading), kDataError and TEGU_BAD_REQUEST (what the file holds).
Expected<InputHeader> sniff(const Source& source);

// Fills `to` with the elements, in C order and native byte order: header.array.bytes, aligned for the type.
Expected<void> read_elements(const Source& source, const InputHeader& header, void* to, Progress& progress);

}  // namespace cli
}  // namespace tegu
