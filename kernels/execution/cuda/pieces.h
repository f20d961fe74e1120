// SPDX-License-Identifier: Apache-2.0
// How launches that hold no device for long share a large array of rows: each takes some whole rows, or a
// part of one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/result.h"

namespace tegu::cuda {

struct Piece {
    std::uint64_t row, rows;
    std::uint64_t col, cols;
};

constexpr std::uint64_t kPieceColumns = 64;  // parts of a row begin at multiples of it, where packs do

// Calls each(piece) in the order of the elements. A piece has at most `elements`, or a row of few. Stops at
// the first error.
template <class Each>
Result<void> for_pieces(std::uint64_t rows, std::uint64_t cols, std::uint64_t elements, Each each) {
    const std::uint64_t most = std::max<std::uint64_t>(1, elements / kPieceColumns) * kPieceColumns;
    const std::uint64_t wide = std::min(cols, most);
    const std::uint64_t high = wide < cols || cols == 0 ? 1 : std::max<std::uint64_t>(1, most / cols);
    for (std::uint64_t row = 0; row < rows; row += high) {
        for (std::uint64_t col = 0; col < cols; col += wide) {
            Result<void> done = each(Piece{row, std::min(high, rows - row), col, std::min(wide, cols - col)});
            if (!done) return done;
        }
    }
    return {};
}

}  // namespace tegu::cuda
