// SPDX-License-Identifier: Apache-2.0
// Tuning tables from TOML files (docs/tuning.md has the format). What cannot be read is left out and named
// with its place; the rest serves. Whether a row suits the device and these kernels is checked in
// kernels/tuning. Safe for any bytes: it is the target of tests/config/fuzz_tuning.
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
inline constexpr char kOverlayKey[] = "overlay";      // of the overlay's table, whatever its file is called

// One file. No table: nothing of it can be used.
struct LoadedTuning {
    std::optional<TuningTable> table;
    std::vector<IgnoredRow> ignored;
};
// `file`: the name in messages, and the path of the table. `key`: of the table.
LoadedTuning parse_tuning(std::string_view text, const std::string& file, const std::string& key);
// The key is the name of the file without ".toml".
LoadedTuning load_tuning(const std::string& path);

// All tables that a machine has. Blocks as long as the file system does; any thread.
struct TuningFiles {
    std::vector<TuningTable> tables;  // of the directory, by their keys
    std::optional<TuningTable> overlay;
    std::vector<IgnoredRow> ignored;
};
// Whether tables for a device are needed here.
using WantsTable = std::function<bool(const TuningDevice&)>;
// Every file *.toml of the directory, and the overlay. A directory or an overlay that is not there is no
// error; "" is none. `wants`: a file of the directory whose [device] stands before its rows, and is not
// wanted, is left out without reading on, and without a word. Tables of all known boards take ten times as
// long to read as those of one.
TuningFiles load_tuning_files(const std::string& directory, const std::string& overlay,
                              const WantsTable& wants = nullptr);

// The directory with the tables that came with this program: "share/tegu/devices" beside the folder of the
// program that runs, or, where that is not there, below the prefix that it was built for.
std::string installed_tuning_directory();

}  // namespace tegu::config
