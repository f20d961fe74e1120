// SPDX-License-Identifier: Apache-2.0
// The treatment of a fused job's parts on both backends.
#pragma once

#include "base/job.h"
#include "base/result.h"

namespace tegu::kernels {

// The error of a part, with its name before the message. Cancelled and DeadlineExceeded end the whole job and
// stay unchanged.
Error error_of_part(Operation part, Error error);

}  // namespace tegu::kernels
