// SPDX-License-Identifier: Apache-2.0
#include "daemon/default_socket.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fd.h"
#include "base/socket_path.h"

namespace tegu::daemon {
namespace {

constexpr mode_t kSystemMode = 0755;  // as in systemd/tmpfiles.conf
constexpr mode_t kUserMode = 0700;

Error folder_error(const std::string& folder, const char* what, int os_code) {
    return field_error(io_error("", os_code).status, "socket.path", "",
                       folder + " " + what + ": " + std::strerror(os_code));
}

// Makes the folder with this mode, whatever the umask. No effect if there is something of that name.
Result<void> make_folder(const std::string& folder, mode_t mode) {
    if (::mkdir(folder.c_str(), mode) != 0)
        return errno == EEXIST ? Result<void>() : folder_error(folder, "cannot be made", errno);
    const Fd made(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!made || ::fchmod(made.get(), mode) != 0 || ::fchown(made.get(), ::geteuid(), ::getegid()) != 0)
        return folder_error(folder, "cannot be set up", errno);
    return {};
}

Result<void> check_writable(const std::string& folder) {
    if (::access(folder.c_str(), W_OK | X_OK) == 0) return {};
    return folder_error(folder, "cannot be written", errno);
}

// The folder of the system for another user than root, who cannot make it.
Result<void> check_system_folder() {
    Result<void> checked = check_socket_folder(kSystemSocketFolder, FolderOwner::OwnOrRoot, true);
    return checked ? check_writable(kSystemSocketFolder) : checked;
}

Result<std::string> prepare_system_socket() {
    Result<void> made = make_folder(kSystemSocketFolder, kSystemMode);
    if (made) made = check_socket_folder(kSystemSocketFolder, FolderOwner::Own, true);
    if (!made) return std::move(made).error();
    return std::string(kSystemSocket);
}

Result<std::string> prepare_user_socket() {
    const Result<std::string> runtime = user_runtime_folder();
    if (!runtime) return runtime.error();
    const std::string folder = user_socket_folder(*runtime);
    Result<void> made = make_folder(folder, kUserMode);
    if (made) made = check_socket_folder(folder, FolderOwner::Own);
    if (!made) return std::move(made).error();
    return user_socket(*runtime);
}

}  // namespace

Result<std::string> prepare_default_socket() {
    if (::geteuid() == 0) return prepare_system_socket();
    const Result<void> system = check_system_folder();
    if (system) return std::string(kSystemSocket);
    Result<std::string> own = prepare_user_socket();
    if (own) return own;
    return field_error(own.error().status, "socket.path", "",
                       "there is no place for the socket: " + system.error().message + "; " +
                           own.error().message + "; name one with --socket");
}

}  // namespace tegu::daemon
