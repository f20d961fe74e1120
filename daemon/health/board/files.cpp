// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <memory>

#include "base/ascii.h"

namespace tegu::daemon::health {
namespace {

constexpr int kMaxEntries = 4096;

// Compares names; runs of digits count as numbers.
bool before(const std::string& a, const std::string& b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (!is_digit(a[i]) || !is_digit(b[j])) {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i, ++j;
            continue;
        }
        std::size_t m = i, n = j;
        while (m < a.size() && is_digit(a[m])) ++m;
        while (n < b.size() && is_digit(b[n])) ++n;
        if (m - i != n - j) return m - i < n - j;
        const int order = a.compare(i, m - i, b, j, n - j);
        if (order != 0) return order < 0;
        i = m, j = n;
    }
    return a.size() - i < b.size() - j;
}

// Reads a file from its start, up to `limit` + 1 bytes. The last of them shows that the file is longer.
// Returns 0 or errno.
int read_all(int fd, std::size_t limit, std::string& text) {
    text.resize(limit + 1);
    std::size_t filled = 0;
    while (filled < text.size()) {
        const ssize_t got = ::read(fd, &text[filled], text.size() - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    text.resize(filled);
    return 0;
}

std::uint64_t product(std::uint64_t blocks, std::uint64_t bytes) {
    std::uint64_t all = 0;
    return __builtin_mul_overflow(blocks, bytes, &all) ? std::numeric_limits<std::uint64_t>::max() : all;
}

}  // namespace

Unknown unknown_of(const std::string& path, int os_code) {
    switch (os_code) {
        case ENOENT:
        case ENOTDIR:
        case ENODEV:
        case ENXIO: return {Cause::Missing, path + ": is not there"};
        case EAGAIN: return {Cause::PoweredOff, path + ": the driver has no answer now"};
        case EACCES:
        case EPERM: return {Cause::Unreadable, path + ": permission denied"};
        case ELOOP: return {Cause::Unreadable, path + ": symbolic links go in a circle"};
        case EISDIR: return {Cause::Unreadable, path + ": is a directory"};
        case EIO: return {Cause::Unreadable, path + ": input/output error"};
        case ETIMEDOUT: return {Cause::TimedOut, path + ": the device did not answer its driver"};
    }
    return {Cause::Unreadable, path + ": error " + std::to_string(os_code)};
}

Result<SystemFiles> SystemFiles::open(const std::string& root) {
    Fd fd(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return io_error("open " + root, errno);
    return SystemFiles(std::move(fd));
}

Value<std::string> SystemFiles::read(const std::string& path, std::size_t limit, Longer longer) {
    const Fd fd(::openat(root_.get(), path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd) return unknown_of(path, errno);
    struct stat status;
    if (::fstat(fd.get(), &status) != 0) return unknown_of(path, errno);
    if (S_ISDIR(status.st_mode)) return unknown_of(path, EISDIR);
    if (!S_ISREG(status.st_mode)) return Unknown{Cause::Unreadable, path + ": is no regular file"};
    std::string text;
    if (const int os_code = read_all(fd.get(), limit, text)) return unknown_of(path, os_code);
    if (text.size() > limit) {
        if (longer == Longer::Refuse)
            return Unknown{Cause::Garbage, path + ": is longer than " + std::to_string(limit) + " bytes"};
        text.resize(limit);
    }
    return text;
}

std::vector<std::string> SystemFiles::list(const std::string& path) {
    Fd fd(::openat(root_.get(), path.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
    if (!fd) return {};
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(fd.get()), ::closedir);
    if (!directory) return {};
    (void)fd.release();  // now owned by the directory
    std::vector<std::string> names;
    for (int i = 0; i < kMaxEntries; ++i) {
        const dirent* entry = ::readdir(directory.get());
        if (entry == nullptr) break;
        std::string name = entry->d_name;
        if (name[0] != '.' &&
            std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; }))
            names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end(), before);
    return names;
}

Value<DiskSpace> SystemFiles::space(const std::string& path) {
    const Fd fd(::openat(root_.get(), path.c_str(), O_PATH | O_CLOEXEC));
    if (!fd) return unknown_of(path, errno);
    struct statvfs status;
    if (::fstatvfs(fd.get(), &status) != 0) return unknown_of(path, errno);
    if (status.f_blocks == 0) return Unknown{Cause::Absurd, path + ": its file system has no size"};
    return DiskSpace{product(status.f_blocks, status.f_frsize), product(status.f_bavail, status.f_frsize)};
}

}  // namespace tegu::daemon::health
