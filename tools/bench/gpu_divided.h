// SPDX-License-Identifier: Apache-2.0
// Jobs that are divided over several GPUs, beside the same jobs on one of them.
#pragma once

#include <string>

#include "base/result.h"

namespace tegu::bench {

// Prints a table of medians of `repetitions` jobs, from private daemons: one that uses the first GPU, and one
// that uses all. With one GPU it says so instead. Errors: those of the daemons and of their clients;
// Internal: the results of a job differ.
Result<void> run_gpu_divided(const std::string& tegud, int repetitions);

}  // namespace tegu::bench
