// SPDX-License-Identifier: Apache-2.0
// Names of users and groups, as the system's databases have them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace tegu {

// The name, or nothing if the database has none or cannot be read. Any thread; a database may be on another
// machine, so a call may take long.
std::optional<std::string> user_name(uid_t uid);
std::optional<std::string> group_name(gid_t gid);

}  // namespace tegu
