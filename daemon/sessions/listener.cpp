// SPDX-License-Identifier: Apache-2.0
#include "daemon/sessions/listener.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/log.h"
#include "daemon/reports/scrape_listener.h"
#include "daemon/service/events.h"
#include "daemon/sessions/passed_descriptors.h"

namespace tegu::daemon {
namespace {

// Text for the error of the socket's path.
Error path_error(Status status, const std::string& path, std::string message) {
    return field_error(status, "socket.path", "", "socket " + path + ": " + std::move(message));
}

Error path_error(const std::string& path, int os_code) {
    const Error cause = io_error("", os_code);
    return path_error(cause.status, path, std::strerror(os_code));
}

Result<sockaddr_un> address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path || path.find('\0') != std::string::npos)
        return path_error(Status::BadRange, path,
                          "a path of 1 to " + std::to_string(sizeof address.sun_path - 1) +
                              " bytes is needed, not " + std::to_string(path.size()));
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

const sockaddr* generic(const sockaddr_un& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

Result<Fd> new_socket() {
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return io_error("socket", errno);
    return fd;
}

constexpr int kLockTries = 40;
constexpr std::chrono::milliseconds kLockPause{50};

// Held from the check of an old socket file until the new one listens, so that only one of two starting
// daemons succeeds. Any user may hold the lock of a folder that he can read, so it is not waited for long.
Result<Fd> lock_directory(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return path_error(path, errno);
    for (int tries = 0; ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
        if (errno != EINTR && errno != EWOULDBLOCK) return path_error(path, errno);
        if (tries == kLockTries) {
            log(LogLevel::Warning, "another program holds the lock of the socket's folder",
                {{"FOLDER", directory}});
            break;
        }
        std::this_thread::sleep_for(kLockPause);
    }
    return fd;
}

// Removes an old socket file on which no process answers; no effect if there is none.
Result<void> clear_path(const std::string& path, const sockaddr_un& address) {
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0)
        return errno == ENOENT ? Result<void>() : path_error(path, errno);
    if (!S_ISSOCK(status.st_mode))
        return path_error(Status::BadRequest, path, "something else than a socket is there");
    Result<Fd> probe = new_socket();
    if (!probe) return std::move(probe).error();
    if (::connect(probe->get(), generic(address), sizeof address) == 0 || errno == EAGAIN)
        return path_error(Status::Unavailable, path, "another daemon answers there");
    if (errno != ECONNREFUSED) return path_error(path, errno);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return path_error(path, errno);
    log(LogLevel::Notice, "replaced a socket file on which nothing answered", {{"SOCKET", path}});
    return {};
}

bool is_of_store(const std::string& name) {
    return name.rfind(kStoredBufferName, 0) == 0 || name.rfind(kStoredTableName, 0) == 0 ||
           name == kStoredProbeName;
}

Result<Fd> make_ready(Fd fd) {
    const int flags = ::fcntl(fd.get(), F_GETFL);
    if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0)
        return io_error("fcntl of the inherited socket", errno);
    return fd;
}

}  // namespace

Result<Inherited> inherit_descriptors() {
    Inherited inherited;
    bool only_scrapes = true;
    for (PassedFd& passed : take_passed_descriptors()) {
        Fd fd = std::move(passed.fd);
        std::string name = std::move(passed.name);
        if (is_of_store(name)) {
            inherited.stored.known.push_back({std::move(name), std::move(fd)});
            continue;
        }
        const bool for_scrapes = name == kScrapeSocketName;
        only_scrapes = only_scrapes && for_scrapes;
        std::optional<Listener>& listener = for_scrapes ? inherited.scrapes : inherited.listener;
        const bool listens = ::sd_is_socket(fd.get(), for_scrapes ? AF_UNSPEC : AF_UNIX, SOCK_STREAM, 1) > 0;
        if (listener || !listens) {
            log(LogLevel::Warning,
                listens       ? "closed a second inherited socket"
                : for_scrapes ? "closed an inherited descriptor that is no listening stream socket"
                              : "closed an inherited descriptor that is no listening Unix stream socket",
                {{events::kMessageId, events::kEnvironment}, {"FDNAME", name}});
            inherited.stored.surplus.push_back(std::move(name));
            continue;
        }
        Result<Fd> ready = make_ready(std::move(fd));
        if (!ready) return std::move(ready).error();
        listener = Listener{std::move(ready).value(), "", true, 0, 0};
        listener->path = listening_address(listener->fd.get());
    }
    if (!only_scrapes && !inherited.listener && inherited.stored.known.empty())
        return make_error(Status::BadDescriptor,
                          "none of the inherited descriptors is a listening Unix stream socket");
    return inherited;
}

Result<Listener> bind_listener(const ListenerOptions& options) {
    Result<sockaddr_un> address = address_of(options.path);
    if (!address) return std::move(address).error();
    Result<Fd> lock = lock_directory(options.path);
    if (!lock) return std::move(lock).error();
    Result<void> clear = clear_path(options.path, *address);
    if (!clear) return std::move(clear).error();
    Result<Fd> fd = new_socket();
    if (!fd) return std::move(fd).error();
    const mode_t before = ::umask(0777 & ~options.mode);
    const int bound = ::bind(fd->get(), generic(*address), sizeof *address);
    const int os_code = errno;
    (void)::umask(before);
    if (bound != 0) return path_error(options.path, os_code);
    Listener listener{std::move(fd).value(), options.path, false, 0, 0};
    struct stat status;
    if (::stat(options.path.c_str(), &status) == 0) {
        listener.device = status.st_dev;
        listener.inode = status.st_ino;
    }
    if (::listen(listener.fd.get(), options.backlog) != 0) return path_error(options.path, errno);
    return listener;
}

void remove_socket_file(Listener& listener) {
    struct stat status;
    if (listener.inode == 0 || ::lstat(listener.path.c_str(), &status) != 0) return;
    if (status.st_dev == listener.device && status.st_ino == listener.inode)
        (void)::unlink(listener.path.c_str());
    listener.inode = 0;
}

}  // namespace tegu::daemon
