// SPDX-License-Identifier: Apache-2.0
// tegu-bench round-trip: the overhead of a private tegud with a GPU over the time of the kernels.
#pragma once

#include <string>

namespace tegu::bench {

// Its command line, from the word "round-trip" on; `tegud`: the daemon to start. Returns the exit code; 69
// without a usable GPU.
int round_trip_command(int argc, const char* const* argv, const std::string& tegud);

}  // namespace tegu::bench
