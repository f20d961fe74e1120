// SPDX-License-Identifier: Apache-2.0
// Byte counts without a load and a store of a counter per byte. Blocks of 512 bytes are split into bit
// planes; the ones in the XOR of every subset of the eight planes are counted. These 256 sums are the
// Walsh-Hadamard transform of the histogram, so one transform at the end gives the counts.
//
// The cost per byte does not depend on the data. Measurements: docs/operations/histogram.md.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tegu::kernels {

// Bytes that one call counts.
inline constexpr std::size_t kPlaneBlock = 2048;

// The sums of one worker: eight for each subset of planes, one per word of a vector.
struct alignas(64) PlaneSums {
    std::uint64_t ones[256][8];
};

// True if the machine has VBMI, GFNI and VPOPCNTDQ, and detected_cpu_isa() is Avx512.
bool has_byte_planes();

// Counts kPlaneBlock bytes at any alignment; reads each once. REQUIRES: has_byte_planes().
void count_byte_planes(const std::byte* source, PlaneSums* sums);

// counts[byte] += its number among the n bytes that `sums` has counted since it was zero.
void add_plane_counts(const PlaneSums& sums, std::uint64_t n, std::uint64_t* counts);

}  // namespace tegu::kernels
