// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/reader.h"

#include <algorithm>

#include "base/ascii.h"

namespace tegu::daemon::health {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
bool is_printable(char c) {
    return c >= ' ' && c <= '~';
}

std::string range_text(Range range) {
    return std::to_string(range.low) + ".." + std::to_string(range.high);
}

// Digits from the front of `text`; false on overflow.
bool take_digits(std::string_view& text, bool negative, std::int64_t& value) {
    value = 0;
    bool fits = true;
    for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
        const int digit = text[0] - '0';
        fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, negative ? -digit : digit, &value);
    }
    return fits;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t kMax = 32;
    std::string quoted = "\"";
    for (const char c : text.substr(0, kMax)) quoted += is_printable(c) ? c : '?';
    return quoted + (text.size() > kMax ? "...\"" : "\"");
}

Unknown at(const std::string& path, Unknown unknown) {
    unknown.detail = path + ": " + unknown.detail;
    return unknown;
}

Value<std::int64_t> parse_integer(std::string_view text, Range range, std::string_view unit) {
    const std::string_view whole = trimmed(text);
    if (whole.empty()) return Unknown{Cause::Garbage, "is empty"};
    std::string_view rest = whole;
    const bool negative = rest[0] == '-';
    if (negative) rest.remove_prefix(1);
    const std::size_t before = rest.size();
    std::int64_t value = 0;
    const bool fits = take_digits(rest, negative, value);
    const bool has_digits = rest.size() < before;
    rest = trimmed(rest);
    if (!has_digits || (!rest.empty() && rest != unit))
        return Unknown{Cause::Garbage, excerpt(whole) + " is no number"};
    if (!fits || value < range.low || value > range.high)
        return Unknown{Cause::Absurd, excerpt(whole) + " is not in " + range_text(range)};
    return value;
}

Value<std::string> parse_word(std::string_view text) {
    constexpr std::size_t kMax = 128;
    const std::string_view word = trimmed(text);
    if (word.empty()) return Unknown{Cause::Garbage, "is empty"};
    if (word.size() > kMax || !std::all_of(word.begin(), word.end(), is_printable))
        return Unknown{Cause::Garbage, excerpt(word) + " is not a line of text"};
    return std::string(word);
}

Value<std::string> Reader::text(const Source& source, std::size_t limit, Longer longer) {
    if (source.path.empty()) return Unknown{Cause::Missing, source.missing};
    ++files_read_;
    Value<std::string> text = files_->read(source.path, limit, longer);
    if (!text.known() && text.unknown().cause == Cause::Missing) vanished_ = true;
    return text;
}

Value<std::string> Reader::word(const Source& source) {
    const Value<std::string> all = text(source);
    if (!all.known()) return all.unknown();
    Value<std::string> word = parse_word(*all);
    if (!word.known()) return at(source.path, word.unknown());
    return word;
}

Value<std::int64_t> Reader::integer(const Source& source, Range range, std::string_view unit) {
    const Value<std::string> all = text(source);
    if (!all.known()) return all.unknown();
    Value<std::int64_t> value = parse_integer(*all, range, unit);
    if (!value.known()) return at(source.path, value.unknown());
    return value;
}

Source Reader::find(std::initializer_list<std::string> paths) {
    std::string tried;
    for (const std::string& path : paths) {
        ++files_read_;
        const Value<std::string> start = files_->read(path, 1, Longer::Cut);
        if (start.known() || start.unknown().cause != Cause::Missing) return {path, {}};
        tried += (tried.empty() ? "" : ", ") + path;
    }
    return {{}, tried + (paths.size() == 1 ? ": is not there" : ": none is there")};
}

Value<DiskSpace> Reader::space(const std::string& path) {
    ++files_read_;
    return files_->space(path);
}

}  // namespace tegu::daemon::health
