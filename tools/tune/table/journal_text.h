// SPDX-License-Identifier: Apache-2.0
// The bytes of a journal: a header line, then records of a line with id, length and checksum, the text, and a
// line end. Pure; safe for any bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegu::tune {

struct JournalRecord {
    std::string id;    // of the class, or of the cost: "cuda/reduce-f32-n1M-s1"; no blanks
    std::string text;  // the finding; any bytes
};

std::string journal_header(std::string_view identity);
std::string record_text(const JournalRecord& record);

struct JournalContent {
    std::optional<std::string> identity;  // none: this is no journal
    std::vector<JournalRecord> records;
    std::size_t whole_bytes = 0;  // up to the end of the last whole record
};
JournalContent parse_journal(std::string_view bytes);

}  // namespace tegu::tune
