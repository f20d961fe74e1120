// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tables.h"

#include "config/settings_load.h"
#include "config/tuning_load.h"
#include "tools/tune/commands.h"

namespace tegu::tune {

TuningPlaces tuning_places(const std::string& settings_file) {
    const config::LoadedSettings loaded =
        config::load_settings(settings_file, config::IfMissing::GivesDefaults);
    for (const config::Diagnostic& error : loaded.errors) warn(config::diagnostic_text(error));
    const config::Settings settings = loaded.ok() ? loaded.settings : config::default_settings();
    const std::string& directory = settings.tuning.directory;
    return {directory.empty() ? config::installed_tuning_directory() : directory, settings.tuning.overlay};
}

tuning::DeviceTuning tables_in_force(const tuning::TuningMachine& facts, const TuningPlaces& places,
                                     bool reports) {
    const config::TuningFiles files = config::load_tuning_files(places.directory, places.overlay);
    tuning::DeviceTuning tuning(facts, files.tables, files.overlay ? &*files.overlay : nullptr);
    if (!reports) return tuning;
    for (const IgnoredRow& ignored : files.ignored) warn(ignored_text(ignored));
    for (const IgnoredRow& ignored : tuning.ignored()) warn(ignored_text(ignored));
    return tuning;
}

Result<TuningTable> load_table(const std::string& path) {
    config::LoadedTuning loaded = config::load_tuning(path);
    if (!loaded.table) {
        const bool has_reason = !loaded.ignored.empty();
        return make_error(Status::BadRequest,
                          has_reason ? ignored_text(loaded.ignored.front()) : path + " holds no table");
    }
    for (const IgnoredRow& ignored : loaded.ignored) warn(ignored_text(ignored));
    return std::move(*loaded.table);
}

}  // namespace tegu::tune
