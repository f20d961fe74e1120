// SPDX-License-Identifier: Apache-2.0
#include "config/toml_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/ascii.h"
#include "base/fd.h"
#include "config/setting_info.h"

namespace tegu::config {
namespace {

// Bounds the depth of tables, together with the parser's limit of 256 nested values: the parser frees tables
// by recursion.
constexpr std::size_t kMaxDotsPerLine = 32;

std::string float_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

// The start of a line's comment, and whether a multi-line string begins. Without such strings a line can be
// parsed alone.
struct LineParts {
    std::size_t comment;
    bool long_string = false;
};
LineParts parts_of(std::string_view line) {
    char quote = '\0';
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote == '\0') {
            if (c == '#') return {i};
            if (c != '"' && c != '\'') continue;
            if (line.substr(i, 3) == std::string(3, c)) return {line.size(), true};
            quote = c;
        } else if (quote == '"' && c == '\\') {
            ++i;
        } else if (c == quote) {
            quote = '\0';
        }
    }
    return {line.size()};
}

// Rejects text that toml++ handles unsafely, line by line, before it parses the text:
//   - deep dotted keys (see kMaxDotsPerLine); dots of strings and of comments behind a value count too;
//   - control characters, which TOML forbids everywhere;
//   - non-ASCII characters outside comments: in release 3.3 the white-space test has undefined behaviour for
//     U+00A1..U+0499 and a few more ranges up to U+FEFE. No setting needs one, and "\u00FC" is accepted.
std::optional<TextError> check_line(std::string_view line, std::uint32_t number) {
    const auto is_control = [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r') || c == 0x7f;
    };
    const auto outside_ascii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    const auto error_at = [&](std::uint32_t column, std::string text) {
        return TextError{number, std::max(column, 1u), std::move(text)};
    };
    const std::size_t first = line.find_first_not_of(" \t");
    const bool comment = first != std::string_view::npos && line[first] == '#';
    if (!comment && static_cast<std::size_t>(std::count(line.begin(), line.end(), '.')) > kMaxDotsPerLine) {
        const std::string max = std::to_string(kMaxDotsPerLine);
        return error_at(1, "found more than " + max + " dots on a line, allowed at most that");
    }
    const LineParts parts = parts_of(line);
    if (parts.long_string) return error_at(1, "found a string of several lines, allowed on one line each");
    std::uint32_t column = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if ((static_cast<unsigned char>(line[i]) & 0xc0) != 0x80) ++column;
        if (is_control(line[i])) return error_at(column, "found a control character, allowed is text");
        if (outside_ascii(line[i]) && i < parts.comment)
            return error_at(column, "found a character outside ASCII, allowed in comments only");
    }
    return std::nullopt;
}

}  // namespace

std::optional<TextError> check_toml_text(std::string_view text) {
    for (std::uint32_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (std::optional<TextError> error = check_line(text.substr(0, end), number)) return error;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::nullopt;
}

std::string key_text(std::string_view key) {
    const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return is_letter || is_digit(c) || c == '_' || c == '-';
    });
    return bare && key.size() <= 64 ? std::string(key) : quoted_text(key);
}

std::string node_text(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::string: return "the string " + quoted_text(node.as_string()->get());
        case toml::node_type::integer: return "the integer " + std::to_string(node.as_integer()->get());
        case toml::node_type::floating_point: return "the float " + float_text(**node.as_floating_point());
        case toml::node_type::boolean: return **node.as_boolean() ? "the boolean true" : "the boolean false";
        case toml::node_type::array: return "an array";
        case toml::node_type::table: return "a table";
        default: return "a date or time";
    }
}

Result<std::string> read_toml_file(const std::string& path, std::size_t max_bytes) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd.valid()) return io_error("cannot be opened", errno);
    struct stat status = {};
    if (::fstat(fd.get(), &status) != 0) return io_error("cannot be examined", errno);
    if (!S_ISREG(status.st_mode)) {
        const std::string found = S_ISDIR(status.st_mode) ? "a directory" : "a special file";
        return make_error(Status::Io, "found " + found + ", allowed a regular file");
    }
    std::string text;
    char chunk[16384];
    while (text.size() <= max_bytes) {
        const ssize_t got = ::read(fd.get(), chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_error("cannot be read", errno);
        if (got == 0) break;
        text.append(chunk, static_cast<std::size_t>(got));
    }
    return text;
}

TomlText parse_toml(std::string_view text, std::size_t max_bytes) {
    if (text.size() > max_bytes) {
        const std::string max = std::to_string(max_bytes);
        return {{}, TextError{0, 0, "found more than " + max + " bytes, allowed at most that"}};
    }
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
    if (std::optional<TextError> error = check_toml_text(text)) return {{}, std::move(error)};
    toml::parse_result parsed = toml::parse(text);
    if (parsed) return {std::move(parsed).table(), std::nullopt};
    const toml::source_position at = parsed.error().source().begin;
    return {{}, TextError{at.line, at.column, std::string(parsed.error().description())}};
}

}  // namespace tegu::config
