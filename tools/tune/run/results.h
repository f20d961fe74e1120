// SPDX-License-Identifier: Apache-2.0
// The results of a run: the table, and a report as JSON.
#pragma once

#include <string>

#include "tools/tune/run/session.h"
#include "tools/tune/table/summary.h"

namespace tegu::tune {

// "nvidia-h200-132", "jetson-orin-nano-8", "cortex-a57-4": lower case letters, digits and dashes.
std::string table_key(const TuningDevice& device);

// The rows of all findings, merged where they say the same, and the costs.
TuningTable table_of(const std::vector<Finding>& findings, const TuningDevice& device,
                     const std::string& path);

std::string session_json(const SessionEnd& end, const std::string& machine, const std::string& path);

}  // namespace tegu::tune
