// SPDX-License-Identifier: Apache-2.0
// The input of a job: detects the file format and loads the elements. Small inputs are sent inline; larger
// ones are read directly into a buffer of the daemon, and a memfd of stdin is registered without a copy. Two
// steps, so that a bad file is reported before the first request to the daemon.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/formats/array_header.h"
#include "tools/formats/pgm.h"
#include "tools/formats/png.h"
#include "tools/tegu/source.h"

namespace tegu {
namespace cli {

// --dtype and --shape as they were given. A dtype means raw elements, whatever the first bytes look like.
struct RawWords {
    std::string dtype, shape;
};

struct InputHeader {
    enum class Format { Raw, Npy, Pgm, Png };
    Format format = Format::Raw;
    formats::ArrayHeader array;
    formats::PgmHeader pgm;  // Format::Pgm
    formats::PngHeader png;  // Format::Png

    const char* format_word() const;
    // The shape as rows and cols: a scalar is 1 x 1, n elements are 1 x n, three and more dimensions are one
    // row of all.
    std::uint64_t rows() const { return array.shape.size() == 2 ? array.shape[0] : 1; }
    std::uint64_t cols() const;
    std::uint64_t elements() const { return array.bytes / tegu_element_bytes(array.type); }
};

// Errors: kUsage (a word), kNoInput (reading), TEGU_BAD_REQUEST (what the file holds).
Expected<InputHeader> read_header(const Source& source, const RawWords& words);

// "100", "3x4", "3,4": extents, outermost first.
Expected<std::vector<std::uint64_t>> parse_shape(const std::string& word);

// Elements in C order and native byte order. Must live until the results of requests that name it are there.
class InputData {
  public:
    static Expected<InputData> read(const Source& source, const InputHeader& header, client::Client& client,
                                    Progress& progress);
    tegu_operand operand() const;

  private:
    void* memory();

    std::vector<std::uint64_t> small_;  // aligned for every type
    client::Buffer buffer_;
    bool in_buffer_ = false;
    std::uint64_t offset_ = 0;  // in the buffer
};

}  // namespace cli
}  // namespace tegu
