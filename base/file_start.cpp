// SPDX-License-Identifier: Apache-2.0
#include "base/file_start.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

namespace tegu {

std::string read_start(const std::string& path, std::size_t max_bytes) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    struct stat status;
    if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    std::string text(max_bytes, '\0');
    const ssize_t bytes = ::read(fd.get(), &text[0], text.size());
    text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return text;
}

}  // namespace tegu
