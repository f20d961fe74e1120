// SPDX-License-Identifier: Apache-2.0
// The tuning tables of this machine, for the commands.
#pragma once

#include <string>

#include "base/result.h"
#include "kernels/tuning/device_tuning.h"

namespace tegu::tune {

// Paths of the tables in the settings of tegud.
struct TuningPlaces {
    std::string directory;  // of those that came with it
    std::string overlay;    // "": none
};
// A missing settings file gives the defaults. So does one with errors, which are written to stderr.
TuningPlaces tuning_places(const std::string& settings_file);

// The tables that tegud would use here. With `reports`, unusable parts are written to stderr.
tuning::DeviceTuning tables_in_force(const tuning::TuningMachine& facts, const TuningPlaces& places,
                                     bool reports);

// Reads one file as a whole. Unusable parts are written to stderr, a line each. Errors: NotFound, Denied, Io,
// BadRequest (nothing is usable), with the file's name.
Result<TuningTable> load_table(const std::string& path);

}  // namespace tegu::tune
