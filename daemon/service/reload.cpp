// SPDX-License-Identifier: Apache-2.0
#include "daemon/service/reload.h"

#include "base/log.h"
#include "config/settings_load.h"
#include "config/settings_reload.h"
#include "daemon/health/board/sampler.h"
#include "daemon/service/events.h"

namespace tegu::daemon {
namespace {

void note_errors(const config::LoadedSettings& loaded, const std::string& file, ReloadHistory& history) {
    for (const config::Diagnostic& diagnostic : loaded.errors)
        log(LogLevel::Error, config::diagnostic_text(diagnostic));
    history.add(health::system_times().unix_ms, false, config::diagnostic_text(loaded.errors.front()));
    log(LogLevel::Error, "the settings have errors: those in force stay in force",
        {{events::kMessageId, events::kReloadRefused}, {"SETTINGS_FILE", file}});
}

void note_changes(const config::ReloadPlan& plan, ReloadHistory& history) {
    std::string changes =
        std::to_string(plan.changes.size()) + (plan.changes.size() == 1 ? " change" : " changes");
    for (const config::SettingChange& change : plan.changes) {
        log(LogLevel::Notice, "setting " + config::change_text(change));
        changes += (&change == &plan.changes.front() ? ": " : "; ") + config::change_text(change);
    }
    history.add(health::system_times().unix_ms, true, changes);
}

}  // namespace

bool reload_settings(SettingsInForce& settings, ReloadHistory& history) {
    config::LoadedSettings loaded =
        config::load_settings(settings.file, settings.file_may_be_missing ? config::IfMissing::GivesDefaults
                                                                          : config::IfMissing::Fails);
    if (!loaded.ok()) {
        note_errors(loaded, settings.file, history);
        return false;
    }
    if (settings.socket_from_command_line) loaded.settings.socket.path = settings.values.socket.path;
    config::ReloadPlan plan = config::plan_reload(settings.values, loaded.settings);
    note_changes(plan, history);
    settings.values = std::move(plan.settings);
    if (!settings.fixed_log_level) set_log_level(settings.values.log.level);
    log(LogLevel::Notice, "settings read again",
        {{events::kMessageId, events::kReloaded},
         {"SETTINGS_FILE", settings.file},
         {"CHANGES", std::to_string(plan.changes.size())}});
    return true;
}

}  // namespace tegu::daemon
