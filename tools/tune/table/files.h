// SPDX-License-Identifier: Apache-2.0
// Atomic file writes: a file is complete or missing, also after a power cut.
#pragma once

#include <string>

#include "base/result.h"

namespace tegu::tune {

// Errors of all, with the path: NotFound, Denied, Io; BadRequest: not a regular file; TooLarge over
// `max_bytes`.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes);
// BadRequest: the open file, or the file at the path, is a device, a folder or the like. A missing file is
// fine.
Result<void> check_regular(int fd, const std::string& path);
Result<void> check_replaceable(const std::string& path);
// Replaces the file in one step, with mode 0644 whatever the umask.
Result<void> replace_file(const std::string& path, const std::string& bytes);
// Writes all bytes and syncs the file.
Result<void> write_and_sync(int fd, const std::string& bytes, const std::string& path);
// Syncs the folder of the file, so that created, renamed and removed names are stored.
Result<void> sync_folder_of(const std::string& path);

}  // namespace tegu::tune
