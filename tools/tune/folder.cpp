// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.h"

namespace tegu::tune {

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> sync_folder_of(const std::string& path) {
    const std::string folder = folder_of(path);
    const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return io_error(folder, errno);
    // Some file systems cannot store a folder; they need not.
    if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
        return io_error(folder, errno);
    return {};
}

}  // namespace tegu::tune
