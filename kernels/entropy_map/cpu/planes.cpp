// SPDX-License-Identifier: Apache-2.0
// Method for small windows and few levels: one plane of column counts per level, vectors along the row. A
// step down updates a column's count by two comparisons; a window's count is the sum of window_cols
// neighbours. The cost grows with the levels, hardly with the content.
#include "kernels/entropy_map/cpu/entropy_map.h"
#include "kernels/entropy_map/cpu/lookup.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

// The column counts of every level: planes of tile.pitch bytes in the tile's scratch.
struct Planes {
    std::uint8_t* counts;
    std::size_t pitch;
    std::size_t width;  // padded columns, rounded up to whole vectors
};

// Adds the levels of row `entering` to the column counts and removes those of row `leaving`.
void move_down(const EntropyTile& tile, const Planes& planes, const std::uint8_t* entering,
               const std::uint8_t* leaving) {
    for (std::size_t col = 0; col < planes.width; col += kPixels) {
        const Counts in = load_counts(entering + col), out = load_counts(leaving + col);
        std::uint8_t* counts = planes.counts + col;
        for (std::uint32_t level = 0; level < tile.level_count; ++level, counts += planes.pitch)
            store_counts(counts, change(load_counts(counts), in, out, static_cast<std::uint8_t>(level)));
    }
}

// Counts of kPixels windows from those of their columns. Cols: window_cols, or 0 for any.
template <unsigned Cols>
inline Counts window_counts(const std::uint8_t* counts, unsigned window_cols) {
    Counts sum = load_counts(counts);
    for (unsigned i = 1; i < (Cols == 0 ? window_cols : Cols); ++i) sum = add(sum, load_counts(counts + i));
    return sum;
}

template <unsigned Tables, unsigned Cols>
void sum_row(const EntropyTile& tile, const Planes& planes, std::uint32_t* sums) {
    Lookup<Tables> lookup(tile.table);
    for (std::size_t col = 0; col < tile.cols; col += kPixels) {
        lookup.clear();
        const std::uint8_t* counts = planes.counts + col;
        for (std::uint32_t level = 0; level < tile.level_count; ++level, counts += planes.pitch)
            lookup.add_entries(window_counts<Cols>(counts, tile.window_cols));
        lookup.store(sums + col);
    }
}

template <unsigned Tables>
void sum_row(const EntropyTile& tile, const Planes& planes, std::uint32_t* sums) {
    switch (tile.window_cols) {
        case 3: return sum_row<Tables, 3>(tile, planes, sums);
        case 5: return sum_row<Tables, 5>(tile, planes, sums);
        case 7: return sum_row<Tables, 7>(tile, planes, sums);
        case 9: return sum_row<Tables, 9>(tile, planes, sums);
        default: return sum_row<Tables, 0>(tile, planes, sums);
    }
}

}  // namespace

void entropy_planes(const EntropyTile& tile, const EntropyRows& rows) {
    const std::size_t padded = tile.cols + tile.window_cols - 1;
    const Planes planes{reinterpret_cast<std::uint8_t*>(tile.scratch), tile.pitch,
                        (padded + kPixels - 1) / kPixels * kPixels};
    const std::uint32_t pixels = tile.window_rows * tile.window_cols;
    std::uint8_t* nothing = planes.counts + tile.level_count * tile.pitch;  // a row without levels
    if (rows.row_begin == 0) {
        __builtin_memset(planes.counts, 0, tile.level_count * tile.pitch);
        __builtin_memset(nothing, kOutsideLevel, tile.pitch);
        for (std::uint32_t row = 0; row + 1 < tile.window_rows; ++row)
            move_down(tile, planes, tile.levels + row * tile.pitch, nothing);
    }
    for (std::uint32_t r = 0; r < rows.row_count; ++r) {
        const std::uint32_t row = rows.row_begin + r;
        const std::uint8_t* leaving = row == 0 ? nothing : tile.levels + (row - 1) * tile.pitch;
        move_down(tile, planes, tile.levels + (row + tile.window_rows - 1) * tile.pitch, leaving);
        std::uint32_t* sums = rows.sums + r * rows.sums_pitch;
        if (pixels < 32)
            sum_row<1>(tile, planes, sums);
        else if (pixels < 64)
            sum_row<2>(tile, planes, sums);
        else
            sum_row<4>(tile, planes, sums);
    }
}

}  // namespace tegu::kernels::TEGU_ISA
