// SPDX-License-Identifier: Apache-2.0
// The tuning tables of this machine, for the commands.
#pragma once

#include <string>

#include "base/result.h"
#include "kernels/tuning/device_tuning.h"

namespace tegu::tune {

// Where tegud looks for the overlay, unless its settings say otherwise.
inline constexpr char kOverlayFile[] = "/etc/tegud/tuning.toml";

// What tegud would use here: the tables that came with it (`folder` empty: the installed ones), and the overlay.
tuning::DeviceTuning tables_in_force(const tuning::TuningMachine& facts, const std::string& folder);

// One file, read as a whole. What of it cannot be used is said on stderr, a line each. Errors: NotFound, Denied, Io,
// BadRequest (nothing of it can be used), with the file's name.
Result<TuningTable> load_table(const std::string& path);

}  // namespace tegu::tune
