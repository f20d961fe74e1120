// SPDX-License-Identifier: Apache-2.0
// Searches the smallest and the largest finite element, in launches that do not hold the device for long.
#pragma once

#include "kernels/counting/cuda/levels.h"
#include "kernels/execution/cuda/pace.h"

namespace tegu::cuda {

// Merges the result into arrays.bounds. REQUIRES: several segments fit one launch. Errors: those of the pace.
inline Result<void> find_finite_bounds(ElementType type, FiniteArrays arrays, const Context& context,
                                       Pace* pace) {
    const std::size_t bytes = element_bytes(type);
    const auto search = [&](const FiniteArrays& part) {
        return launch_finite_bounds(type, part, context.limits, context.stream);
    };
    const char* const name = "range of finite elements";
    if (arrays.segments != 1)
        return pace->launch(pieces_of(1, 1), name, [&](const Piece&) { return search(arrays); });
    if (arrays.row_stride == arrays.cols) {
        arrays.cols *= arrays.lines;
        arrays.row_stride = arrays.cols;
        arrays.lines = 1;
    }
    constexpr std::uint64_t kLineElements = 512;  // a line of few elements takes as long to read as this many
    const std::uint64_t narrow = kLineElements / std::clamp<std::uint64_t>(arrays.cols, 1, kLineElements);
    const std::uint64_t elements =
        context.policies.count.launch_bytes * context.limits.multiprocessors / bytes / narrow;
    return pace->launch(pieces_of(arrays.lines, arrays.cols, elements), name, [&](const Piece& piece) {
        FiniteArrays part = arrays;
        part.x =
            static_cast<const std::byte*>(arrays.x) + (piece.row * arrays.row_stride + piece.col) * bytes;
        part.lines = piece.rows;
        part.cols = piece.cols;
        return search(part);
    });
}

}  // namespace tegu::cuda
