// SPDX-License-Identifier: Apache-2.0
// The checks of a table's row or cost before its use.
#pragma once

#include "base/result.h"
#include "base/tuning_row.h"
#include "kernels/tuning/policy_fields.h"

namespace tegu::tuning {

// Errors name the key and the allowed values: BadRequest (an unknown operation, type or variant), BadRange (a
// width that the type does not have, an empty range, another revision).
Result<void> check_class(const TuningClass& jobs, unsigned revision);

// The policies of a row: the defaults with the row's changes. Errors: those of check_class() and
// set_policy_value(). `where` becomes the position of the wrong value, if there is one.
Result<PolicySet> policies_of(const TuningRow& row, const cuda::DeviceLimits& limits, SourceLocation* where);

// Errors also: BadRange (no points, or points that do not ascend).
Result<void> check_cost(const CostRow& cost);

}  // namespace tegu::tuning
