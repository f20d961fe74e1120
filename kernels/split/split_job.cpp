// SPDX-License-Identifier: Apache-2.0
#include "kernels/split/split_job.h"

#include <algorithm>
#include <cassert>

#include "kernels/numerics/chunk.h"
#include "kernels/split/reduce_join.h"

namespace tegu::split {
namespace {

// The borders of `parts` almost equal pieces of `count`.
std::uint64_t border(std::uint64_t count, std::uint64_t parts, std::uint64_t part) {
    return count / parts * part + std::min(part, count % parts);
}

std::optional<JobSplit> split_rows(const Job& job, std::uint64_t parts, std::uint64_t halo) {
    parts = std::min(parts, job.rows);
    if (parts < 2) return std::nullopt;
    JobSplit split;
    for (std::uint64_t part = 0; part < parts; ++part) {
        const std::uint64_t begin = border(job.rows, parts, part);
        const std::uint64_t end = border(job.rows, parts, part + 1);
        JobPiece piece;
        piece.job = job;
        piece.input_row = begin - std::min(begin, halo);
        piece.job.rows = std::min(job.rows - end, halo) + end - piece.input_row;
        piece.skip_rows = begin - piece.input_row;
        piece.output_row = begin;
        piece.output_rows = end - begin;
        split.pieces.push_back(std::move(piece));
    }
    return split;
}

// Each piece is the same power of two of chunks; the last may be shorter.
std::optional<JobSplit> split_whole(const Job& job, unsigned parts) {
    const std::uint64_t n = job.rows * job.cols;
    std::optional<ReduceParams> states = states_of(*std::get_if<ReduceParams>(&job.params), job.type);
    if (!states || parts < 2) return std::nullopt;
    std::uint64_t elements = kernels::kChunkElements;
    while ((n - 1) / elements + 1 > parts) elements *= 2;
    if (n <= elements) return std::nullopt;
    JobSplit split;
    split.by_rows = false;
    for (std::uint64_t begin = 0; begin < n; begin += elements) {
        JobPiece piece;
        piece.job = job;
        piece.job.params = *states;
        piece.job.rows = 1;
        piece.job.cols = std::min(elements, n - begin);
        piece.input_row = begin / job.cols;
        piece.input_col = begin % job.cols;
        split.pieces.push_back(std::move(piece));
    }
    return split;
}

}  // namespace

std::uint64_t JobPiece::input_begin(std::uint64_t row_stride) const {
    return (input_row * row_stride + input_col) * element_bytes(job.type);
}

std::uint64_t JobPiece::input_end(std::uint64_t row_stride) const {
    return input_begin(row_stride) + ((job.rows - 1) * row_stride + job.cols) * element_bytes(job.type);
}

std::optional<JobSplit> split_job(const Job& job, const kernels::InputView& input, unsigned parts) {
    if (job.rows == 0 || job.cols == 0 || is_partial(job)) return std::nullopt;
    if (const std::optional<std::uint64_t> halo = halo_rows(job)) return split_rows(job, parts, *halo);
    if (operation_of(job) != Operation::Reduce) return std::nullopt;
    if (job.axis == Axis::Rows && job.rows > 1) return split_rows(job, parts, 0);
    // A piece would contain the gaps between rows.
    if (job.rows > 1 && input.row_stride != job.cols) return std::nullopt;
    return split_whole(job, parts);
}

Result<void> join_states(const Job& job, const JobSplit& split,
                         Span<const std::vector<kernels::OutputView>> pieces,
                         Span<const kernels::OutputView> outputs) {
    assert(!split.by_rows && pieces.size() == split.pieces.size());
    std::vector<StateOutputs> states;
    for (std::size_t i = 0; i < pieces.size(); ++i) states.push_back({split.pieces[i].job.cols, pieces[i]});
    return join_states(job, states, outputs);
}

}  // namespace tegu::split
