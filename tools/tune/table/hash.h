// SPDX-License-Identifier: Apache-2.0
// FNV-1a, 64 bits: for checksums against torn writes and for seeds, not for security.
#pragma once

#include <cstdint>
#include <string_view>

namespace tegu::tune {

constexpr std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

}  // namespace tegu::tune
