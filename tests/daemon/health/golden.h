// SPDX-License-Identifier: Apache-2.0
// Golden files: texts that were read and found right. TEGU_WRITE_GOLDEN=1 writes them again.
#pragma once

#include <string>

namespace tegu::daemon::health {

// JSON with a line for each member and element; objects and lists without any other inside stay on one line.
std::string pretty(const std::string& json);
// The lines of `after` that are not in `before` with '+', those that are gone with '-', in order; commas at
// ends do not count.
std::string line_changes(const std::string& before, const std::string& after);
// Compares with the file in tests/data/boards.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace tegu::daemon::health
