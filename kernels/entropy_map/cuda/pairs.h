// SPDX-License-Identifier: Apache-2.0
// The fast method of entropy_map for small square windows and up to 16 levels. A thread slides four adjacent
// columns down. Two levels share a register field.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/entropy_map/cuda/entropy_map.h"

namespace tegu {
namespace cuda {

constexpr unsigned kPairsColumns = 4;    // results of a thread in a row
constexpr unsigned kPairsThreads = 256;  // of a block at most: each needs many registers
// of a warp: its outer lanes only provide columns to their neighbours
constexpr unsigned kPairsWarpResults = 30 * kPairsColumns;

// A field is a + K b for a pixels of one level and b of the other. So fields add without carries, and each is
// an index in a table of F[a] + F[b].
// K: the number of values of the lower count in a field. K mod 32 is 6, so that the most frequent counts, up
// to 5 and 4, all use different banks.
constexpr unsigned pair_factor(unsigned pixels) {
    return (pixels + 25) / 32 * 32 + 6;
}
static_assert(pair_factor(9) == 38 && pair_factor(25) == 38 && pair_factor(49) == 70 &&
                  pair_factor(81) == 102,
              "larger than the window");

constexpr unsigned kPairsMirrorExtent = 256;
constexpr std::uint64_t kPairsRowBytes = 0x7fffffff;  // maximum of a row
// 3x3, 5x5, 7x7 and 9x9, up to 16 levels.
bool entropy_pairs_supports(const EntropyWindow& window);
// Returns whether it reads elements of the type directly; for other types it reads the levels.
bool entropy_pairs_reads(ElementType type);

// The arguments of a launch. Coordinates are relative to the first result; `x` is its pixel. Pixels in
// [row_begin, row_end) x [col_begin, col_end) exist; limits of 2^30 - 1 mean any distance. Outside, pixels
// are mirrored once, or missing.
struct PairsArrays {
    const void* x;           // aligned to the element
    std::int32_t row_bytes;  // from a row to the next
    std::int32_t row_begin, row_end, col_begin, col_end;
    bool mirror;
    LevelRule rule;
    // From four u8 to their levels, where these are their upper bits; the launch sets them.
    std::uint32_t level_shift, level_mask;
    std::int32_t rows, cols;  // of the results
    std::int32_t strip_rows;
    EntropyTables tables;
    float* map;  // of the first result
    std::int32_t map_row_bytes;
    std::uint32_t* nan_seen;
};
// REQUIRES: entropy_pairs_supports(job.window), entropy_pairs_reads(type), rows / strip_rows up to 65535,
// rows and cols up to 2^30; if mirror, kPairsMirrorExtent pixels exist in both directions.
LaunchStatus launch_entropy_pairs(ElementType type, PairsArrays arrays, const EntropyMapJob& job,
                                  Stream stream);

}  // namespace cuda
}  // namespace tegu
