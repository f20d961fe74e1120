// SPDX-License-Identifier: Apache-2.0
// What makes a new or renamed file survive a power cut: its folder is stored, too.
#pragma once

#include <string>

#include "base/result.h"

namespace tegu::tune {

std::string folder_of(const std::string& path);  // "." for a bare name
// Errors: Io, Denied.
Result<void> sync_folder_of(const std::string& path);

}  // namespace tegu::tune
