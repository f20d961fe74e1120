// SPDX-License-Identifier: Apache-2.0
// Converts the parameters of tegu.h to those of a job. Lists of the caller are bounded and copied once. The
// daemon validates values; this library rejects only what a message cannot carry.
#pragma once

#include "base/job.h"
#include "base/result.h"
#include "client/tegu.h"

namespace tegu::clientlib {

bool all_zero(const void* data, std::size_t bytes);

// "A reserved byte is not zero", the same text for every struct of tegu.h.
Error reserved_error(const char* field);

// The member of `params` that belongs to `operation`. Errors: Unsupported (operation; a byte that this
// library does not support), BadRequest (a null list, a repeated part), BadRange (a list that is too long).
Result<JobParams> params_of(std::uint16_t operation, const tegu_params& params);

}  // namespace tegu::clientlib
