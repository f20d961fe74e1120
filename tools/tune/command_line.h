// SPDX-License-Identifier: Apache-2.0
// The command line of tegu-tune: parses it and runs the command.
#pragma once

namespace tegu::tune {

// Returns the exit code of the process. Thread root: catches exceptions of libraries.
int run_command_line(int argc, const char* const* argv);

}  // namespace tegu::tune
