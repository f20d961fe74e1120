// SPDX-License-Identifier: Apache-2.0
// Paces a job: launches a piece when the previous one is done and the stop token allows it. So a stop waits
// for one piece at most.
#pragma once

#include <algorithm>

#include "kernels/execution/cuda/context.h"
#include "kernels/execution/cuda/pieces.h"
#include "kernels/operation.h"

namespace tegu::cuda {

// A part of a grid, such as rows and columns of an array, or segments and their groups.
struct Piece {
    std::uint64_t row, rows;
    std::uint64_t col, cols;
};

// The cut of a grid into pieces, row by row.
struct PieceGrid {
    std::uint64_t rows, cols;
    std::uint64_t piece_rows, piece_cols = 1;  // at least 1
};

// Rows [0, count), in pieces of at most `max`.
inline PieceGrid pieces_of(std::uint64_t count, std::uint64_t max) {
    return PieceGrid{count, 1, std::max<std::uint64_t>(1, max)};
}
// Pieces of at most max(`elements`, 64) elements: some whole rows, or a part of one row. Parts of a row begin
// at multiples of 64 columns, which are multiples of a pack.
inline PieceGrid pieces_of(std::uint64_t rows, std::uint64_t cols, std::uint64_t elements) {
    constexpr std::uint64_t kColumns = 64;
    const std::uint64_t max = std::max<std::uint64_t>(1, elements / kColumns) * kColumns;
    if (cols == 0 || cols > max) return PieceGrid{rows, cols, 1, max};
    return PieceGrid{rows, cols, std::max<std::uint64_t>(1, max / cols), cols};
}

// Calls each(piece) for the pieces of a grid, in order. Stops at the first error.
template <class Each>
Result<void> for_pieces(const PieceGrid& grid, Each each) {
    for (std::uint64_t row = 0; row < grid.rows; row += grid.piece_rows) {
        for (std::uint64_t col = 0; col < grid.cols; col += grid.piece_cols) {
            Result<void> done = each(Piece{row, std::min(grid.piece_rows, grid.rows - row), col,
                                           std::min(grid.piece_cols, grid.cols - col)});
            if (!done) return done;
        }
    }
    return {};
}

class Pace {
  public:
    // `context` and `stop` outlive it.
    Pace(const Context& context, const kernels::StopToken& stop) : context_(context), stop_(stop) {}
    Pace(const Pace&) = delete;
    Pace& operator=(const Pace&) = delete;

    // Call before each piece: waits for the previous piece. Errors: those of the stop token; DeviceLost.
    Result<void> next() {
        const bool first = !launched_;
        launched_ = true;
        return first ? poll() : wait();
    }

    // Launches the pieces of a grid. launch(piece) returns a LaunchStatus; `name` prefixes its error.
    template <class Launch>
    Result<void> launch(const PieceGrid& grid, const char* name, Launch launch_piece) {
        return for_pieces(grid, [&](const Piece& piece) -> Result<void> {
            Result<void> paced = next();
            return paced ? check_cuda(launch_piece(piece), name) : paced;
        });
    }

    // For a launch function that cuts its own pieces. Pass its status to check().
    Pieces pieces(std::uint64_t max) { return Pieces{max, &between, this}; }
    Result<void> check(LaunchStatus status, const char* name) {
        return between_ ? check_cuda(status, name) : std::move(between_);
    }

  private:
    Result<void> poll() const {
        return stop_.stop_requested() ? Result<void>(stop_.error()) : Result<void>();
    }
    Result<void> wait() const {
        Result<void> waited = context_.workspace->synchronize();
        return waited ? poll() : waited;
    }
    static LaunchStatus between(void* self) {
        Pace& pace = *static_cast<Pace*>(self);
        pace.between_ = pace.wait();
        return pace.between_ ? 0 : -1;
    }

    const Context& context_;
    const kernels::StopToken& stop_;
    bool launched_ = false;
    Result<void> between_;  // why a launch ended between two pieces
};

}  // namespace tegu::cuda
