// SPDX-License-Identifier: Apache-2.0
// Where tegud listens, and where clients look, if nobody names a socket: in /run/tegud, which root makes, or
// in the runtime folder of the user. The user's folder is used only if nobody
// else can write there.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"

namespace tegu {

inline constexpr char kSystemSocketFolder[] = "/run/tegud";
inline constexpr char kSystemSocket[] = "/run/tegud/tegud.sock";

// Who may own a folder: the user of this process, or root besides.
enum class FolderOwner { Own, OwnOrRoot };

// Checks that `path` is a directory and no link, that its owner is allowed, and that nobody else may write
// there. With `group_may_write`, its group may. Errors: NotFound, Denied (another user's, or open to others),
// BadRequest (no directory), Io.
Result<void> check_socket_folder(const std::string& path, FolderOwner owner, bool group_may_write = false);

// $XDG_RUNTIME_DIR, if it is a safe folder of this user. Errors: NotFound if it is not set, BadRequest if it
// is no absolute path, and those of check_socket_folder().
Result<std::string> user_runtime_folder();

// The folder and the socket in a runtime folder.
std::string user_socket_folder(const std::string& runtime_folder);
std::string user_socket(const std::string& runtime_folder);

// The socket for a client: kSystemSocket if it is there, else that of this user's own daemon if it is there
// and its folder is safe, else kSystemSocket.
std::string find_socket();

}  // namespace tegu
