// SPDX-License-Identifier: Apache-2.0
// The table of config/settings.h at run time: one SettingInfo per row, and the texts of values and ranges.
// The loader, the printed file and the manual share them. A value has one of two types for every kind of
// setting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/span.h"
#include "config/settings.h"

namespace tegu::config {

// A string for a Path or a word, else a number.
using SettingValue = std::variant<std::uint64_t, std::string>;

struct SettingInfo {
    std::string_view key;    // "limits.connections"
    std::string_view table;  // "limits"
    std::string_view name;   // "connections"
    SettingKind kind;
    std::uint64_t lowest;
    std::uint64_t highest;
    std::string_view zero;
    Reload reload;
    std::string_view help;
    SettingValue (*get)(const Settings&);
    void (*set)(Settings&, const SettingValue&);  // REQUIRES: a value that check_value returned
};

// In the order of the table in settings.h; rows of one table are adjacent.
Span<const SettingInfo> setting_infos();
// Null for an unknown key.
const SettingInfo* find_setting(std::string_view key);

struct SettingTable {
    std::string_view name;   // "limits"
    std::string_view title;  // a phrase without a full stop
};
Span<const SettingTable> setting_tables();

// Two numbers; the first must not exceed the second.
struct SettingOrder {
    std::string_view smaller;
    std::string_view larger;
};
Span<const SettingOrder> setting_orders();

// The words of a kind that has a closed list of them; else empty.
Span<const std::string_view> setting_words(SettingKind kind);

// The allowed values, as errors and the manual print them: `0 (never) or 1..100000`, `one of "auto", "cpu"`.
std::string allowed_text(const SettingInfo& info);

// The value as TOML: `"64MiB"`, `2000`, `"0660"`. check_value parses it.
std::string value_text(const SettingInfo& info, const SettingValue& value);

// The value of an integer or string in a file. Error: a part of a sentence, "found ..., allowed ...".
Result<SettingValue> check_value(const SettingInfo& info, std::int64_t found);
Result<SettingValue> check_value(const SettingInfo& info, const std::string& found);

// "found <what>, allowed <allowed_text>": for a value of a type that no setting has.
std::string refusal_text(const SettingInfo& info, std::string_view what);

// The text in quotes with TOML escapes, cut after `longest` bytes: safe in a log line for any file.
std::string quoted_text(std::string_view text, std::size_t longest = 64);

// "is applied at once", "is applied to new connections", "needs a restart".
std::string_view reload_text(Reload reload);

}  // namespace tegu::config
