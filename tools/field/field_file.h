// SPDX-License-Identifier: Apache-2.0
// Splits the text of a field file into its head and the lines of its records. Reads the output of Recorder,
// complete or with a truncated last line.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tegu::field {

// The parts of a file's head, as identity_json() and options_json() write them.
struct FieldHead {
    std::string identity, options;
};

struct FieldText {
    std::vector<std::string> records;  // one line each, without those to be measured again
    std::set<std::string> keys;        // case_key() of results, and of cases that were left out for good
    std::size_t results = 0;
    double elapsed_s = 0;  // of the last reading of the board
    bool whole = true;     // nothing was cut off or left out
};

// The key of a case in a file.
std::string case_key(const std::string& part, const std::string& name, const std::string& backend);

// The text before the first record, and after the last one.
std::string head_text(const FieldHead& head);
std::string tail_text(bool finished);

// Errors: BadRequest: no field file, or one of another board, build or options than `head`; the message names
// the first difference.
Result<FieldText> parse_field_file(std::string_view text, const FieldHead& head);

}  // namespace tegu::field
