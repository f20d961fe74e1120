// SPDX-License-Identifier: Apache-2.0
// tegu-bench placement: evaluates the choice of a private tegud between CPU and GPU.
#pragma once

#include <string>

namespace tegu::bench {

// Its command line, from the word "placement" on; `tegud`: the daemon to start. Returns the exit code; 69
// without a usable GPU.
int placement_command(int argc, const char* const* argv, const std::string& tegud);

}  // namespace tegu::bench
