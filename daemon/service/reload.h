// SPDX-License-Identifier: Apache-2.0
// Reads the settings again while the daemon runs. Changes take effect at once; after an error the settings
// stay as they were.
#pragma once

#include <string>

#include "config/settings.h"
#include "daemon/reports/recent_errors.h"

namespace tegu::daemon {

// Settings in force and where they come from.
struct SettingsInForce {
    config::Settings values;
    std::string file;
    bool file_may_be_missing = false;       // without the file all have their defaults
    bool socket_from_command_line = false;  // socket.path is not the file's
    bool fixed_log_level = false;           // a reload keeps the level
};

// Reads the file into `settings`, logs every change or error and notes the result in `history`. False: the
// file has errors, and nothing changed.
bool reload_settings(SettingsInForce& settings, ReloadHistory& history);

}  // namespace tegu::daemon
