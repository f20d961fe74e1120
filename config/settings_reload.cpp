// SPDX-License-Identifier: Apache-2.0
#include "config/settings_reload.h"

#include "config/setting_info.h"

namespace tegu::config {

ReloadPlan plan_reload(const Settings& running, const Settings& loaded) {
    ReloadPlan plan{running, {}};
    for (const SettingInfo& info : setting_infos()) {
        const SettingValue before = info.get(running);
        const SettingValue after = info.get(loaded);
        if (before == after) continue;
        if (info.reload != Reload::Restart) info.set(plan.settings, after);
        plan.changes.push_back({info.key, value_text(info, before), value_text(info, after), info.reload});
    }
    return plan;
}

std::string change_text(const SettingChange& change) {
    return std::string(change.key) + ": " + change.before + " -> " + change.after + " (" +
           std::string(reload_text(change.reload)) + ")";
}

}  // namespace tegu::config
