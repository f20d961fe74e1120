// SPDX-License-Identifier: Apache-2.0
// HeldMemory: memory that the daemon created and released, but that a client still has open or mapped. It is
// charged to its user until inotify(7) reports IN_DELETE_SELF for the memfd. Pages that pipes, sockets or
// drivers hold are not detected. Io thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/fd.h"
#include "daemon/buffers/quota.h"
#include "daemon/clock.h"

namespace tegu::daemon {

class HeldMemory {
  public:
    HeldMemory();

    // Readable when poll() has work; -1 if there are never events.
    int events() const { return events_.get(); }
    // Takes the charge until the memory of this memfd is freed. Leaves it if the memfd cannot be watched.
    void keep(int memfd, BufferCharge& charge) noexcept;
    // Whether the memory behind `fd`, a descriptor of any kind, is charged to that user here.
    bool has(int fd, uid_t uid) { return find(fd, uid) != kept_.end(); }
    // Removes and returns its charge, because the user uses the memory again.
    std::optional<BufferCharge> take(int fd, uid_t uid);
    // Ends the charges of freed memory.
    void poll() noexcept;

    // Bytes held by the user.
    std::uint64_t bytes(uid_t uid) const;
    // True if some memory of that user was added less than a second ago; it may be freed soon.
    bool lately(uid_t uid) const;

  private:
    struct Memory {
        std::uint64_t device, inode;
        BufferCharge charge;
        TimePoint since;
    };
    using Kept = std::unordered_map<int, Memory>;  // by watch descriptor
    Kept::iterator find(int fd, uid_t uid);
    int watch(int fd);

    Fd events_;
    Kept kept_;
};

}  // namespace tegu::daemon
