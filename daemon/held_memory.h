// SPDX-License-Identifier: Apache-2.0
// HeldMemory: memory that the daemon made for clients and has no more use for. It lives on for as long as anybody has it, a client that keeps
// a descriptor or a mapping for one, and a memory cgroup goes on charging it to the daemon. So it counts as a buffer of its user until the
// kernel says that the file is gone (inotify(7), IN_DELETE_SELF: a memfd has no name, so that is the end of the last reference to it). Not seen
// is what was taken out of the file: pages that wait in pipes and sockets (splice(2)). Io thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/fd.h"
#include "daemon/clock.h"
#include "daemon/quota.h"

namespace tegu::daemon {

class HeldMemory {
  public:
    // Where the kernel has no watch for it, charges end with keep().
    HeldMemory();

    // Readable when there is something to look() at. -1: never.
    int events() const { return events_.get(); }
    // From now on the charge ends with the memory of this memfd, which the caller closes. Not if there is no room to remember it.
    void keep(int memfd, BufferCharge charge) noexcept;
    // The charge of the memory behind `fd`, a descriptor of whatever kind, if it is kept for that user, who uses it again. It is kept no more.
    std::optional<BufferCharge> take(int fd, uid_t uid);
    // Ends the charges of what is gone.
    void look() noexcept;

    // Of that user.
    std::uint64_t bytes(uid_t uid) const;
    // Some of that user's has been kept for less than a second: whoever else has it may be about to let it go.
    bool lately(uid_t uid) const;

  private:
    struct Memory {
        std::uint64_t device, inode;
        BufferCharge charge;
        TimePoint since;
    };
    Fd events_;
    std::unordered_map<int, Memory> kept_;  // by the number of its watch
};

}  // namespace tegu::daemon
