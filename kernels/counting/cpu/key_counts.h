// SPDX-License-Identifier: Apache-2.0
// The counters of one worker: how often each small key occurs. A small counter table has several copies, so
// that equal neighbours do not wait for each other's store. Counters have 32 bits and are added to 64-bit
// totals before they can overflow.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/counting/cpu/byte_planes.h"

namespace tegu::kernels {

class KeyCounts {
  public:
    // Bytes that a worker needs for keys below `keys`; a multiple of 64.
    static std::size_t bytes(std::uint32_t keys);

    KeyCounts() = default;
    // `memory`: bytes(keys), 64-byte aligned, not owned. Call clear() first.
    KeyCounts(std::byte* memory, std::uint32_t keys);

    void clear();
    // True if n more keys can be counted before the next clear().
    bool has_capacity(std::uint64_t n) const { return n <= kMaxKeys - counted_; }
    // Counts n keys at any alignment. REQUIRES: has_capacity(n), and each key is below `keys`. That holds for
    // every value of the type (u8 with 256, u16 with 65536), or the caller ensures it in private memory.
    void count_u8(const std::byte* source, std::size_t n);
    void count_u16(const std::byte* source, std::size_t n);
    void count_u32(const std::uint32_t* source, std::size_t n);
    // totals[key] += its count, for keys below `count`.
    void add_to(std::uint64_t* totals, std::uint32_t count) const;

  private:
    static constexpr std::uint64_t kMaxKeys = 0xffffffffu;

    std::size_t count_blocks(const std::byte* source, std::size_t n);

    std::uint32_t* counters_ = nullptr;  // tables x pitch
    PlaneSums* planes_ = nullptr;        // null if bytes have counters only; zeroed before the first block
    std::uint64_t in_planes_ = 0;        // bytes counted in the planes
    std::size_t pitch_ = 0;
    unsigned tables_ = 1;
    std::uint64_t counted_ = 0;
};

}  // namespace tegu::kernels
