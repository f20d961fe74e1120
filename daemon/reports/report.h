// SPDX-License-Identifier: Apache-2.0
// The named values of INFO and STATS. Names are snake_case with their unit; new ones are appended, and no
// name changes its meaning.
#pragma once

#include <string>
#include <vector>

#include "wire/messages.h"

namespace tegu::daemon {

struct ReportSources;

std::vector<wire::Field> info_fields(const ReportSources& sources);
std::vector<wire::Field> stats_fields(const ReportSources& sources);

}  // namespace tegu::daemon
