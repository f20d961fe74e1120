// SPDX-License-Identifier: Apache-2.0
// Classes of ASCII characters, the same in every locale, unlike <cctype>.
#pragma once

namespace tegu {

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace tegu
