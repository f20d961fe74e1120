// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace tegu {
namespace cli {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;

#ifndef MFD_CLOEXEC  // glibc before 2.27; the kernel has it since 3.17
constexpr unsigned MFD_CLOEXEC = 1, MFD_ALLOW_SEALING = 2;
#endif

int create_memfd() {
    return static_cast<int>(syscall(SYS_memfd_create, "tegu-stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

Error read_failure(const std::string& name, int code) {
    return failure(kNoInput, "cannot read " + name + ": " + std::strerror(code), "input");
}

std::uint64_t spool_limit() {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 2
                                 : 1u << 30;
}

// A device other than a terminal may never reach its end, except for an empty one such as /dev/null.
bool is_endless(int fd, const struct stat& status) {
    char byte = 0;
    return S_ISCHR(status.st_mode) && isatty(fd) == 0 && read(fd, &byte, 1) > 0;
}

bool write_all(int fd, const char* at, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t written = write(fd, at, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace

Expected<Source> Source::open(const std::string& path, Progress& progress) {
    Source source;
    source.name_ = path == "-" ? "stdin" : path;
    const int fd =
        path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return read_failure(source.name_, errno);
    source.fd_ = fd;
    struct stat status;
    if (fstat(fd, &status) != 0) return read_failure(source.name_, errno);
    if (S_ISDIR(status.st_mode)) return read_failure(source.name_, EISDIR);
    if (is_endless(fd, status))
        return failure(kNoInput, source.name_ + " is a device, whose bytes have no end", "input",
                       "a file or a pipe; head -c takes a part of a device");
    const off_t position = lseek(fd, 0, SEEK_CUR);
    if (!S_ISREG(status.st_mode) || position < 0) {
        Expected<void> spooled = source.spool(fd, progress);
        if (!spooled) return spooled.error();
        return source;
    }
    source.begin_ = static_cast<std::uint64_t>(position);
    source.bytes_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size - position, 0));
    return source;
}

Expected<void> Source::spool(int pipe, Progress& progress) {
    const int memfd = create_memfd();
    if (memfd < 0) return read_failure(name_, errno);
    fd_ = memfd;
    spooled_ = true;
    const std::uint64_t limit = spool_limit();
    const std::unique_ptr<char[]> chunk(new char[kChunkBytes]);
    Expected<void> outcome;
    for (;;) {
        const ssize_t got = read(pipe, chunk.get(), kChunkBytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) outcome = read_failure(name_, errno);
        if (got <= 0) break;
        bytes_ += static_cast<std::uint64_t>(got);
        if (bytes_ > limit) {
            outcome = failure(kNoInput,
                              name_ + ": more than half of this machine's memory; write it to a file first",
                              "input", "at most " + std::to_string(limit) + " bytes");
            break;
        }
        if (!write_all(memfd, chunk.get(), static_cast<std::size_t>(got))) {
            outcome = read_failure(name_, errno);
            break;
        }
        progress.bytes("reading", bytes_, 0);
    }
    close(pipe);
    return outcome;
}

Expected<Source> Source::in_memory(std::string name, std::uint64_t bytes,
                                   const std::function<Expected<void>(const Sink&)>& fill,
                                   Progress& progress) {
    Source source;
    source.name_ = std::move(name);
    if (bytes > spool_limit())
        return failure(kNoInput, source.name_ + ": more than half of this machine's memory", "input",
                       "at most " + std::to_string(spool_limit()) + " bytes");
    source.fd_ = create_memfd();
    if (source.fd_ < 0) return read_failure(source.name_, errno);
    source.spooled_ = true;
    int failed = 0;
    Expected<void> filled = fill([&](const char* at, std::size_t count) {
        if (!write_all(source.fd_, at, count)) failed = errno;
        source.bytes_ += count;
        progress.bytes("unpacking", source.bytes_, bytes);
        return failed == 0;
    });
    if (!filled) return filled.error();
    if (failed != 0) return read_failure(source.name_, failed);
    return source;
}

Source Source::part(Source whole, std::string name, std::uint64_t offset, std::uint64_t bytes) {
    whole.name_ = std::move(name);
    whole.begin_ += offset;
    whole.bytes_ = bytes;
    return whole;
}

Source::Source(Source&& other) noexcept
    : name_(std::move(other.name_)),
      fd_(std::exchange(other.fd_, -1)),
      spooled_(other.spooled_),
      begin_(other.begin_),
      bytes_(other.bytes_) {}

Source::~Source() {
    if (fd_ >= 0) close(fd_);
}

Expected<void> Source::read_at(std::uint64_t offset, void* to, std::uint64_t count,
                               Progress* progress) const {
    char* at = static_cast<char*>(to);
    for (std::uint64_t done = 0; done < count;) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count - done, 8 * kChunkBytes));
        const ssize_t got = pread(fd_, at + done, wanted, static_cast<off_t>(begin_ + offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return read_failure(name_, errno);
        if (got == 0) return failure(kDataError, name_ + ": the file shrank while it was read", "input");
        done += static_cast<std::uint64_t>(got);
        if (progress != nullptr) progress->bytes("reading", done, count);
    }
    return {};
}

}  // namespace cli
}  // namespace tegu
