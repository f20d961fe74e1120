// SPDX-License-Identifier: Apache-2.0
#include "client/connect_failure.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/account_name.h"
#include "client/tegu.h"

namespace tegu::clientlib {
namespace {

constexpr char kServiceGroup[] = "tegu-clients";  // as systemd/sysusers.conf has it
constexpr gid_t kFirstUserGroup = 1000;           // groups below are the system's, as login.defs has it
constexpr gid_t kNoGroup = 65534;

// tegud is in a folder that users do not have in PATH.
std::string daemon_command(const std::string& root) {
    for (const char* program : {"/usr/local/sbin/tegud", "/usr/sbin/tegud"})
        if (access((root + program).c_str(), X_OK) == 0) return program;
    return "tegud";
}

std::string way_in(const std::string& root) {
    return "; users connect to the service, as members of tegu-clients, or start their own: " +
           daemon_command(root) + " --socket PATH";
}

std::string permission_advice(const std::string& path, const std::string& root) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0) return "; a folder on the way is closed to this user";
    const bool owner_alone = (status.st_mode & S_IWGRP) == 0 || status.st_gid == 0;
    if (owner_alone && status.st_uid == 0) return "; only root may" + way_in(root);
    if (owner_alone)
        return "; only its owner " + user_name(status.st_uid).value_or(std::to_string(status.st_uid)) +
               " may";
    return group_advice(status.st_gid, group_name(status.st_gid).value_or(std::to_string(status.st_gid)),
                        root);
}

bool systemd_has_the_socket(const std::string& root) {
    if (access((root + "/run/systemd/system").c_str(), F_OK) != 0) return false;  // as sd_booted(3) has it
    for (const char* folder : {"/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"})
        if (access((root + folder + "/systemd/system/tegud.socket").c_str(), F_OK) == 0) return true;
    return false;
}

// A user may write to /tmp, but not to the folder of the default socket.
std::string start_command(const std::string& path, const std::string& root) {
    if (path != TEGU_DEFAULT_SOCKET) return daemon_command(root) + " --socket " + path;
    if (systemd_has_the_socket(root)) return "systemctl start tegud.socket";
    return "export TEGU_SOCKET=/tmp/tegud.sock; " + daemon_command(root) + " --socket $TEGU_SOCKET &";
}

}  // namespace

std::string group_advice(gid_t gid, const std::string& name, const std::string& root) {
    if (gid == 0) return "; only root may" + way_in(root);
    if (name != kServiceGroup && (gid < kFirstUserGroup || gid == kNoGroup))
        return "; only the system's group " + name + " may" + way_in(root);
    return "; the group " + name + " may: sudo usermod -aG " + name + " $USER, then newgrp " + name +
           " or log in again";
}

Error connect_failure(const std::string& path, int code, const std::string& root) {
    if (code == EACCES || code == EPERM)
        return make_error(Status::Denied,
                          "no permission to connect to " + path + permission_advice(path, root));
    return make_error(Status::Unavailable, "no daemon answers on " + path + ": " + std::strerror(code) +
                                               "; start one: " + start_command(path, root));
}

}  // namespace tegu::clientlib
