// SPDX-License-Identifier: Apache-2.0
// Loads a TOML file: Settings, or all errors of the file. The whole file is checked before any value applies;
// missing settings have their defaults. Safe for any bytes: the target of tests/config/fuzz_settings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace tegu::config {

inline constexpr char kDefaultSettingsFile[] = "/etc/tegud/tegud.toml";
inline constexpr std::size_t kMaxSettingsFileBytes = 1024 * 1024;

struct Diagnostic {
    std::string file;
    std::uint32_t line = 0;    // from 1; 0: the file as a whole
    std::uint32_t column = 0;  // from 1, in characters
    std::string key;           // dotted; may be empty
    std::string text;          // "found 0, allowed 1..65536"
};

// "tegud.toml:7:15: error: limits.connections: found 0, allowed 1..65536": one line, no control characters.
std::string diagnostic_text(const Diagnostic& diagnostic);

struct LoadedSettings {
    Settings settings;                    // complete and checked if ok(); else do not use
    std::vector<Diagnostic> errors;       // in the order of the file
    std::vector<std::string_view> named;  // dotted keys of the settings in the file
    bool ok() const { return errors.empty(); }
    bool names(std::string_view key) const;
};

enum class IfMissing { Fails, GivesDefaults };

// Reads and checks a file. Derived sizes are shares of `memory_bytes`.
LoadedSettings load_settings(const std::string& path, IfMissing if_missing,
                             std::uint64_t memory_bytes = physical_memory_bytes());

// The same for text in memory; `file` is its name in errors.
LoadedSettings parse_settings(std::string_view text, const std::string& file,
                              std::uint64_t memory_bytes = physical_memory_bytes());

}  // namespace tegu::config
