// SPDX-License-Identifier: Apache-2.0
// The error of a connection that could not be made, with what to do about it.
#pragma once

#include <string>

#include "base/result.h"

namespace tegu::clientlib {

// `code`: the errno of connect(2) on `path`. Denied if the socket forbids it: its group is named. Else
// Unavailable, with the command that starts a daemon there.
Error connect_failure(const std::string& path, int code);

}  // namespace tegu::clientlib
