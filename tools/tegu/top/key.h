// SPDX-License-Identifier: Apache-2.0
// The non-character keys of `tegu top`, independent of the terminal library.
#pragma once

namespace tegu {
namespace cli {
namespace top {

// A key that is a character is that character.
enum Key : int {
    kKeyUp = 256,
    kKeyDown,
    kKeyLeft,
    kKeyRight,
    kKeyPageUp,
    kKeyPageDown,
    kKeyHome,
    kKeyEnd,
    kKeyHelp
};

}  // namespace top
}  // namespace cli
}  // namespace tegu
