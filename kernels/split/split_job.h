// SPDX-License-Identifier: Apache-2.0
// split_job(): one very large job as smaller ones of the same operation, for several devices, whose results
// make the same bytes.
//   maps             rows of the map, with the rows of the image that their windows reach. Not where the
//                    levels are scaled by the range of the data, which no piece knows
//   reduce of rows   rows
//   reduce of a      runs of whole chunks, each a subtree of the canonical tree: their statistics, taken as
//                    states, close the tree. Not for l2, var and
//   whole array      std, whose states no reply holds
// Pure functions; the pieces run on any backend.
#pragma once

#include <optional>
#include <vector>

#include "kernels/operation.h"

namespace tegu::device {

struct JobPiece {
    Job job;  // plan_job() takes it
    // Of the whole's input: its element (0, 0). The row stride is the whole's; but a piece of a whole array
    // has one row.
    std::uint64_t input_row = 0;
    std::uint64_t input_col = 0;
    // Rows [skip_rows, skip_rows + output_rows) of each of its arrays are rows [output_row, output_row +
    // output_rows) of the whole's. Where skip_rows is 0 and these are all, it can be given the whole's memory
    // for its output.
    std::uint64_t skip_rows = 0;
    std::uint64_t output_row = 0;
    std::uint64_t output_rows = 0;

    // Bytes [begin, end) of the whole's input, counted from its first, that it reads.
    std::uint64_t input_begin(std::uint64_t row_stride) const;
    std::uint64_t input_end(std::uint64_t row_stride) const;
};

struct JobSplit {
    std::vector<JobPiece> pieces;  // two or more, in order
    // else the outputs of the pieces are states; their rows have no place in the whole's arrays
    bool by_rows = true;
};

// Up to `parts` pieces; more than there are devices even out what they get. None: the job is not to be split.
// REQUIRES: plan_job(job) succeeded; input.row_stride is valid for it.
std::optional<JobSplit> split_job(const Job& job, const kernels::InputView& input, unsigned parts);

// From the outputs of pieces that are states, each as its plan has them, to those of the whole. `outputs` is
// parallel to the whole's plan.
// Errors: Overflow. Where a piece fails, or this, the job itself is to be run whole: what it answers is then
//         the truth, as a state may
// overflow where the result does not, and an error names rows of the whole. REQUIRES: !split.by_rows.
Result<void> join_states(const Job& job, const JobSplit& split,
                         Span<const std::vector<kernels::OutputView>> pieces,
                         Span<const kernels::OutputView> outputs);

}  // namespace tegu::device
