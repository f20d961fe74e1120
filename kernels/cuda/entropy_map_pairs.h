// SPDX-License-Identifier: Apache-2.0
// The fast method of entropy_map for small square windows and up to 16 levels. A thread follows four adjacent columns down. Two levels share a field of a register: the
// field is a + K b for a pixels of one level and b of the other, so that fields add up without carries and are places in a table of F[a] + F[b].
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/entropy_map.h"

namespace tegu {
namespace cuda {

constexpr unsigned kPairsColumns = 4;  // results of a thread in a row

// K: places of one level's count. Leaves 6 when divided by 32, so that counts up to 5 and 4, which are the most frequent, all have banks of their own.
constexpr unsigned pair_factor(unsigned pixels) { return (pixels + 25) / 32 * 32 + 6; }
static_assert(pair_factor(9) == 38 && pair_factor(25) == 38 && pair_factor(49) == 70 && pair_factor(81) == 102, "larger than the window");

// 3x3, 5x5, 7x7 and 9x9, up to 16 levels.
bool entropy_pairs_supports(const EntropyWindow& window);
// Whether it reads elements of the type itself; of all others it takes the levels.
bool entropy_pairs_reads(ElementType type);
// Dynamic shared memory of a block.
std::size_t entropy_pairs_bytes(const EntropyWindow& window);

// What a launch takes: pixels by coordinates in which (0, 0) is at x. Those in [row_begin, row_end) x [col_begin, col_end) are there; around them they are mirrored, or missing.
struct PairsArrays {
    const void* x;
    std::uint64_t row_stride;  // elements
    std::int64_t row_begin, row_end, col_begin, col_end;
    bool mirror;
    LevelRule rule;
    std::int64_t first_row, first_col;  // of the results
    std::uint32_t rows, cols;           // of them, up to 2^31
    std::uint32_t strip_rows;
    EntropyTables tables;
    float* map;                         // of the first result
    std::uint64_t map_cols;
    std::uint32_t* nan_seen;
};
// REQUIRES: entropy_pairs_supports(window), entropy_pairs_reads(type), rows / strip_rows up to 65535.
LaunchStatus launch_entropy_pairs(ElementType type, const PairsArrays& arrays, const EntropyWindow& window, unsigned threads, Stream stream);

}  // namespace cuda
}  // namespace tegu
