// SPDX-License-Identifier: Apache-2.0
#include "config/settings_load.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// Release 3.3 asserts what malformed text does not hold ("[[[x]"), and then refuses it in order: its assertions would end a build that has them.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "base/fd.h"
#include "config/setting_info.h"
#include "config/suggest.h"

namespace tegu::config {
namespace {

// With the parser's own limit of 256 nested values this bounds the depth of tables, which it frees by recursion.
constexpr std::size_t kMaxDotsPerLine = 32;

// A key as a person can find it in the file: quoted where the file must have quoted it.
std::string key_text(std::string_view key) {
    const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
    return bare && key.size() <= 64 ? std::string(key) : quoted_text(key);
}

std::string float_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

// "the integer 5", "an array": what stands where something else is wanted.
std::string node_text(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::string: return "the string " + quoted_text(node.as_string()->get());
        case toml::node_type::integer: return "the integer " + std::to_string(node.as_integer()->get());
        case toml::node_type::floating_point: return "the float " + float_text(node.as_floating_point()->get());
        case toml::node_type::boolean: return node.as_boolean()->get() ? "the boolean true" : "the boolean false";
        case toml::node_type::array: return "an array";
        case toml::node_type::table: return "a table";
        default: return "a date or time";
    }
}

// Checks one parsed file, collecting values and errors.
class Checker {
  public:
    Checker(std::string file, LoadedSettings& out) : file_(std::move(file)), out_(out) {}

    void check(const toml::table& root) {
        for (const auto& [key, node] : root) check_top(key, node);
    }

    // Relations between settings; after derived sizes are filled in. Settings that failed by themselves are left out.
    void check_orders() {
        for (const SettingOrder& order : setting_orders())
            check_order(*find_setting(order.smaller), *find_setting(order.larger));
    }

    void add(const toml::source_position& at, std::string key, std::string text) {
        out_.errors.push_back({file_, at.line, at.column, std::move(key), std::move(text)});
    }

  private:
    struct Place {
        const SettingInfo* info;
        toml::source_position at;
        bool valid;
    };

    void check_top(const toml::key& key, const toml::node& node) {
        const std::string_view name = key.str();
        const toml::source_position at = key.source().begin;
        const Span<const SettingTable> tables = setting_tables();
        const bool known =
            std::any_of(tables.begin(), tables.end(), [&](const SettingTable& table) { return table.name == name; });
        if (!known) return add(at, key_text(name), node.is_table() ? unknown_table(name) : unknown_key("", name));
        if (const toml::table* table = node.as_table()) {
            for (const auto& [inner, value] : *table) check_setting(name, inner, value);
        } else {
            add(at, std::string(name), "found " + node_text(node) + ", allowed a table: [" + std::string(name) + "]");
        }
    }

    void check_setting(std::string_view table, const toml::key& key, const toml::node& node) {
        const std::string_view name = key.str();
        const SettingInfo* info = find_setting(std::string(table) + "." + std::string(name));
        if (info == nullptr)
            return add(key.source().begin, std::string(table) + "." + key_text(name), unknown_key(table, name));
        const toml::source_position at = node.is_table() ? key.source().begin : node.source().begin;
        const Result<SettingValue> value = check_node(*info, node);
        places_.push_back({info, at, value.ok()});
        if (value)
            info->set(out_.settings, *value);
        else
            add(at, std::string(info->key), value.error().message);
    }

    static Result<SettingValue> check_node(const SettingInfo& info, const toml::node& node) {
        if (const auto* integer = node.as_integer()) return check_value(info, integer->get());
        if (const auto* text = node.as_string()) return check_value(info, text->get());
        return field_error(Status::BadRange, std::string(info.key), allowed_text(info),
                           refusal_text(info, node_text(node)));
    }

    static std::string unknown_table(std::string_view name) {
        const std::string_view nearest = suggest_table(name);
        if (!nearest.empty()) return "unknown table; did you mean [" + std::string(nearest) + "]?";
        std::string text = "unknown table; there are";
        for (const SettingTable& table : setting_tables()) text += " [" + std::string(table.name) + "]";
        return text;
    }

    static std::string unknown_key(std::string_view table, std::string_view name) {
        const std::string_view nearest = suggest_key(table, name);
        return nearest.empty() ? "unknown key" : "unknown key; did you mean " + std::string(nearest) + "?";
    }

    const Place* find_place(const SettingInfo& info) const {
        const auto place =
            std::find_if(places_.begin(), places_.end(), [&](const Place& p) { return p.info == &info; });
        return place == places_.end() ? nullptr : &*place;
    }

    // Reported at the setting that the file names; at the smaller one if it names both.
    void check_order(const SettingInfo& smaller, const SettingInfo& larger) {
        const SettingValue low = smaller.get(out_.settings);
        const SettingValue high = larger.get(out_.settings);
        const Place* low_place = find_place(smaller);
        const Place* high_place = find_place(larger);
        const bool unusable =
            (low_place != nullptr && !low_place->valid) || (high_place != nullptr && !high_place->valid);
        if (unusable || !(high < low)) return;
        const bool at_low = low_place != nullptr;
        const SettingInfo& here = at_low ? smaller : larger;
        const SettingInfo& other = at_low ? larger : smaller;
        std::string text =
            "found " + value_text(here, at_low ? low : high) + (at_low ? ", allowed at most " : ", allowed at least ");
        text += std::string(other.key) + ", which is " + value_text(other, at_low ? high : low);
        if ((at_low ? high_place : low_place) == nullptr) text += " by default";
        if (at_low || high_place != nullptr) add((at_low ? low_place : high_place)->at, std::string(here.key), text);
    }

    std::string file_;
    LoadedSettings& out_;
    std::vector<Place> places_;
};

LoadedSettings file_error(const std::string& file, std::string text) {
    LoadedSettings loaded;
    loaded.errors.push_back({file, 0, 0, {}, std::move(text)});
    return loaded;
}

struct TextError {
    toml::source_position at;
    std::string text;
};

// Where the comment of a line begins, and whether a string of several lines does: without those a line can be read by itself.
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

// What toml++ cannot be trusted with, found before it sees the text, line by line:
// - deep dotted keys (see kMaxDotsPerLine); dots of strings and of comments behind a value count too;
// - control characters, which TOML has nowhere;
// - characters outside ASCII but in comments: release 3.3 runs into undefined behaviour when it asks whether one of U+00A1..U+0499, or of
//   a few more ranges up to U+FEFE, is white space. No setting needs one, and "\u00FC" would be read.
std::optional<TextError> check_line(std::string_view line, std::uint32_t number) {
    const auto is_control = [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r') || c == 0x7f;
    };
    const auto outside_ascii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    const std::size_t first = line.find_first_not_of(" \t");
    const bool comment = first != std::string_view::npos && line[first] == '#';
    if (!comment && static_cast<std::size_t>(std::count(line.begin(), line.end(), '.')) > kMaxDotsPerLine)
        return TextError{
            {number, 1},
            "found more than " + std::to_string(kMaxDotsPerLine) + " dots on a line, allowed at most that"};
    const LineParts parts = parts_of(line);
    if (parts.long_string) return TextError{{number, 1}, "found a string of several lines, allowed on one line each"};
    std::uint32_t column = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if ((static_cast<unsigned char>(line[i]) & 0xc0) != 0x80) ++column;
        if (is_control(line[i]))
            return TextError{{number, std::max(column, 1u)}, "found a control character, allowed is text"};
        if (outside_ascii(line[i]) && i < parts.comment)
            return TextError{{number, std::max(column, 1u)},
                             "found a character outside ASCII, allowed in comments only"};
    }
    return std::nullopt;
}

std::optional<TextError> check_text(std::string_view text) {
    for (std::uint32_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (std::optional<TextError> error = check_line(text.substr(0, end), number)) return error;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::nullopt;
}

// Reads at most kMaxSettingsFileBytes + 1 bytes. Error: what a person can mend.
Result<std::string> read_all(int fd) {
    std::string text;
    char chunk[16384];
    while (text.size() <= kMaxSettingsFileBytes) {
        const ssize_t got = ::read(fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_error("cannot be read", errno);
        if (got == 0) break;
        text.append(chunk, static_cast<std::size_t>(got));
    }
    return text;
}

}  // namespace

std::string diagnostic_text(const Diagnostic& diagnostic) {
    std::string line = diagnostic.file + ":";
    if (diagnostic.line != 0) line += std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column) + ":";
    line += " error: ";
    if (!diagnostic.key.empty()) line += diagnostic.key + ": ";
    line += diagnostic.text;
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return line;
}

LoadedSettings parse_settings(std::string_view text, const std::string& file, std::uint64_t memory_bytes) {
    if (text.size() > kMaxSettingsFileBytes)
        return file_error(file,
                          "found more than " + std::to_string(kMaxSettingsFileBytes) + " bytes, allowed at most that");
    LoadedSettings loaded;
    Checker checker(file, loaded);
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
    if (std::optional<TextError> error = check_text(text)) {
        checker.add(error->at, {}, std::move(error->text));
        return loaded;
    }
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
        checker.add(parsed.error().source().begin, {}, std::string(parsed.error().description()));
        return loaded;
    }
    checker.check(parsed.table());
    derive_sizes(loaded.settings, memory_bytes);
    checker.check_orders();
    std::stable_sort(loaded.errors.begin(), loaded.errors.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return a.line != b.line ? a.line < b.line : a.column < b.column;
    });
    return loaded;
}

LoadedSettings load_settings(const std::string& path, IfMissing if_missing, std::uint64_t memory_bytes) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd.valid() && errno == ENOENT && if_missing == IfMissing::GivesDefaults) {
        LoadedSettings loaded;
        loaded.settings = default_settings(memory_bytes);
        return loaded;
    }
    if (!fd.valid()) return file_error(path, io_error("cannot be opened", errno).message);
    struct stat status = {};
    if (::fstat(fd.get(), &status) != 0) return file_error(path, io_error("cannot be examined", errno).message);
    if (S_ISDIR(status.st_mode)) return file_error(path, "found a directory, allowed a regular file");
    if (!S_ISREG(status.st_mode)) return file_error(path, "found a special file, allowed a regular file");
    const Result<std::string> text = read_all(fd.get());
    if (!text) return file_error(path, text.error().message);
    return parse_settings(*text, path, memory_bytes);
}

}  // namespace tegu::config
