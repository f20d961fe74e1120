// SPDX-License-Identifier: Apache-2.0
// HeldMemory: memory that the daemon made for clients and has no more use for, while a client still has it: a descriptor, wherever that was
// passed on, or a mapping. The memory lives on then, and a memory cgroup charges it to the daemon. So it goes on counting as a buffer of its
// user, until it is seen that the client has let it go (is_open_at_client()). Io thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>

#include "base/fd.h"
#include "daemon/quota.h"

namespace tegu::daemon {

class HelperThread;

class HeldMemory {
  public:
    struct Memory {
        Fd fd;  // the memfd
        BufferCharge charge;
        std::uint64_t inode = 0;
    };

    // `helper`: gives large memory back; outlives it or is stopped. `look_soon`: asks for a look() within a second.
    HeldMemory(HelperThread& helper, std::function<void()> look_soon)
        : helper_(helper), look_soon_(std::move(look_soon)) {}

    // Without memory to remember it by, or without a charge, it ends here.
    void keep(Fd fd, BufferCharge charge) noexcept;
    // The memory that `fd` is a descriptor of, if it is kept and that user's: he registers it as a buffer again. It is kept no more.
    std::optional<Memory> take(int fd, uid_t uid);
    // Ends what clients have let go, of some; the next call looks at others. Each costs a few system calls.
    void look();
    // As look(), at some of that user's. Whether there was any.
    bool look(uid_t uid);
    // Of that user.
    std::uint64_t bytes(uid_t uid) const;
    bool empty() const { return kept_.empty(); }

  private:
    using Kept = std::list<Memory>;
    // Looks at one of them, which goes to the end of the list or ends.
    bool end_if_let_go(Kept::iterator one);

    HelperThread& helper_;
    std::function<void()> look_soon_;
    Kept kept_;
};

}  // namespace tegu::daemon
