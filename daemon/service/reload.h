// SPDX-License-Identifier: Apache-2.0
// Reloads the settings while the daemon runs. Changes take effect at once; after an error the settings stay
// unchanged.
#pragma once

#include <string>

#include "config/settings.h"
#include "daemon/reports/recent_errors.h"

namespace tegu::daemon {

// The settings in force and their source.
struct SettingsInForce {
    config::Settings values;
    std::string file;
    bool file_may_be_missing = false;       // a missing file means defaults
    bool socket_from_command_line = false;  // socket.path is not from the file
    bool fixed_log_level = false;           // a reload keeps the level
};

// Reads the file into `settings`, logs every change or error and adds the result to `history`. False: the
// file has errors, and nothing changed.
bool reload_settings(SettingsInForce& settings, ReloadHistory& history);

}  // namespace tegu::daemon
