// SPDX-License-Identifier: Apache-2.0
// Counts of bytes without a counter that each byte would have to load and store: blocks are taken apart into
// planes of bits, and the ones in the exclusive or of every subset of the eight planes are counted, 512 bytes
// at a time. These 256 sums are the Walsh-Hadamard transform of the histogram, so one transform at the end
// gives the counts. What a byte costs does not depend on the data. docs/operations/histogram.md has the
// measurements.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tegu::kernels {

// Bytes that are counted at a time.
inline constexpr std::size_t kPlaneBlock = 2048;

// The sums of one worker: for each subset of planes eight, of the words of its vectors.
struct alignas(64) PlaneSums {
    std::uint64_t ones[256][8];
};

// Whether this machine can: AVX-512 with the counting of ones in vectors, and no wish for less
// (kernels/execution/cpu/isa.h).
bool has_byte_planes();

// Counts kPlaneBlock bytes at any address, each read once. REQUIRES: has_byte_planes().
void count_byte_planes(const std::byte* source, PlaneSums* sums);

// counts[byte] += how often it was among the n bytes that `sums` counted from zeros on.
void add_plane_counts(const PlaneSums& sums, std::uint64_t n, std::uint64_t* counts);

}  // namespace tegu::kernels
