// SPDX-License-Identifier: Apache-2.0
// A build without ncurses.
#include "tools/tegu/top/terminal.h"

namespace tegu {
namespace cli {
namespace top {

bool has_terminal_library() {
    return false;
}

Expected<std::unique_ptr<Terminal>> Terminal::open(bool) {
    return failure(
        kUsage, "built without ncurses, so there is no live view: use --once, or build with libncursesw5-dev",
        "--once");
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
