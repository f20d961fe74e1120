// SPDX-License-Identifier: Apache-2.0
// Numbers in variables that a service manager sets: digits and nothing else.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

namespace tegu::daemon {

// Nothing for what is empty, has anything but digits, or does not fit. REQUIRES: text is not null.
inline std::optional<std::uint64_t> whole_number(const char* text) {
    std::uint64_t number = 0;
    const char* end = text + std::strlen(text);
    const auto [rest, error] = std::from_chars(text, end, number);
    if (text == end || rest != end || error != std::errc()) return std::nullopt;
    return number;
}

}  // namespace tegu::daemon
