// SPDX-License-Identifier: Apache-2.0
// The treatment of a fused job's parts on both backends.
#pragma once

#include "base/job.h"
#include "base/result.h"

namespace tegu::kernels {

// Whether the part shares its reads of the data with others on the CPU.
bool is_swept(const FusedPart& part);

// The error of a part, with its name before the message. Cancelled and DeadlineExceeded end the whole job and
// stay unchanged.
Error error_of_part(Operation part, Error error);

}  // namespace tegu::kernels
