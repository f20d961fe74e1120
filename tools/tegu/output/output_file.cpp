// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/output/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <utility>

#include "tools/tegu/signals.h"

namespace tegu {
namespace cli {
namespace {

Error create_failure(const std::string& path, const char* option, int code) {
    return failure(kCannotCreate, "cannot create " + path + ": " + std::strerror(code), option);
}

// The path with symbolic links resolved, or unchanged if there are none.
std::string resolved(const std::string& path) {
    char buffer[PATH_MAX];
    return realpath(path.c_str(), buffer) != nullptr ? std::string(buffer) : path;
}

mode_t creation_mask() {
    const mode_t mask = umask(0);
    umask(mask);
    return mask;
}

}  // namespace

Expected<OutputFile> OutputFile::create(const std::string& path, const char* option, unsigned mode) {
    OutputFile file;
    file.path_ = path;
    file.option_ = option;
    if (path == "-") {
        file.fd_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        if (file.fd_ < 0) return create_failure("stdout", option, errno);
        return file;
    }
    struct stat status;
    const bool exists = stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) return create_failure(path, option, EISDIR);
    if (exists && !S_ISREG(status.st_mode)) {
        file.fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (file.fd_ < 0) return create_failure(path, option, errno);
        return file;
    }
    // A file that may not be written is not replaced either, though the directory would allow it.
    if (exists && access(path.c_str(), W_OK) != 0) return create_failure(path, option, errno);
    file.target_ = exists ? resolved(path) : path;
    const std::size_t slash = file.target_.find_last_of('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    if (name == file.target_.size()) return create_failure(path, option, path.empty() ? ENOENT : EISDIR);
    std::string temporary = file.target_.substr(0, name) + "." + file.target_.substr(name, 200) + ".XXXXXX";
    file.fd_ = create_temporary_file(temporary);
    if (file.fd_ < 0) return create_failure(path, option, errno);
    file.temporary_ = temporary;
    const mode_t usual = exists ? status.st_mode & 07777 : 0666 & ~creation_mask();
    if (fchmod(file.fd_, mode != 0 ? static_cast<mode_t>(mode) : usual) != 0)
        return create_failure(path, option, errno);
    return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      option_(std::move(other.option_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

OutputFile::~OutputFile() {
    if (fd_ >= 0) close(fd_);
    if (temporary_.empty()) return;
    unlink(temporary_.c_str());
    release_temporary_file(temporary_);
}

Error OutputFile::write_failure(int code) const {
    const std::string name = is_stdout() ? "stdout" : path_;
    return failure(kIoError, "cannot write " + name + ": " + std::strerror(code), option_);
}

Expected<void> OutputFile::write(const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = ::write(fd_, at, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return write_failure(written < 0 ? errno : EIO);
        at += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return {};
}

Expected<void> OutputFile::sync() {
    // Pipes and devices have nothing to store.
    if (fsync(fd_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) return write_failure(errno);
    return {};
}

Expected<void> OutputFile::commit() {
    // Network file systems report a full disk as late as here.
    if (close(std::exchange(fd_, -1)) != 0) return write_failure(errno);
    if (temporary_.empty()) return {};
    if (rename(temporary_.c_str(), target_.c_str()) != 0) return write_failure(errno);
    release_temporary_file(temporary_);
    temporary_.clear();
    return {};
}

}  // namespace cli
}  // namespace tegu
