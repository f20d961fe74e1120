// SPDX-License-Identifier: Apache-2.0
// The terminal, through ncurses. Create it once per process. The terminal state is restored when the program
// ends, also by a signal or a crash, and while it is stopped.
#pragma once

#include <memory>
#include <optional>

#include "tools/tegu/top/layout.h"

namespace tegu {
namespace cli {
namespace top {

// False: the program was built without ncurses, and open() fails.
bool has_terminal_library();

class Terminal {
  public:
    // REQUIRES: setlocale() was called. Errors: kUsage, where stdin or stdout is no terminal, or one that
    //           cannot place its cursor.
    static Expected<std::unique_ptr<Terminal>> open(bool colour);
    virtual ~Terminal() = default;

    virtual Screen screen() const = 0;
    virtual void draw(const Grid& grid) = 0;
    // A key as App takes it; none if there is none now. A change of the size is seen here.
    virtual std::optional<int> key() = 0;
    // Waits for a key, for news on `fd`, for a new size, for a signal, or for `seconds`. False: the terminal
    // is gone.
    virtual bool wait(int fd, double seconds) = 0;
    // The received signal to end the program, such as SIGINT; 0: none.
    virtual int ended_by() const = 0;
};

}  // namespace top
}  // namespace cli
}  // namespace tegu
