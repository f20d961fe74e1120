// SPDX-License-Identifier: Apache-2.0
#include "daemon/buffers/held_memory.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

#include "daemon/buffers/mapping.h"

namespace tegu::daemon {
namespace {

constexpr std::chrono::seconds kLately{1};
constexpr int kReads = 3;  // failed reads before it stops until the next poll

}  // namespace

HeldMemory::HeldMemory() : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

// The same number for the same file. -1: it cannot be watched.
int HeldMemory::watch(int fd) {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return ::inotify_add_watch(events_.get(), path, IN_DELETE_SELF);
}

void HeldMemory::keep(int memfd, BufferCharge& charge) noexcept {
    struct stat file;
    if (!events_ || !charge || ::fstat(memfd, &file) != 0) return;
    const int number = watch(memfd);
    if (number < 0) return;
    try {
        Memory& memory = kept_[number];
        memory = {file.st_dev, file.st_ino, std::move(charge), Clock::now()};
    } catch (const std::exception&) {
        (void)::inotify_rm_watch(events_.get(), number);
    }
}

HeldMemory::Kept::iterator HeldMemory::find(int fd, uid_t uid) {
    struct stat file;
    if (kept_.empty() || !has_seals(fd) || ::fstat(fd, &file) != 0) return kept_.end();
    for (auto one = kept_.begin(); one != kept_.end(); ++one) {
        const Memory& memory = one->second;
        if (memory.inode != file.st_ino || memory.device != file.st_dev || memory.charge.uid() != uid)
            continue;
        const int number = watch(fd);  // older kernels reuse inode numbers
        if (number == one->first) return one;
        if (number >= 0 && kept_.count(number) == 0) (void)::inotify_rm_watch(events_.get(), number);
    }
    return kept_.end();
}

std::optional<BufferCharge> HeldMemory::take(int fd, uid_t uid) {
    const auto found = find(fd, uid);
    if (found == kept_.end()) return std::nullopt;
    std::optional<BufferCharge> charge(std::move(found->second.charge));
    (void)::inotify_rm_watch(events_.get(), found->first);
    kept_.erase(found);
    return charge;
}

void HeldMemory::poll() noexcept {
    // without names, because no directory is watched
    alignas(inotify_event) char events[64 * sizeof(inotify_event)];
    for (int failed = 0; failed < kReads;) {
        const ssize_t bytes = ::read(events_.get(), events, sizeof events);
        if (bytes < 0 && errno == EAGAIN) return;
        if (bytes <= 0) ++failed;
        for (ssize_t at = 0; at < bytes;) {
            inotify_event event;
            std::memcpy(&event, events + at, sizeof event);
            at += static_cast<ssize_t>(sizeof event + event.len);
            if ((event.mask & IN_Q_OVERFLOW) != 0) kept_.clear();  // the freed memories are unknown now
            kept_.erase(event.wd);
        }
    }
}

std::uint64_t HeldMemory::bytes(uid_t uid) const {
    std::uint64_t bytes = 0;
    for (const auto& one : kept_)
        if (one.second.charge.uid() == uid) bytes += one.second.charge.bytes();
    return bytes;
}

bool HeldMemory::lately(uid_t uid) const {
    const TimePoint now = Clock::now();
    for (const auto& one : kept_)
        if (one.second.charge.uid() == uid && now - one.second.since < kLately) return true;
    return false;
}

}  // namespace tegu::daemon
