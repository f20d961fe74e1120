// SPDX-License-Identifier: Apache-2.0
// Converts parsed TOML to a tuning table. One list entry reads each key of each kind of table, so reading,
// writing and messages use the same names and limits.
#pragma once

#include "config/toml_text.h"
#include "config/tuning_load.h"

namespace tegu::config {

LoadedTuning read_tuning(const toml::table& root, const std::string& file, const std::string& key);

}  // namespace tegu::config
