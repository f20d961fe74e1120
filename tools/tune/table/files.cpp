// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/table/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/fd.h"

namespace tegu::tune {
namespace {

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd)
        return errno == ENOENT ? make_error(Status::NotFound, path + " is not there") : io_error(path, errno);
    if (Result<void> regular = check_regular(fd.get(), path); !regular) return std::move(regular).error();
    std::string bytes;
    char part[65536];
    for (;;) {
        const ssize_t count = ::read(fd.get(), part, sizeof part);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return io_error(path, errno);
        if (count == 0) return bytes;
        bytes.append(part, static_cast<std::size_t>(count));
        if (bytes.size() > max_bytes) return make_error(Status::TooLarge, path + " is larger than it may be");
    }
}

Result<void> check_regular(int fd, const std::string& path) {
    struct stat status;
    if (::fstat(fd, &status) != 0) return io_error(path, errno);
    if (S_ISREG(status.st_mode)) return {};
    return make_error(Status::BadRequest, path + " is not a regular file");
}

Result<void> check_replaceable(const std::string& path) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0)
        return errno == ENOENT ? Result<void>() : Result<void>(io_error(path, errno));
    if (S_ISREG(status.st_mode)) return {};
    return make_error(Status::BadRequest, path + " is not a regular file");
}

Result<void> write_and_sync(int fd, const std::string& bytes, const std::string& path) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return io_error(path, errno);
        done += static_cast<std::size_t>(count);
    }
    if (::fsync(fd) != 0) return io_error(path, errno);
    return {};
}

Result<void> replace_file(const std::string& path, const std::string& bytes) {
    if (Result<void> possible = check_replaceable(path); !possible) return possible;
    const std::string beside = path + ".new";
    const Fd fd(
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
    if (!fd) return io_error(beside, errno);
    Result<void> done = write_and_sync(fd.get(), bytes, beside);
    // The service has a user of its own: whatever the umask, it may read the file.
    if (done && ::fchmod(fd.get(), 0644) != 0) done = io_error(beside, errno);
    if (done && ::rename(beside.c_str(), path.c_str()) != 0) done = io_error(path, errno);
    if (!done) {
        (void)::unlink(beside.c_str());
        return done;
    }
    return sync_folder_of(path);
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
