// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/table/journal_text.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "tools/tune/table/hash.h"

namespace tegu::tune {
namespace {

constexpr std::string_view kMagic = "tegu-tune journal 1: ";
constexpr std::string_view kRecord = "record ";

std::string one_line(std::string_view text) {
    std::string line(text);
    for (char& byte : line)
        if (byte == '\n' || byte == '\r' || byte == '\0') byte = ' ';
    return line;
}

std::string record_line(const JournalRecord& record) {
    char numbers[64];
    const std::string id = one_line(record.id);
    std::snprintf(numbers, sizeof numbers, " %zu %016" PRIx64 "\n", record.text.size(),
                  hash_of(id + "\n" + record.text));
    return std::string(kRecord) + id + numbers;
}

// The first line, and the text after it; nullopt without a line end.
std::optional<std::string_view> take_line(std::string_view& bytes) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    return line;
}

std::optional<JournalRecord> take_record(std::string_view& bytes) {
    std::string_view left = bytes;
    const std::optional<std::string_view> line = take_line(left);
    if (!line || line->substr(0, kRecord.size()) != kRecord) return std::nullopt;
    const std::string rest(line->substr(kRecord.size()));
    char id[256];
    std::size_t length = 0;
    std::uint64_t sum = 0;
    if (std::sscanf(rest.c_str(), "%255s %zu %16" SCNx64, id, &length, &sum) != 3) return std::nullopt;
    if (left.size() <= length || left[length] != '\n') return std::nullopt;
    JournalRecord record{id, std::string(left.substr(0, length))};
    if (hash_of(record.id + "\n" + record.text) != sum) return std::nullopt;
    bytes = left.substr(length + 1);
    return record;
}

}  // namespace

std::string journal_header(std::string_view identity) {
    return std::string(kMagic) + one_line(identity) + "\n";
}

std::string record_text(const JournalRecord& record) {
    return record_line(record) + record.text + "\n";
}

JournalContent parse_journal(std::string_view bytes) {
    JournalContent content;
    std::string_view left = bytes;
    const std::optional<std::string_view> first = take_line(left);
    if (!first || first->substr(0, kMagic.size()) != kMagic) return content;
    content.identity = std::string(first->substr(kMagic.size()));
    while (std::optional<JournalRecord> record = take_record(left))
        content.records.push_back(std::move(*record));
    content.whole_bytes = bytes.size() - left.size();
    return content;
}

}  // namespace tegu::tune
