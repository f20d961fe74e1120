// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

namespace tegu::bench {

// FNV-1a of whole 8-byte words. Tells results apart; it resists no attack.
inline std::uint64_t hash_of(const void* data, std::uint64_t bytes) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::uint64_t done = 0; done + sizeof hash <= bytes; done += sizeof hash) {
        std::uint64_t word;
        std::memcpy(&word, static_cast<const char*>(data) + done, sizeof word);
        hash = (hash ^ word) * 0x100000001b3;
    }
    return hash;
}

}  // namespace tegu::bench
