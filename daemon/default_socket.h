// SPDX-License-Identifier: Apache-2.0
// The socket of a daemon to which nobody gave a path. Root gets /run/tegud, as tmpfiles.d makes it; another
// user the same folder if he may write there, else a folder below $XDG_RUNTIME_DIR.
#pragma once

#include <string>

#include "base/result.h"

namespace tegu::daemon {

// Makes the folder if it is missing, and returns the path of the socket. Errors: NotFound, Denied, BadRequest
// or Io, with the reason for each folder.
Result<std::string> prepare_default_socket();

}  // namespace tegu::daemon
