// SPDX-License-Identifier: Apache-2.0
// split_job(): splits one very large job into smaller ones of the same operation, for several devices. Their
// results give the same bytes. Pure functions; the pieces run on any backend.
//
//   maps              rows of the map, with the image rows that their windows reach. Not if the range of the
//                     data scales the levels, because a piece does not know that range.
//   reduce of rows    rows
//   reduce of a       runs of whole chunks, each a subtree of the canonical tree. Their statistics are the
//   whole array       states from which the tree is completed. Not for l2, var and std: no reply holds
//                     their states.
#pragma once

#include <optional>
#include <vector>

#include "kernels/operation.h"

namespace tegu::split {

struct JobPiece {
    Job job;  // plan_job() takes it
    // Its element (0, 0) in the whole job's input. The row stride is that of the whole; a piece of a whole
    // array has one row.
    std::uint64_t input_row = 0;
    std::uint64_t input_col = 0;
    // Rows [skip_rows, skip_rows + output_rows) of each of its arrays are rows [output_row, output_row +
    // output_rows) of the whole's. If skip_rows is 0 and these are all its rows, it may write directly to the
    // whole's memory.
    std::uint64_t skip_rows = 0;
    std::uint64_t output_row = 0;
    std::uint64_t output_rows = 0;

    // Bytes [begin, end) of the whole's input that it reads.
    std::uint64_t input_begin(std::uint64_t row_stride) const;
    std::uint64_t input_end(std::uint64_t row_stride) const;
};

struct JobSplit {
    std::vector<JobPiece> pieces;  // two or more, in order
    // false: the outputs of the pieces are states, and their rows are not rows of the whole's arrays
    bool by_rows = true;
};

// Splits a job into at most `parts` pieces; more pieces than devices balance the load. None: the job cannot
// be split. REQUIRES: plan_job(job) succeeded; input.row_stride is valid for it.
std::optional<JobSplit> split_job(const Job& job, const kernels::InputView& input, unsigned parts);

// Joins piece outputs that are states, each laid out as its plan, into those of the whole. `outputs` is
// parallel to the whole's plan. Errors: Overflow. If a piece or this call fails, run the whole job and use
// its answer: a state may overflow where the result does not, and an error names rows of the whole. REQUIRES:
// !split.by_rows.
Result<void> join_states(const Job& job, const JobSplit& split,
                         Span<const std::vector<kernels::OutputView>> pieces,
                         Span<const kernels::OutputView> outputs);

}  // namespace tegu::split
