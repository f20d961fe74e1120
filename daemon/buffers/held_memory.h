// SPDX-License-Identifier: Apache-2.0
// HeldMemory: memory that the daemon made and released, but that a client still has open or mapped. It counts
// as a buffer of its user until inotify(7) reports that the memfd is gone (IN_DELETE_SELF). Pages that pipes,
// sockets or drivers hold are not seen. Io thread.
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

    // Readable when there is something to poll() at. -1: never.
    int events() const { return events_.get(); }
    // Takes the charge, which from now on ends with the memory of this memfd; not if it cannot be watched.
    void keep(int memfd, BufferCharge& charge) noexcept;
    // Whether the memory behind `fd`, a descriptor of whatever kind, is kept for that user.
    bool has(int fd, uid_t uid) { return find(fd, uid) != kept_.end(); }
    // Its charge: the user uses it again. It is kept no more.
    std::optional<BufferCharge> take(int fd, uid_t uid);
    // Ends the charges of what is gone.
    void poll() noexcept;

    // Of that user.
    std::uint64_t bytes(uid_t uid) const;
    // Some of that user's has been kept for less than a second: whoever else has it may be about to let it
    // go.
    bool lately(uid_t uid) const;

  private:
    struct Memory {
        std::uint64_t device, inode;
        BufferCharge charge;
        TimePoint since;
    };
    using Kept = std::unordered_map<int, Memory>;  // by the number of its watch
    Kept::iterator find(int fd, uid_t uid);
    int watch(int fd);

    Fd events_;
    Kept kept_;
};

}  // namespace tegu::daemon
