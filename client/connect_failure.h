// SPDX-License-Identifier: Apache-2.0
// The error of a connection that could not be made, with what to do about it.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"

namespace tegu::clientlib {

// `code`: the errno of connect(2) on `path`. Denied if the socket forbids it: who may connect is named. Else
// Unavailable, with the command that starts a daemon there.
// `root`: where / is, for tests.
Error connect_failure(const std::string& path, int code, const std::string& root = "");

// How a user may connect to a socket of the group `gid`, named `name`. No command puts a user into a group of
// the system, but into the service's own.
std::string group_advice(gid_t gid, const std::string& name, const std::string& root = "");

}  // namespace tegu::clientlib
