// SPDX-License-Identifier: Apache-2.0
// Times the first result of a new process: the hidden command `tegu-bench first-result`, and the code that
// starts and times it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace tegu::field {

inline constexpr std::uint64_t kFirstResultElements = 1024;  // f32; each is 0.5

struct FirstResultTimes {
    double whole_s = 0;    // from before the start of the process until its result was known here
    double context_s = 0;  // of it, for finding GPUs and making a context; 0 without a GPU
};

// Starts `program first-result HOW...` and waits for it. `how`: "cpu", "gpu", or "daemon-cpu" or "daemon-gpu"
// and a socket. Errors: Io; Unavailable (it failed, with its words); Internal (its result is wrong).
Result<FirstResultTimes> start_first_result(const std::string& program, const std::vector<std::string>& how);

// The command itself; argv[0] is "first-result". Prints one line for the other side.
int first_result_command(int argc, const char* const* argv);

}  // namespace tegu::field
