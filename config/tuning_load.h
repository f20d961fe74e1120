// SPDX-License-Identifier: Apache-2.0
// Loads tuning tables from TOML files (format: docs/tuning.md). Invalid parts are left out and reported with
// their position; the rest is used. Safe for any bytes; kernels/tuning checks rows against the device and the
// kernels.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/tuning_row.h"

namespace tegu::config {

inline constexpr std::size_t kMaxTuningFileBytes = 1024 * 1024;
inline constexpr std::size_t kMaxTuningTables = 256;  // files of a directory that are read
inline constexpr unsigned kTuningFormat = 1;          // that this program reads and writes
inline constexpr char kOverlayKey[] = "overlay";      // of the overlay's table, for any file name

// One file. No table: the whole file is unusable.
struct LoadedTuning {
    std::optional<TuningTable> table;
    std::vector<IgnoredRow> ignored;
};
// `file`: the name in messages, and the path of the table. `key`: the key of the table.
LoadedTuning parse_tuning(std::string_view text, const std::string& file, const std::string& key);
// The key is the file name without ".toml".
LoadedTuning load_tuning(const std::string& path);

// All tables of a machine. Blocks as long as the file system does; any thread.
struct TuningFiles {
    std::vector<TuningTable> tables;  // of the directory, by their keys
    std::optional<TuningTable> overlay;
    std::vector<IgnoredRow> ignored;
};
// True if tables for a device are needed here.
using WantsTable = std::function<bool(const TuningDevice&)>;
// Loads every file *.toml of the directory, and the overlay. A missing directory or overlay is no error; ""
// is none. If a file's [device] precedes its rows and `wants` rejects it, the rest of the file is not read
// and nothing is reported. Reading the tables of all known boards takes ten times as long as reading those of
// one.
TuningFiles load_tuning_files(const std::string& directory, const std::string& overlay,
                              const WantsTable& wants = nullptr);

// The directory of the installed tables: "share/tegu/devices" beside the folder of the running program, or,
// if that does not exist, below the prefix of the build.
std::string installed_tuning_directory();

}  // namespace tegu::config
