// SPDX-License-Identifier: Apache-2.0
// What both backends do with the parts of a fused job.
#pragma once

#include "base/job.h"
#include "base/result.h"

namespace tegu::kernels {

// The error of a part, with its name before the message. An end of the whole job is no part's: Cancelled and
// DeadlineExceeded stay as they are.
Error error_of_part(Operation part, Error error);

}  // namespace tegu::kernels
