// SPDX-License-Identifier: Apache-2.0
// Converts a tegu_request to a Job. The struct is read according to its size. Only shapes that decide the
// library's own memory accesses are checked; the daemon checks the rest.
#pragma once

#include "base/job.h"
#include "base/result.h"
#include "client/tegu.h"

namespace tegu::clientlib {

// The caller's struct in this library's version: fields that an older caller lacks have defaults. Errors:
// BadRequest (size), Unsupported (a newer caller uses a field that this library lacks).
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

// The layout of the rows of plain memory in a message. REQUIRES: job_of() succeeded.
struct Packing {
    std::uint64_t row_stride = 0;  // of the sent data, elements; 0 means dense
    std::uint64_t bytes = 0;       // of the sent data
};
// Chooses between dense rows and rows with gaps. Dense rows are cheaper to send and to read. Short rows with
// small gaps keep their gaps, because one large copy is faster than many small ones. `may_keep_stride`: false
// for inline data, which is dense. Errors: BadRange (row_stride).
Result<Packing> plan_packing(const Job& job, const tegu_operand& operand, int index, bool may_keep_stride);
// Copies the operand's elements to `out`, packing.bytes of it.
void pack(const Job& job, const tegu_operand& operand, const Packing& packing, std::byte* out);

}  // namespace tegu::clientlib
