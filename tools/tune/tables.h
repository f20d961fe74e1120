// SPDX-License-Identifier: Apache-2.0
// The tuning tables of this machine, for the commands.
#pragma once

#include <string>

#include "base/result.h"
#include "kernels/tuning/device_tuning.h"

namespace tegu::tune {

// Where the settings of tegud say that tables are.
struct TuningPlaces {
    std::string directory;  // of those that came with it
    std::string overlay;    // "": none
};
// A settings file that is not there gives the defaults; so does one with errors, which are said on stderr.
TuningPlaces tuning_places(const std::string& settings_file);

// What tegud would use here. What cannot be used is said on stderr, if `reports`.
tuning::DeviceTuning tables_in_force(const tuning::TuningMachine& facts, const TuningPlaces& places,
                                     bool reports);

// One file, read as a whole. What of it cannot be used is said on stderr, a line each. Errors: NotFound,
// Denied, Io, BadRequest (nothing of it can be used), with the file's name.
Result<TuningTable> load_table(const std::string& path);

}  // namespace tegu::tune
