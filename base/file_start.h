// SPDX-License-Identifier: Apache-2.0
// read_start(): the start of a file that others may have written.
#pragma once

#include <cstddef>
#include <string>

namespace tegu {

// The first bytes of a regular file, at most `max_bytes`; empty if it cannot be read. Follows no symbolic
// link, and does not block on a pipe or a device.
std::string read_start(const std::string& path, std::size_t max_bytes);

}  // namespace tegu
