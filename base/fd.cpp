// SPDX-License-Identifier: Apache-2.0
#include "base/fd.h"

#include <unistd.h>

namespace tegu {

void Fd::reset(int fd) {
    // A failed close cannot be repaired here; on Linux the descriptor is closed in any case.
    if (fd_ >= 0) (void)::close(fd_);
    fd_ = fd;
}

}  // namespace tegu
