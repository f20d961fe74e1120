// SPDX-License-Identifier: Apache-2.0
// Minimum and maximum of a segment, by the chunk kernels of reduce.
#pragma once

#include "kernels/execution/cpu/sweep.h"
#include "kernels/statistics/extrema.h"

namespace tegu::kernels {

// Errors: Cancelled, DeadlineExceeded, OutOfMemory.
Result<Extrema> find_extrema(ElementType type, const Segment& segment, const WorkerGroup& workers);

// Maximum bytes that find_extrema() allocates.
std::uint64_t extrema_scratch_bytes(ElementType type, std::uint64_t n);

}  // namespace tegu::kernels
