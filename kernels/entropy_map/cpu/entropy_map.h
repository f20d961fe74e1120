// SPDX-License-Identifier: Apache-2.0
// The inner loops of entropy_map, compiled once per instruction set. They process one tile in caller-owned
// memory: the levels of its pixels with a halo of half a window. Nothing allocates here, and no access leaves
// the tile and its scratch for any input: the quantisers (kernels/numerics/levels.h) keep levels below
// level_count.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/execution/cpu/isa.h"

namespace tegu::kernels {

// The level of a pixel outside the image (border clip), and of the padding of a row. It is no valid level:
// the method that reads such pixels takes at most kMaxPlaneLevels.
inline constexpr std::uint8_t kOutsideLevel = 255;

// Padding in bytes behind the columns of each row of levels, which vectors may read.
inline constexpr std::size_t kEntropyRowSlack = 64;

// A tile of rows x cols results. The window of result (r, c) is rows [r, r + window_rows), columns [c, c +
// window_cols) of `levels`, clipped to the image (border mirror: no clipping).
struct EntropyTile {
    const std::uint8_t* levels = nullptr;  // (rows + window_rows - 1) x pitch, 64-byte aligned
    std::size_t pitch = 0;  // bytes: a multiple of 64, >= cols + window_cols - 1 + kEntropyRowSlack
    std::uint32_t rows = 0;
    std::uint32_t cols = 0;
    std::uint32_t window_rows = 0;
    std::uint32_t window_cols = 0;
    std::uint32_t level_count = 0;
    std::uint32_t inside_row_begin = 0;  // in rows and columns of `levels`
    std::uint32_t inside_row_end = 0;
    std::uint32_t inside_col_begin = 0;
    std::uint32_t inside_col_end = 0;
    // F[n], n = 0 .. window_rows * window_cols, readable to a multiple of 128
    const std::uint32_t* table = nullptr;
    const std::uint32_t* differences = nullptr;  // F[n + 1] - F[n], n = 0 .. window_rows * window_cols - 1
    std::byte* scratch = nullptr;  // of the method, 64-byte aligned, kept between calls for one tile
};

// The results of one call of a method: rows [row_begin, row_begin + row_count) of the tile, 1 <= row_count <=
// kEntropyRowsPerCall. Calls for one tile go down from row 0 without gaps; each but the last has
// kEntropyRowsPerCall rows.
inline constexpr std::uint32_t kEntropyRowsPerCall = 4;
struct EntropyRows {
    std::uint32_t row_begin = 0;
    std::uint32_t row_count = 0;
    // kEntropyRowsPerCall x sums_pitch; [r][c] = sum of F[count] over the levels of the window;
    std::uint32_t* sums = nullptr;
    // rows beyond row_count may be overwritten; a multiple of 16, >= tile.cols rounded up to 64
    std::size_t sums_pitch = 0;
};

// Method `planes`: one plane of column counts per level, vectors along the row. Windows of at most
// kMaxPlanePixels pixels, at most kMaxPlaneLevels levels. Scratch: (level_count + 1) * pitch bytes.
inline constexpr std::uint32_t kMaxPlanePixels = 127;
inline constexpr std::uint32_t kMaxPlaneLevels = 128;
TEGU_ISA_DECLARE(void entropy_planes(const EntropyTile& tile, const EntropyRows& rows);)

// Method `prefix`: planes of column counts and their prefix sums along the row. Any window, at most
// kMaxPrefixLevels levels, tiles of at most kMaxPrefixCols columns (so that no sum exceeds 16 bits).
inline constexpr std::uint32_t kMaxPrefixLevels = 128;
inline constexpr std::uint32_t kMaxPrefixCols = 896;
constexpr std::size_t entropy_prefix_bytes(std::uint32_t levels, std::size_t pitch) {
    return levels * pitch + kEntropyRowSlack + 8 * pitch;
}
TEGU_ISA_DECLARE(void entropy_prefix(const EntropyTile& tile, const EntropyRows& rows);)

// Method `columns`: a histogram per column, and a window histogram that moves by whole columns. Any window,
// any levels. Scratch: 2 * entropy_column_levels(level_count) bytes per padded column.
constexpr std::uint32_t entropy_column_levels(std::uint32_t levels) {
    std::uint32_t size = 4;
    while (size < levels) size *= 2;
    return size;
}
TEGU_ISA_DECLARE(void entropy_columns(const EntropyTile& tile, const EntropyRows& rows);)

// Method `slide`: Huang's sliding histogram, four rows of windows at once. Any window, any levels. No
// scratch.
TEGU_ISA_DECLARE(void entropy_slide(const EntropyTile& tile, const EntropyRows& rows);)

// out[c] = float(whole[c] - sums[c]) / divisor[c].
TEGU_ISA_DECLARE(void entropy_finish(const std::uint32_t* sums, const std::uint32_t* whole,
                                     const float* divisor, std::size_t n, float* out);)

}  // namespace tegu::kernels
