// SPDX-License-Identifier: Apache-2.0
// Settings and tuning tables that are read again while the daemon runs: what may change then comes into force
// at once, errors of the settings leave them as they were.
#include "base/log.h"
#include "config/settings_load.h"
#include "config/settings_reload.h"
#include "daemon/server.h"
#include "daemon/service/events.h"
#include "daemon/service/notify.h"

namespace tegu::daemon {

void Server::reload() {
    notify_reloading();
    ++statistics_.reloads_total;
    const auto if_missing =
        options_.settings_may_be_missing ? config::IfMissing::GivesDefaults : config::IfMissing::Fails;
    config::LoadedSettings loaded = config::load_settings(options_.settings_file, if_missing);
    if (!loaded.ok()) {
        for (const config::Diagnostic& diagnostic : loaded.errors)
            log(LogLevel::Error, config::diagnostic_text(diagnostic));
        reloads_.add(health::system_times().unix_ms, false, config::diagnostic_text(loaded.errors.front()));
        log(LogLevel::Error, "the settings have errors: those in force stay in force",
            {{events::kMessageId, events::kReloadRefused}, {"SETTINGS_FILE", options_.settings_file}});
        tuning_->reload(options_.settings.tuning, pages_);
        return notify_ready(status_.begin(*this, true));
    }
    if (options_.socket_from_command_line) loaded.settings.socket.path = options_.settings.socket.path;
    config::ReloadPlan plan = config::plan_reload(options_.settings, loaded.settings);
    std::string changes =
        std::to_string(plan.changes.size()) + (plan.changes.size() == 1 ? " change" : " changes");
    for (const config::SettingChange& change : plan.changes) {
        log(LogLevel::Notice, "setting " + config::change_text(change));
        changes += (&change == &plan.changes.front() ? ": " : "; ") + config::change_text(change);
    }
    reloads_.add(health::system_times().unix_ms, true, changes);
    options_.settings = std::move(plan.settings);
    quotas_.set_limits(options_.settings.limits);
    executors_.set_quantum(options_.settings.scheduler.quantum_us * 1000);
    if (!options_.fixed_log_level) set_log_level(options_.settings.log.level);
    tuning_->reload(options_.settings.tuning, pages_);
    log(LogLevel::Notice, "settings read again",
        {{events::kMessageId, events::kReloaded},
         {"SETTINGS_FILE", options_.settings_file},
         {"CHANGES", std::to_string(plan.changes.size())}});
    notify_ready(status_.begin(*this, false));
    look_around();  // new time limits may be over already
}

}  // namespace tegu::daemon
