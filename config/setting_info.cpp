// SPDX-License-Identifier: Apache-2.0
#include "config/setting_info.h"

#include <algorithm>
#include <optional>

#include "config/listen_address.h"

namespace tegu::config {
namespace {

constexpr std::string_view kBackendWords[] = {"auto", "cpu", "gpu"};  // in the order of ExecutorBackend
constexpr std::string_view kMemoryWords[] = {"auto", "A", "B", "C", "discrete"};  // in the order of GpuMemory
constexpr std::string_view kDevicesWords[] = {"auto", "all"};
constexpr std::size_t kMaxDevices = 16;
constexpr LogLevel kLevels[] = {LogLevel::Error, LogLevel::Warning, LogLevel::Notice, LogLevel::Info,
                                LogLevel::Debug};
// in the order of kLevels
constexpr std::string_view kLevelWords[] = {"error", "warning", "notice", "info", "debug"};

template <class T, std::size_t N>
std::size_t index_of(const T (&list)[N], const T& wanted) {
    return static_cast<std::size_t>(std::find(list, list + N, wanted) - list);
}

SettingValue to_value(std::uint64_t member) {
    return member;
}
SettingValue to_value(const std::string& member) {
    return member;
}
SettingValue to_value(LogLevel member) {
    return std::string(log_level_word(member));
}
SettingValue to_value(ExecutorBackend member) {
    return std::string(kBackendWords[static_cast<std::size_t>(member)]);
}
SettingValue to_value(GpuMemory member) {
    return std::string(kMemoryWords[static_cast<std::size_t>(member)]);
}

void from_value(const SettingValue& value, std::uint64_t& member) {
    member = *std::get_if<std::uint64_t>(&value);
}
void from_value(const SettingValue& value, std::string& member) {
    member = *std::get_if<std::string>(&value);
}
void from_value(const SettingValue& value, LogLevel& member) {
    member = kLevels[index_of(kLevelWords, std::string_view(*std::get_if<std::string>(&value)))];
}
void from_value(const SettingValue& value, ExecutorBackend& member) {
    member = static_cast<ExecutorBackend>(
        index_of(kBackendWords, std::string_view(*std::get_if<std::string>(&value))));
}
void from_value(const SettingValue& value, GpuMemory& member) {
    member =
        static_cast<GpuMemory>(index_of(kMemoryWords, std::string_view(*std::get_if<std::string>(&value))));
}

constexpr SettingInfo kInfos[] = {
#define TEGU_ROW(table, name, Kind, lowest, highest, initial, zero, Action, help) \
    {#table "." #name,                                                            \
     #table,                                                                      \
     #name,                                                                       \
     SettingKind::Kind,                                                           \
     lowest,                                                                      \
     highest,                                                                     \
     zero,                                                                        \
     Reload::Action,                                                              \
     help,                                                                        \
     [](const Settings& settings) { return to_value(settings.table.name); },      \
     [](Settings& settings, const SettingValue& value) { from_value(value, settings.table.name); }},
#define TEGU_ROWS(Struct, table, ROWS, title) ROWS(TEGU_ROW)
    TEGU_SETTING_TABLES(TEGU_ROWS)
#undef TEGU_ROWS
#undef TEGU_ROW
};

constexpr SettingTable kTables[] = {
#define TEGU_TITLE(Struct, table, ROWS, title) {#table, title},
    TEGU_SETTING_TABLES(TEGU_TITLE)
#undef TEGU_TITLE
};

constexpr SettingOrder kOrders[] = {
    {"limits.connections_per_uid", "limits.connections"},
    {"limits.jobs_in_flight_per_connection", "limits.jobs_per_uid"},
    {"limits.buffers_per_connection", "limits.buffers_per_uid"},
    {"limits.buffer_bytes", "limits.buffer_bytes_per_uid"},
    {"limits.buffer_bytes_per_uid", "limits.buffer_bytes_total"},
    {"limits.reply_queue_bytes", "limits.reply_queue_max_bytes"},
};

struct Unit {
    std::string_view word;
    std::uint64_t bytes;
};
constexpr Unit kUnits[] = {{"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}};

std::string octal(std::uint64_t mode) {
    std::string digits = "\"0000\"";
    for (std::size_t i = 4; i > 0; --i, mode >>= 3) digits[i] = static_cast<char>('0' + (mode & 7));
    return digits;
}

// 67108864 -> 64MiB; digits alone if no unit divides the number.
std::string bytes_text(std::uint64_t bytes) {
    std::string text = std::to_string(bytes);
    for (const Unit& unit : kUnits)
        if (bytes != 0 && bytes % unit.bytes == 0)
            text = std::to_string(bytes / unit.bytes) + std::string(unit.word);
    return text;
}

std::string range_text(const SettingInfo& info) {
    const auto number_text = [&](std::uint64_t number) {
        return info.kind == SettingKind::Bytes ? bytes_text(number) : std::to_string(number);
    };
    const std::string zero = info.zero.empty() ? "" : "0 (" + std::string(info.zero) + ") or ";
    return zero + number_text(info.lowest) + ".." + number_text(info.highest);
}

bool in_range(const SettingInfo& info, std::uint64_t number) {
    return (number == 0 && !info.zero.empty()) || (number >= info.lowest && number <= info.highest);
}

// Digits only; empty if there are none, or on overflow.
std::optional<std::uint64_t> parse_digits(std::string_view text, unsigned base) {
    if (text.empty()) return std::nullopt;
    std::uint64_t number = 0;
    for (const char c : text) {
        const unsigned digit = static_cast<unsigned>(c) - '0';
        if (c < '0' || digit >= base || number > (UINT64_MAX - digit) / base) return std::nullopt;
        number = number * base + digit;
    }
    return number;
}

// "64MiB", "64 MiB".
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    for (const Unit& unit : kUnits) {
        if (text.size() <= unit.word.size() || text.substr(text.size() - unit.word.size()) != unit.word)
            continue;
        text.remove_suffix(unit.word.size());
        if (text.back() == ' ') text.remove_suffix(1);
        const std::optional<std::uint64_t> number = parse_digits(text, 10);
        if (!number || *number > UINT64_MAX / unit.bytes) return std::nullopt;
        return *number * unit.bytes;
    }
    return std::nullopt;
}

// "0, 2" -> "0,2"; empty unless these are different numbers of the range.
std::optional<std::string> parse_devices(const SettingInfo& info, std::string_view text) {
    for (const std::string_view word : kDevicesWords)
        if (text == word) return std::string(text);
    std::vector<std::uint64_t> numbers;
    std::string list;
    for (bool more = true; more;) {
        const std::size_t comma = text.find(',');
        more = comma != std::string_view::npos;
        std::string_view digits = text.substr(0, comma);
        if (more) text.remove_prefix(comma + 1);
        while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
        const std::optional<std::uint64_t> number = parse_digits(digits, 10);
        if (!number || !in_range(info, *number) || numbers.size() == kMaxDevices) return std::nullopt;
        if (std::find(numbers.begin(), numbers.end(), *number) != numbers.end()) return std::nullopt;
        numbers.push_back(*number);
        list += (list.empty() ? "" : ",") + std::to_string(*number);
    }
    return list;
}

bool is_usable_path(const SettingInfo& info, std::string_view path) {
    return path.size() >= info.lowest && path.size() <= info.highest && path[0] == '/' &&
           std::all_of(path.begin(), path.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

bool is_usable_listen(const SettingInfo& info, std::string_view text) {
    return text.empty() ||
           (text[0] == '/' ? is_usable_path(info, text) : parse_listen_address(text).has_value());
}

Error refusal(const SettingInfo& info, std::string_view what) {
    return field_error(Status::BadRange, std::string(info.key), allowed_text(info), refusal_text(info, what));
}

}  // namespace

Span<const SettingInfo> setting_infos() {
    return kInfos;
}

const SettingInfo* find_setting(std::string_view key) {
    const auto* info =
        std::find_if(std::begin(kInfos), std::end(kInfos), [&](const auto& row) { return row.key == key; });
    return info == std::end(kInfos) ? nullptr : info;
}

Span<const SettingTable> setting_tables() {
    return kTables;
}

Span<const SettingOrder> setting_orders() {
    return kOrders;
}

Span<const std::string_view> setting_words(SettingKind kind) {
    if (kind == SettingKind::Level) return kLevelWords;
    if (kind == SettingKind::Backend) return kBackendWords;
    if (kind == SettingKind::Memory) return kMemoryWords;
    return {};
}

std::string allowed_text(const SettingInfo& info) {
    switch (info.kind) {
        case SettingKind::Path:
            return "an absolute path of at most " + std::to_string(info.highest) +
                   " printable ASCII characters";
        case SettingKind::Place:
            return "\"\" (" + std::string(info.zero) + ") or an absolute path of at most " +
                   std::to_string(info.highest) + " printable ASCII characters";
        case SettingKind::Listen:
            return "\"\" (nowhere), an absolute path of at most " + std::to_string(info.highest) +
                   " printable ASCII characters, or a numeric address and a port, such as \"127.0.0.1:9469\" "
                   "or "
                   "\"[::1]:9469\"";
        case SettingKind::Mode: return "an octal string " + octal(info.lowest) + ".." + octal(info.highest);
        case SettingKind::Bytes: return range_text(info);
        case SettingKind::Count: return range_text(info);
        case SettingKind::Microseconds: return range_text(info) + " microseconds";
        case SettingKind::Milliseconds: return range_text(info) + " milliseconds";
        case SettingKind::Devices:
            return "\"auto\", \"all\", or up to " + std::to_string(kMaxDevices) + " different numbers " +
                   range_text(info) + ", such as \"0,2\"";
        case SettingKind::Level:
        case SettingKind::Backend:
        case SettingKind::Memory: break;
    }
    std::string text = "one of";
    for (const std::string_view word : setting_words(info.kind))
        text += (text.back() == '"' ? ", \"" : " \"") + std::string(word) + '"';
    return text;
}

std::string value_text(const SettingInfo& info, const SettingValue& value) {
    if (const std::string* text = std::get_if<std::string>(&value)) return quoted_text(*text, text->size());
    const std::uint64_t number = *std::get_if<std::uint64_t>(&value);
    if (info.kind == SettingKind::Mode) return octal(number);
    if (info.kind != SettingKind::Bytes || number % kUnits[0].bytes != 0 || number == 0)
        return std::to_string(number);
    return '"' + bytes_text(number) + '"';
}

Result<SettingValue> check_value(const SettingInfo& info, std::int64_t found) {
    if (info.kind == SettingKind::Devices && found >= 0) return check_value(info, std::to_string(found));
    const bool is_number = info.kind == SettingKind::Count || info.kind == SettingKind::Bytes ||
                           info.kind == SettingKind::Microseconds || info.kind == SettingKind::Milliseconds;
    if (!is_number) return refusal(info, "the integer " + std::to_string(found));
    if (found < 0 || !in_range(info, static_cast<std::uint64_t>(found)))
        return refusal(info, std::to_string(found));
    return SettingValue(static_cast<std::uint64_t>(found));
}

Result<SettingValue> check_value(const SettingInfo& info, const std::string& found) {
    std::optional<std::uint64_t> number;
    switch (info.kind) {
        case SettingKind::Path:
            if (!is_usable_path(info, found)) break;
            return SettingValue(found);
        case SettingKind::Place:
            if (!found.empty() && !is_usable_path(info, found)) break;
            return SettingValue(found);
        case SettingKind::Listen:
            if (!is_usable_listen(info, found)) break;
            return SettingValue(found);
        case SettingKind::Level:
        case SettingKind::Backend:
        case SettingKind::Memory:
            for (const std::string_view word : setting_words(info.kind))
                if (word == found) return SettingValue(found);
            break;
        case SettingKind::Devices:
            if (std::optional<std::string> list = parse_devices(info, found))
                return SettingValue(std::move(*list));
            break;
        case SettingKind::Mode:
            if (found.size() >= 3 && found.size() <= 4) number = parse_digits(found, 8);
            break;
        case SettingKind::Bytes: number = parse_bytes(found); break;
        case SettingKind::Count:
        case SettingKind::Microseconds:
        case SettingKind::Milliseconds: break;
    }
    if (number && in_range(info, *number)) return SettingValue(*number);
    return refusal(info, "the string " + quoted_text(found));
}

std::string refusal_text(const SettingInfo& info, std::string_view what) {
    return "found " + std::string(what) + ", allowed " + allowed_text(info);
}

std::string quoted_text(std::string_view text, std::size_t longest) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    const bool cut = text.size() > longest;
    if (cut) {
        while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xc0) == 0x80)
            --longest;  // not inside a character
        text = text.substr(0, longest);
    }
    std::string quoted = "\"";
    for (const char c : text) {
        const unsigned char byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            quoted += {'\\', c};
        else if (byte < 0x20 || byte == 0x7f)
            quoted += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
        else
            quoted += c;
    }
    return quoted + (cut ? "\"..." : "\"");
}

std::string_view reload_text(Reload reload) {
    switch (reload) {
        case Reload::Now: return "is applied at once";
        case Reload::NewConnections: return "is applied to new connections";
        case Reload::Restart: return "needs a restart";
    }
    return "?";
}

}  // namespace tegu::config
