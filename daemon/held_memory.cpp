// SPDX-License-Identifier: Apache-2.0
#include "daemon/held_memory.h"

#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <iterator>

#include "daemon/buffer.h"
#include "daemon/mapping.h"

namespace tegu::daemon {
namespace {

constexpr std::size_t kLooks = 64;        // a second, whatever there is
constexpr std::size_t kLooksOfUser = 16;  // for each request that would be refused

// Numbers of memfds are those of one file system, and not used twice.
std::optional<std::uint64_t> inode_of(int fd) {
    struct stat status;
    if (::fstat(fd, &status) != 0) return std::nullopt;
    return status.st_ino;
}

}  // namespace

void HeldMemory::keep(Fd fd, BufferCharge charge) noexcept {
    const std::optional<std::uint64_t> inode = inode_of(fd.get());
    if (!inode || !charge) return;
    try {
        kept_.emplace_back();
        kept_.back() = {std::move(fd), std::move(charge), *inode};
        look_soon_();
    } catch (const std::exception&) {  // one that nobody looks at soon is looked at when there is another reason to
    }
}

std::optional<HeldMemory::Memory> HeldMemory::take(int fd, uid_t uid) {
    if (kept_.empty()) return std::nullopt;
    const std::optional<std::uint64_t> inode = inode_of(fd);
    for (auto one = kept_.begin(); inode && one != kept_.end(); ++one) {
        if (one->inode != *inode || one->charge.uid() != uid) continue;
        std::optional<Memory> taken(std::move(*one));
        kept_.erase(one);
        return taken;
    }
    return std::nullopt;
}

bool HeldMemory::end_if_let_go(Kept::iterator one) {
    if (is_open_at_client(one->fd.get())) {
        kept_.splice(kept_.end(), kept_, one);
        return false;
    }
    const std::uint64_t bytes = one->charge.bytes();
    free_memory({std::move(one->fd), {}, {}, std::move(one->charge)}, bytes, &helper_, nullptr);
    kept_.erase(one);
    return true;
}

void HeldMemory::look() {
    for (std::size_t left = std::min(kLooks, kept_.size()); left > 0; --left) (void)end_if_let_go(kept_.begin());
}

bool HeldMemory::look(uid_t uid) {
    bool any = false;
    std::size_t looks = 0, left = kept_.size();
    for (auto one = kept_.begin(); left > 0 && looks < kLooksOfUser; --left) {
        const auto next = std::next(one);
        if (one->charge.uid() == uid) {
            ++looks;
            any = end_if_let_go(one) || any;
        }
        one = next;
    }
    return any;
}

std::uint64_t HeldMemory::bytes(uid_t uid) const {
    std::uint64_t bytes = 0;
    for (const Memory& one : kept_)
        if (one.charge.uid() == uid) bytes += one.charge.bytes();
    return bytes;
}

}  // namespace tegu::daemon
