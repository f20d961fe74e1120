// SPDX-License-Identifier: Apache-2.0
// The floor of every kernel: reading the bytes once with plain vector loads. A kernel near this time is bound
// by memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tegu::bench {

// XOR of all 64-bit words of the memory, so that no load can be left out. A rest of less than 256 bytes is
// not read.
std::uint64_t read_all(const std::byte* data, std::uint64_t bytes);

}  // namespace tegu::bench
