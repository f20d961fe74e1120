// SPDX-License-Identifier: Apache-2.0
// The plan of a reload: the differences between the active and the newly loaded settings, key by key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace tegu::config {

struct SettingChange {
    std::string_view key;  // "limits.connections"
    std::string before;    // as in a file: 1024, "64MiB"
    std::string after;
    Reload reload;
};

struct ReloadPlan {
    Settings settings;  // in force from now on: a setting that needs a restart keeps its current value
    std::vector<SettingChange> changes;  // all keys that differ, in the order of the table
};

// REQUIRES: both made by the loader or default_settings().
ReloadPlan plan_reload(const Settings& running, const Settings& loaded);

// "limits.connections: 1024 -> 512 (is applied at once)".
std::string change_text(const SettingChange& change);

}  // namespace tegu::config
