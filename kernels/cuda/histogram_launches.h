// SPDX-License-Identifier: Apache-2.0
// How the launches of one counting job follow one another: batches of sequences, or parts of one long sequence, so that no launch holds the device for long.
#pragma once

#include <algorithm>

#include "base/result.h"
#include "kernels/cuda/histogram_count.h"

namespace tegu::cuda {

// Calls each(range) for every launch. Stops at the first error.
template <class Each>
Result<void> for_count_ranges(const CountInput& input, std::size_t element_bytes, const CountShape& shape,
                              std::uint64_t launch_bytes, Each each) {
    const std::uint64_t segments = count_segments(input, element_bytes);
    const std::uint64_t sequence_bytes = std::max<std::uint64_t>(1, input.lines * input.cols * element_bytes);
    const std::uint64_t batch =
        shape.at_once < segments ? 1 : std::max<std::uint64_t>(1, launch_bytes / sequence_bytes);
    for (std::uint64_t first = 0; first < input.sequences; first += batch) {
        std::uint64_t segment = 0;
        do {
            Result<void> done = each(CountRange{first, std::min(batch, input.sequences - first), segment});
            if (!done) return done;
            segment += shape.at_once;
        } while (segment < segments);
    }
    return {};
}

// Sequences as lines without gaps where there are none: `whole`: all rows are one sequence, else each is one.
inline CountInput count_input(const void* x, bool whole, std::uint64_t rows, std::uint64_t cols,
                              std::uint64_t row_stride) {
    if (!whole) return CountInput{x, rows, 1, cols, row_stride};
    if (rows <= 1 || row_stride == cols) return CountInput{x, 1, 1, rows * cols, rows * cols};
    return CountInput{x, 1, rows, cols, row_stride};
}

}  // namespace tegu::cuda
