// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/read_floor.h"

#include <cstring>

namespace tegu::bench {

#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("default", "avx2", "avx512f"), optimize("O3")))
#endif
std::uint64_t
read_all(const std::byte* data, std::uint64_t bytes) {
    std::uint64_t lanes[32] = {};
    std::uint64_t offset = 0;
    for (; offset + sizeof lanes <= bytes; offset += sizeof lanes) {
        std::uint64_t words[32];
        std::memcpy(words, data + offset, sizeof words);
        for (unsigned i = 0; i < 32; ++i) lanes[i] ^= words[i];
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t lane : lanes) sum ^= lane;
    return sum;
}

}  // namespace tegu::bench
