// SPDX-License-Identifier: Apache-2.0
// Atomic file writes: a file is complete or missing, also after a power cut.
#pragma once

#include <string>

#include "base/result.h"

namespace tegu::tune {

// Errors of all, with the path: NotFound, Denied, Io; BadRequest: not a regular file; TooLarge over
// `most_bytes`.
Result<std::string> read_file(const std::string& path, std::size_t most_bytes);
// BadRequest: what is open, or is at the path, is a device, a folder or the like. Nothing at the path is
// fine.
Result<void> check_regular(int fd, const std::string& path);
Result<void> check_replaceable(const std::string& path);
// Replaces the file in one step, with mode 0644 whatever the umask.
Result<void> replace_file(const std::string& path, const std::string& bytes);
// Writes all of it and has it stored.
Result<void> write_and_sync(int fd, const std::string& bytes, const std::string& path);
// Has what was made, renamed or removed in the file's folder stored.
Result<void> sync_folder_of(const std::string& path);

}  // namespace tegu::tune
