// SPDX-License-Identifier: Apache-2.0
// Huang's sliding window: a step right adds one pixel column to the histogram and removes one. Table
// differences update the sum of F. Four rows of windows move together, because they share all but three rows
// of each column.
//
// One 64-bit word per level holds the four counts (at most 3969 each) in 16-bit lanes. A shared pixel costs
// one load, one addition and one store for all four windows.
#include "kernels/entropy_map/cpu/entropy_map.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

constexpr std::uint64_t lanes(unsigned begin, unsigned end) {
    std::uint64_t ones = 0;
    for (unsigned lane = begin; lane < end; ++lane) ones |= std::uint64_t{1} << (16 * lane);
    return ones;
}

struct Window {
    std::uint64_t counts[256];
    std::uint32_t sums[4];
    const std::uint32_t* differences;
};

// The pixel enters the windows [Begin, End).
template <unsigned Begin, unsigned End>
inline void enter(Window& window, std::uint8_t level) {
    const std::uint64_t counts = window.counts[level];
    for (unsigned lane = Begin; lane < End; ++lane)
        window.sums[lane] += window.differences[(counts >> (16 * lane)) & 0xffff];
    window.counts[level] = counts + lanes(Begin, End);
}

template <unsigned Begin, unsigned End>
inline void leave(Window& window, std::uint8_t level) {
    const std::uint64_t counts = window.counts[level] - lanes(Begin, End);
    for (unsigned lane = Begin; lane < End; ++lane)
        window.sums[lane] -= window.differences[(counts >> (16 * lane)) & 0xffff];
    window.counts[level] = counts;
}

template <bool Entering, unsigned Begin, unsigned End>
inline void move(Window& window, std::uint8_t level) {
    if (Entering)
        enter<Begin, End>(window, level);
    else
        leave<Begin, End>(window, level);
}

// One column of pixels: rows [begin, end) of the window_rows + 3 that the four windows cover together.
template <bool Entering>
inline void move_column(Window& window, const std::uint8_t* column, std::size_t pitch, unsigned begin,
                        unsigned end, unsigned window_rows) {
    unsigned row = begin;
    const std::uint8_t* pixel = column + row * pitch;
    if (row == 0 && row < end) move<Entering, 0, 1>(window, *pixel), ++row, pixel += pitch;
    if (row == 1 && row < end) move<Entering, 0, 2>(window, *pixel), ++row, pixel += pitch;
    if (row == 2 && row < end) move<Entering, 0, 3>(window, *pixel), ++row, pixel += pitch;
    const unsigned shared_end = window_rows < end ? window_rows : end;
    for (; row < shared_end; ++row, pixel += pitch) move<Entering, 0, 4>(window, *pixel);
    if (row == window_rows && row < end) move<Entering, 1, 4>(window, *pixel), ++row, pixel += pitch;
    if (row == window_rows + 1 && row < end) move<Entering, 2, 4>(window, *pixel), ++row, pixel += pitch;
    if (row == window_rows + 2 && row < end) move<Entering, 3, 4>(window, *pixel);
}

}  // namespace

void entropy_slide(const EntropyTile& tile, const EntropyRows& rows) {
    Window window = {};
    window.differences = tile.differences;
    const unsigned covered = tile.window_rows + rows.row_count - 1;  // rows of `levels`, from row_begin
    const unsigned begin =
        tile.inside_row_begin > rows.row_begin ? tile.inside_row_begin - rows.row_begin : 0;
    const unsigned inside_end = tile.inside_row_end - rows.row_begin;
    const unsigned end = inside_end < covered ? inside_end : covered;
    const std::uint8_t* top = tile.levels + rows.row_begin * tile.pitch;

    for (std::uint32_t c = 0; c < tile.cols + tile.window_cols - 1; ++c) {
        if (c >= tile.inside_col_begin && c < tile.inside_col_end)
            move_column<true>(window, top + c, tile.pitch, begin, end, tile.window_rows);
        if (c + 1 < tile.window_cols) continue;
        const std::uint32_t out = c + 1 - tile.window_cols;
        for (unsigned lane = 0; lane < 4; ++lane) rows.sums[lane * rows.sums_pitch + out] = window.sums[lane];
        if (out >= tile.inside_col_begin && out < tile.inside_col_end)
            move_column<false>(window, top + out, tile.pitch, begin, end, tile.window_rows);
    }
}

}  // namespace tegu::kernels::TEGU_ISA
