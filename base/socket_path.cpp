// SPDX-License-Identifier: Apache-2.0
#include "base/socket_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace tegu {
namespace {

Error folder_error(Status status, const std::string& path, const std::string& why) {
    return field_error(status, "socket.path", "", path + " " + why);
}

}  // namespace

Result<void> check_socket_folder(const std::string& path, FolderOwner owner, bool group_may_write) {
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0) {
        const int os_code = errno;
        if (os_code == ENOENT) return folder_error(Status::NotFound, path, "does not exist");
        return folder_error(io_error("", os_code).status, path,
                            std::string("cannot be read: ") + std::strerror(os_code));
    }
    if (!S_ISDIR(status.st_mode)) return folder_error(Status::BadRequest, path, "is no directory");
    const uid_t own = ::geteuid();
    if (status.st_uid != own && (owner == FolderOwner::Own || status.st_uid != 0))
        return folder_error(Status::Denied, path, "belongs to user " + std::to_string(status.st_uid));
    if ((status.st_mode & (group_may_write ? S_IWOTH : S_IWOTH | S_IWGRP)) != 0)
        return folder_error(Status::Denied, path, "can be written by others");
    return {};
}

Result<std::string> user_runtime_folder() {
    const char* const value = ::secure_getenv("XDG_RUNTIME_DIR");
    if (value == nullptr || *value == '\0')
        return field_error(Status::NotFound, "socket.path", "", "$XDG_RUNTIME_DIR is not set");
    std::string folder = value;
    if (folder.front() != '/') return folder_error(Status::BadRequest, folder, "is no absolute path");
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    Result<void> checked = check_socket_folder(folder, FolderOwner::Own);
    if (!checked) return std::move(checked).error();
    return folder;
}

std::string user_socket_folder(const std::string& runtime_folder) {
    return runtime_folder + "/tegud";
}

std::string user_socket(const std::string& runtime_folder) {
    return user_socket_folder(runtime_folder) + "/tegud.sock";
}

std::string find_socket() {
    if (::access(kSystemSocket, F_OK) == 0) return kSystemSocket;
    const Result<std::string> runtime = user_runtime_folder();
    if (!runtime || !check_socket_folder(user_socket_folder(*runtime), FolderOwner::Own))
        return kSystemSocket;
    const std::string socket = user_socket(*runtime);
    return ::access(socket.c_str(), F_OK) == 0 ? socket : kSystemSocket;
}

}  // namespace tegu
