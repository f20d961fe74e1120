// SPDX-License-Identifier: Apache-2.0
#include "client/connect_failure.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/account_name.h"
#include "client/tegu.h"

namespace tegu::clientlib {
namespace {

std::string permission_advice(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0) return "; a folder on the way is closed to this user";
    if ((status.st_mode & S_IWGRP) == 0)
        return "; only its owner " + user_name(status.st_uid).value_or(std::to_string(status.st_uid)) +
               " may";
    const std::string name = group_name(status.st_gid).value_or(std::to_string(status.st_gid));
    return "; the group " + name + " may: sudo usermod -aG " + name + " $USER, then newgrp " + name +
           " or log in again";
}

}  // namespace

Error connect_failure(const std::string& path, int code) {
    if (code == EACCES || code == EPERM)
        return make_error(Status::Denied, "no permission to connect to " + path + permission_advice(path));
    const std::string command =
        path == TEGU_DEFAULT_SOCKET ? "systemctl start tegud.socket" : "tegud --socket " + path;
    return make_error(Status::Unavailable, "no daemon answers on " + path + ": " + std::strerror(code) +
                                               "; start one: " + command);
}

}  // namespace tegu::clientlib
