// SPDX-License-Identifier: Apache-2.0
// Writes tuning tables as TOML: the output of tegu-tune, which parse_tuning() reads back to the same table.
#pragma once

#include <string>

#include "base/result.h"
#include "base/tuning_row.h"

namespace tegu::config {

// REQUIRES: texts of the table are ASCII without control characters, its times are finite.
std::string tuning_toml(const TuningTable& table);

// Replaces the file atomically: a reader finds the old table or the new one, also after a power failure.
// Errors: Denied, Io.
Result<void> write_tuning(const std::string& path, const TuningTable& table);

}  // namespace tegu::config
