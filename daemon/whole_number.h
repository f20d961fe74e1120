// SPDX-License-Identifier: Apache-2.0
// Parses numbers in environment variables of a service manager: digits only.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

namespace tegu::daemon {

// nullopt if `text` is empty, contains a non-digit, or does not fit. REQUIRES: text is not null.
inline std::optional<std::uint64_t> whole_number(const char* text) {
    std::uint64_t number = 0;
    const char* end = text + std::strlen(text);
    const auto [rest, error] = std::from_chars(text, end, number);
    if (text == end || rest != end || error != std::errc()) return std::nullopt;
    return number;
}

}  // namespace tegu::daemon
