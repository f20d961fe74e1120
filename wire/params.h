// SPDX-License-Identifier: Apache-2.0
// The parameters of each operation on the wire, in the order of base/operations/: each at a multiple of its
// width, then the elements of lists. Padding is zero.
#pragma once

#include "base/job.h"
#include "wire/bytes.h"

namespace tegu::wire {

// Bytes that write_params() writes, a multiple of 8. REQUIRES: lists within their limits.
std::size_t params_bytes(const JobParams& params);

void write_params(const JobParams& params, Writer& writer);

// Reads the parameters of an operation; `reader` records errors. No allocation exceeds what the bytes present
// can justify, for any count. REQUIRES: the operation is in the list.
JobParams read_params(Operation operation, Reader& reader);

}  // namespace tegu::wire
