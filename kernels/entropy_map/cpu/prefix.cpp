// SPDX-License-Identifier: Apache-2.0
// Method for large windows and very few levels: prefix sums of column counts along the row. Each level but
// the last has a plane of column counts, updated as in kernels/entropy_map/cpu/planes.cpp, then summed from
// left to right. A window's count is the difference of two prefix sums for any width.
#include "kernels/entropy_map/cpu/entropy_map.h"
#include "kernels/entropy_map/cpu/lookup.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

typedef std::uint64_t __attribute__((may_alias)) Word;  // four 16-bit counts

constexpr Word spread(Word count) {
    return count * 0x0001000100010001u;
}

// Offsets of the parts of the tile's scratch.
struct Prefix {
    std::uint8_t* planes;   // column counts: (level_count - 1) planes of `pitch`, and a row without levels
    std::uint16_t* sums;    // of the columns up to this one; sums[-1] == 0
    Word* carries;          // of each four columns: the sum of all before
    std::uint16_t* counts;  // of the windows
    std::uint16_t* rest;    // pixels of the windows that no level has counted so far
    std::size_t pitch;
    std::size_t width;  // padded columns, rounded up to whole vectors
};

Prefix parts_of(const EntropyTile& tile) {
    Prefix parts;
    parts.pitch = tile.pitch;
    parts.width = (tile.cols + tile.window_cols - 1 + kPixels - 1) / kPixels * kPixels;
    parts.planes = reinterpret_cast<std::uint8_t*>(tile.scratch);
    std::byte* at = tile.scratch + tile.level_count * tile.pitch + kEntropyRowSlack;
    parts.sums = reinterpret_cast<std::uint16_t*>(at);
    parts.counts = reinterpret_cast<std::uint16_t*>(at + 2 * tile.pitch);
    parts.rest = reinterpret_cast<std::uint16_t*>(at + 4 * tile.pitch);
    parts.carries = reinterpret_cast<Word*>(at + 6 * tile.pitch);
    return parts;
}

// Adds the levels of row `entering` to the column counts and removes those of row `leaving`.
void move_down(const EntropyTile& tile, const Prefix& parts, const std::uint8_t* entering,
               const std::uint8_t* leaving) {
    for (std::uint32_t level = 0; level + 1 < tile.level_count; ++level) {
        std::uint8_t* counts = parts.planes + level * parts.pitch;
        for (std::size_t col = 0; col < parts.width; col += kPixels)
            store_counts(counts + col, change(load_counts(counts + col), load_counts(entering + col),
                                              load_counts(leaving + col), static_cast<std::uint8_t>(level)));
    }
}

// Sums four columns within a word, then adds the total of the words before it. The dependency chain is one
// addition per four columns.
void sum_columns(const Prefix& parts, const std::uint8_t* counts) {
    std::uint16_t* sums = parts.sums;
    for (std::size_t col = 0; col < parts.width; ++col) sums[col] = counts[col];
    Word* words = reinterpret_cast<Word*>(sums);
    const std::size_t n = parts.width / 4;
    for (std::size_t i = 0; i < n; ++i) {
        Word word = words[i];
        word += word << 16;
        word += word << 32;
        words[i] = word;
        parts.carries[i] = word >> 48;
    }
    Word carry = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Word sum = parts.carries[i];
        parts.carries[i] = carry;
        carry += sum;
    }
    // no sum exceeds 16 bits: kMaxPrefixCols
    for (std::size_t i = 0; i < n; ++i) words[i] += spread(parts.carries[i]);
}

void count_windows(const EntropyTile& tile, const Prefix& parts) {
    const std::uint16_t* before = parts.sums - 1;
    const std::uint16_t* last = parts.sums + tile.window_cols - 1;
    for (std::size_t col = 0; col < tile.cols; ++col) {
        const std::uint16_t count = static_cast<std::uint16_t>(last[col] - before[col]);
        parts.counts[col] = count;
        parts.rest[col] = static_cast<std::uint16_t>(parts.rest[col] - count);
    }
}

// sums[col] (+)= F[counts[col]]. Counts are loaded four at a time, because loads limit lookups.
template <bool First>
void add_entries(const EntropyTile& tile, const std::uint16_t* counts, std::uint32_t* sums) {
    const std::uint32_t* table = tile.table;
    const Word* words = reinterpret_cast<const Word*>(counts);
    for (std::size_t i = 0; i < (tile.cols + 3) / 4; ++i, sums += 4) {
        const Word word = words[i];
        sums[0] = (First ? 0 : sums[0]) + table[word & 0xffff];
        sums[1] = (First ? 0 : sums[1]) + table[(word >> 16) & 0xffff];
        sums[2] = (First ? 0 : sums[2]) + table[(word >> 32) & 0xffff];
        sums[3] = (First ? 0 : sums[3]) + table[word >> 48];
    }
}

// The number of pixels in each window of this row: smaller where the border clips.
void count_pixels(const EntropyTile& tile, const Prefix& parts, std::uint32_t row) {
    const auto overlap = [](std::uint32_t begin, std::uint32_t extent, std::uint32_t inside_begin,
                            std::uint32_t inside_end) {
        const std::uint32_t end = begin + extent < inside_end ? begin + extent : inside_end;
        return end - (begin > inside_begin ? begin : inside_begin);
    };
    const std::uint32_t rows = overlap(row, tile.window_rows, tile.inside_row_begin, tile.inside_row_end);
    for (std::uint32_t col = 0; col < tile.cols; ++col)
        parts.rest[col] = static_cast<std::uint16_t>(
            rows * overlap(col, tile.window_cols, tile.inside_col_begin, tile.inside_col_end));
}

void sum_row(const EntropyTile& tile, const Prefix& parts, std::uint32_t row, std::uint32_t* sums) {
    count_pixels(tile, parts, row);
    for (std::uint32_t level = 0; level + 1 < tile.level_count; ++level) {
        sum_columns(parts, parts.planes + level * parts.pitch);
        count_windows(tile, parts);
        level == 0 ? add_entries<true>(tile, parts.counts, sums)
                   : add_entries<false>(tile, parts.counts, sums);
    }
    add_entries<false>(tile, parts.rest, sums);
}

}  // namespace

void entropy_prefix(const EntropyTile& tile, const EntropyRows& rows) {
    const Prefix parts = parts_of(tile);
    std::uint8_t* nothing = parts.planes + (tile.level_count - 1) * tile.pitch;  // a row without levels
    if (rows.row_begin == 0) {
        __builtin_memset(tile.scratch, 0, entropy_prefix_bytes(tile.level_count, tile.pitch));
        __builtin_memset(nothing, kOutsideLevel, tile.pitch);
        for (std::uint32_t row = 0; row + 1 < tile.window_rows; ++row)
            move_down(tile, parts, tile.levels + row * tile.pitch, nothing);
    }
    for (std::uint32_t r = 0; r < rows.row_count; ++r) {
        const std::uint32_t row = rows.row_begin + r;
        const std::uint8_t* leaving = row == 0 ? nothing : tile.levels + (row - 1) * tile.pitch;
        move_down(tile, parts, tile.levels + (row + tile.window_rows - 1) * tile.pitch, leaving);
        sum_row(tile, parts, row, rows.sums + r * rows.sums_pitch);
    }
}

}  // namespace tegu::kernels::TEGU_ISA
