// SPDX-License-Identifier: Apache-2.0
// The fast method of entropy_map for small square windows and up to 16 levels. A thread follows four adjacent
// columns down. Two levels share a field of a register: the field is a + K b for a pixels of one level and b
// of the other, so that fields add up without carries and are places in a table of F[a] + F[b].
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/entropy_map/cuda/entropy_map.h"

namespace tegu {
namespace cuda {

constexpr unsigned kPairsColumns = 4;  // results of a thread in a row
// of a warp: its outer lanes only serve their neighbours
constexpr unsigned kPairsWarpResults = 30 * kPairsColumns;

// K: places of one level's count. Leaves 6 when divided by 32, so that counts up to 5 and 4, which are the
// most frequent, all have banks of their own.
constexpr unsigned pair_factor(unsigned pixels) {
    return (pixels + 25) / 32 * 32 + 6;
}
static_assert(pair_factor(9) == 38 && pair_factor(25) == 38 && pair_factor(49) == 70 &&
                  pair_factor(81) == 102,
              "larger than the window");

constexpr unsigned kPairsMirrorExtent = 256;
constexpr std::uint64_t kPairsRowBytes = 0x7fffffff;  // a row may take
// 3x3, 5x5, 7x7 and 9x9, up to 16 levels.
bool entropy_pairs_supports(const EntropyWindow& window);
// Whether it reads elements of the type itself; of all others it takes the levels.
bool entropy_pairs_reads(ElementType type);

// What a launch takes. Coordinates are counted from the first result; `x` is its pixel. Pixels in [row_begin,
// row_end) x [col_begin, col_end) are there, limits of 2^30 - 1 stand for any distance; around them they are
// mirrored once, or missing.
struct PairsArrays {
    const void* x;           // aligned to the element
    std::int32_t row_bytes;  // from a row to the next
    std::int32_t row_begin, row_end, col_begin, col_end;
    bool mirror;
    LevelRule rule;
    std::int32_t rows, cols;  // of the results
    std::int32_t strip_rows;
    EntropyTables tables;
    float* map;  // of the first result
    std::int32_t map_row_bytes;
    std::uint32_t* nan_seen;
};
// REQUIRES: entropy_pairs_supports(window), entropy_pairs_reads(type), rows / strip_rows up to 65535, rows
//           and cols up to 2^30; if mirror, kPairsMirrorExtent pixels are there in both directions.
LaunchStatus launch_entropy_pairs(ElementType type, const PairsArrays& arrays, const EntropyWindow& window,
                                  unsigned threads, Stream stream);

}  // namespace cuda
}  // namespace tegu
