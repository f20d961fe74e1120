// SPDX-License-Identifier: Apache-2.0
// From parsed TOML to a tuning table. Each key of each kind of table is read by one entry of a list, so that
// what is allowed, what is written and what messages say stay together.
#pragma once

#include "config/toml_text.h"
#include "config/tuning_load.h"

namespace tegu::config {

LoadedTuning read_tuning(const toml::table& root, const std::string& file, const std::string& key);

}  // namespace tegu::config
