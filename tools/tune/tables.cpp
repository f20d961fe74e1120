// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tables.h"

#include "config/tuning_load.h"
#include "tools/tune/commands.h"

namespace tegu::tune {

tuning::DeviceTuning tables_in_force(const tuning::TuningMachine& facts, const std::string& folder) {
    const config::TuningFiles files = config::load_tuning_files(
        folder.empty() ? config::installed_tuning_directory() : folder, kOverlayFile);
    return tuning::DeviceTuning(facts, files.tables, files.overlay ? &*files.overlay : nullptr);
}

Result<TuningTable> load_table(const std::string& path) {
    config::LoadedTuning loaded = config::load_tuning(path);
    if (!loaded.table) {
        const bool has_reason = !loaded.ignored.empty();
        return make_error(Status::BadRequest, has_reason ? ignored_text(loaded.ignored.front()) : path + " holds no table");
    }
    for (const IgnoredRow& ignored : loaded.ignored) warn(ignored_text(ignored));
    return std::move(*loaded.table);
}

}  // namespace tegu::tune
