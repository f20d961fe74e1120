// SPDX-License-Identifier: Apache-2.0
// The search for the smallest and the largest finite element, in launches that do not hold the device for long.
#pragma once

#include <algorithm>

#include "kernels/cuda/levels.h"
#include "kernels/cuda/pace.h"

namespace tegu::cuda {

// Adds what is found to arrays.bounds. Of several sequences REQUIRES: few enough for one launch. Errors: those of the pace.
inline Result<void> find_finite_bounds(ElementType type, FiniteArrays arrays, const Context& context, Pace* pace) {
    constexpr std::uint64_t kAligned = 64;  // elements: pieces of a line begin where packs do
    const std::size_t bytes = element_bytes(type);
    const std::uint64_t elements =
        std::max<std::uint64_t>(1, context.policies.count.launch_bytes * context.limits.multiprocessors / bytes);
    if (arrays.row_stride == arrays.cols && arrays.sequences == 1) {
        arrays.cols *= arrays.lines;
        arrays.row_stride = arrays.cols;
        arrays.lines = 1;
    }
    const bool whole = arrays.sequences > 1;
    const std::uint64_t cols =
        whole ? arrays.cols : std::min(arrays.cols, (elements + kAligned - 1) / kAligned * kAligned);
    const std::uint64_t lines =
        whole || arrays.cols == 0 ? arrays.lines : std::min(arrays.lines, std::max<std::uint64_t>(1, elements / cols));
    FiniteArrays piece = arrays;
    for (std::uint64_t line = 0; line < arrays.lines; line += lines) {
        piece.lines = std::min(lines, arrays.lines - line);
        for (std::uint64_t col = 0; col < arrays.cols; col += cols) {
            piece.cols = std::min(cols, arrays.cols - col);
            piece.x = static_cast<const std::byte*>(arrays.x) + (line * arrays.row_stride + col) * bytes;
            Result<void> done = pace->next();
            if (done)
                done = check_cuda(launch_finite_bounds(type, piece, context.limits, context.stream),
                                  "range of finite elements");
            if (!done) return done;
        }
    }
    return {};
}

}  // namespace tegu::cuda
