// SPDX-License-Identifier: Apache-2.0
// The parameters of each operation on the wire, as base/operations/ describes them: in that order, each at a
// multiple of its width, then the elements of lists. Bytes between are zero.
#pragma once

#include "base/job.h"
#include "wire/bytes.h"

namespace tegu::wire {

// Bytes that write_params() writes, a multiple of 8. REQUIRES: lists within their limits.
std::size_t params_bytes(const JobParams& params);

void write_params(const JobParams& params, Writer& writer);

// Reads the parameters of an operation; what is wrong is recorded in `reader`. Nothing is allocated from a
// count that the bytes at hand do not bear out. REQUIRES: the operation is in the list.
JobParams read_params(Operation operation, Reader& reader);

}  // namespace tegu::wire
