// SPDX-License-Identifier: Apache-2.0
// A job's array as segments.
#pragma once

#include "kernels/execution/cuda/segments.h"
#include "kernels/operation.h"

namespace tegu::cuda {

// The whole array as one segment, or each row.
inline Segments segments_of(const Job& job, const kernels::InputView& input) {
    const bool whole = job.axis == Axis::Whole;
    const bool gaps = whole && job.rows > 1 && input.row_stride != job.cols;
    const std::uint64_t n = kernels::segment_elements(job);
    return Segments{input.data,       whole ? 1 : job.rows, n,
                    input.row_stride, gaps ? job.cols : n,  input.row_stride};
}

}  // namespace tegu::cuda
