// SPDX-License-Identifier: Apache-2.0
// From tegu_request to what goes on the wire. The struct is read with respect to its size, and parameters
// become a Job. Shapes are checked as far as the library itself touches memory by them. The daemon judges the
// rest.
#pragma once

#include "base/job.h"
#include "base/result.h"
#include "client/tegu.h"

namespace tegu::clientlib {

// The caller's struct as this library knows it: what an older caller's lacks has its default. Errors:
// BadRequest (size), Unsupported (a newer caller uses what this library does not know).
Result<tegu_request> read_request(const tegu_request& request);
Result<tegu_options> read_options(const tegu_options& options);

// The job of a request that read_request() gave. Errors: Unsupported (operation, type), BadRange (rows,
// cols).
Result<Job> job_of(const tegu_request& request);

// Bytes of one dense input; job_of() has proved that they fit 63 bits.
std::uint64_t input_bytes(const Job& job);

// An upper bound of the bytes of the result, each array at a multiple of 64; UINT64_MAX if there is no bound
// that fits.
std::uint64_t result_bytes_bound(const Job& job);

// How the rows of plain memory travel. REQUIRES: job_of() succeeded.
struct Packing {
    std::uint64_t row_stride = 0;  // of what is sent, elements; 0 means dense
    std::uint64_t bytes = 0;       // that are sent
};
// Dense rows are cheaper to read for the daemon and to send. Only short rows with small gaps are copied with
// their gaps, because there one large copy beats many small ones. `may_keep_stride`: false for data that
// travels in a message, which is dense.
// Errors: BadRange (row_stride).
Result<Packing> plan_packing(const Job& job, const tegu_operand& operand, int index, bool may_keep_stride);
// Copies the operand's elements to `out`, packing.bytes of it.
void pack(const Job& job, const tegu_operand& operand, const Packing& packing, std::byte* out);

}  // namespace tegu::clientlib
