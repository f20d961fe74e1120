// SPDX-License-Identifier: Apache-2.0
// From the parameters of tegu.h to those of a job. Lists of the caller are copied here, bounded and once;
// what a number may be is the daemon's to judge, but for what a message could not carry.
#pragma once

#include "base/job.h"
#include "base/result.h"
#include "client/tegu.h"

namespace tegu::clientlib {

bool all_zero(const void* data, std::size_t bytes);

// "A reserved byte is not zero", the same text for every struct of tegu.h.
Error reserved_error(const char* field);

// The member of `params` that belongs to `operation`. Errors: Unsupported (operation; a byte that this
// library does not know), BadRequest (a list that is not there, a part twice), BadRange (a list that is too
// long).
Result<JobParams> params_of(std::uint16_t operation, const tegu_params& params);

}  // namespace tegu::clientlib
