// SPDX-License-Identifier: Apache-2.0
// The parameters of each operation on the wire: one fixed layout each, read and written here and nowhere else. A new operation
// adds its three functions; the list in base/job.h dispatches to them.
#pragma once

#include "base/job.h"
#include "wire/bytes.h"

namespace tegu::wire {

// Bytes of the parameters of an operation, a multiple of 8; 0 for a number that is not in the list.
std::size_t params_bytes(Operation operation);

void write_params(const JobParams& params, Writer& writer);

// Reads params_bytes(operation) bytes; what is wrong is recorded in `reader`. REQUIRES: the operation is in the list.
JobParams read_params(Operation operation, Reader& reader);

}  // namespace tegu::wire
