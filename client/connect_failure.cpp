// SPDX-License-Identifier: Apache-2.0
#include "client/connect_failure.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/account_name.h"
#include "client/tegu.h"

namespace tegu::clientlib {
namespace {

constexpr char kServiceGroup[] = "tegu-clients";  // as systemd/sysusers.conf has it
constexpr gid_t kFirstUserGroup = 1000;           // groups below are the system's, as login.defs has it
constexpr gid_t kNoGroup = 65534;
constexpr char kWayIn[] =
    "; users connect to the service, as members of tegu-clients, or start their own: tegud --socket PATH";

std::string permission_advice(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0) return "; a folder on the way is closed to this user";
    const bool owner_alone = (status.st_mode & S_IWGRP) == 0 || status.st_gid == 0;
    if (owner_alone && status.st_uid == 0) return std::string("; only root may") + kWayIn;
    if (owner_alone)
        return "; only its owner " + user_name(status.st_uid).value_or(std::to_string(status.st_uid)) +
               " may";
    return group_advice(status.st_gid, group_name(status.st_gid).value_or(std::to_string(status.st_gid)));
}

}  // namespace

std::string group_advice(gid_t gid, const std::string& name) {
    if (gid == 0) return std::string("; only root may") + kWayIn;
    if (name != kServiceGroup && (gid < kFirstUserGroup || gid == kNoGroup))
        return "; only the system's group " + name + " may" + kWayIn;
    return "; the group " + name + " may: sudo usermod -aG " + name + " $USER, then newgrp " + name +
           " or log in again";
}

Error connect_failure(const std::string& path, int code) {
    if (code == EACCES || code == EPERM)
        return make_error(Status::Denied, "no permission to connect to " + path + permission_advice(path));
    const std::string command =
        path == TEGU_DEFAULT_SOCKET ? "systemctl start tegud.socket" : "tegud --socket " + path;
    return make_error(Status::Unavailable, "no daemon answers on " + path + ": " + std::strerror(code) +
                                               "; start one: " + command);
}

}  // namespace tegu::clientlib
