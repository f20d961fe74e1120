// SPDX-License-Identifier: Apache-2.0
// The rate of small GPU jobs from several client processes, and their times beside long jobs of another
// process. All jobs read resident buffers.
#pragma once

#include <string>

#include "base/result.h"

namespace tegu::bench {

// Prints one table for both. `seconds`: of each case. REQUIRES: the daemon of the socket has a GPU.
Result<void> run_gpu_load(const std::string& socket_path, double seconds);

}  // namespace tegu::bench
