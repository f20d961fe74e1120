// SPDX-License-Identifier: Apache-2.0
// The input of a job: its header and its elements. Small inputs are sent inline; larger
// ones are read directly into a buffer of the daemon, and a memfd of stdin is registered without a copy. Two
// steps, so that a bad file is reported before the first request to the daemon.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/tegu/input_format.h"

namespace tegu {
namespace cli {

// --dtype, --shape and --raw as they were given. A dtype means raw elements. A file whose first bytes are
// those of a known format is refused then, unless `raw` insists.
struct RawWords {
    std::string dtype, shape;
    bool raw = false;
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
