// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <cerrno>
#include <cstring>
#include <system_error>

namespace tegu {
namespace {

Status status_of_errno(int os_code) {
    switch (os_code) {
        case ENOMEM: return Status::OutOfMemory;
        case EACCES:
        case EPERM: return Status::Denied;
        case ECONNREFUSED:
        case ECONNRESET:
        case EPIPE: return Status::Unavailable;
        case ENOENT: return Status::NotFound;
        default: return Status::Io;
    }
}

}  // namespace

Error io_error(const std::string& what, int os_code) {
    return make_error(status_of_errno(os_code), what + ": " + std::generic_category().message(os_code));
}

}  // namespace tegu
