// SPDX-License-Identifier: Apache-2.0
// The revision of the kernels of an operation on a backend: kernels/<stem>/tuning.cpp has the numbers.
#pragma once

#include "base/job.h"
#include "base/tuning_row.h"

namespace tegu::tuning {

unsigned revision_of(TuningBackend backend, Operation operation);

}  // namespace tegu::tuning
