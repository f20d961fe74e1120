// SPDX-License-Identifier: Apache-2.0
// Generates pages from the table of settings: TOML files, the Markdown of docs/settings.md and the roff of
// docs/man/tegud.toml.5. `cmake --build . --target settings-pages` writes the files of the source tree; a
// test compares them.
#pragma once

#include <string>

#include "config/settings.h"

namespace tegu::config {

// A complete file with comments that loads back to the same values: the output of --print-config.
std::string settings_toml(const Settings& settings);

// The same with the defaults, each commented out: config/tegud.toml, a template for users.
std::string settings_template();

std::string settings_markdown();
std::string settings_man_page();

}  // namespace tegu::config
