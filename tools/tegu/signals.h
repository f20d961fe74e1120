// SPDX-License-Identifier: Apache-2.0
// Signal handling: removes a partial output file before the process ends. --timeout ends a process that is
// stuck in a call without a deadline. Handlers make only async-signal-safe calls on preallocated memory.
#pragma once

#include <string>

namespace tegu {
namespace cli {

// Installs the handlers: SIGINT, SIGTERM and SIGHUP remove the temporary file and end the process as by
// default; SIGXFSZ is ignored, so that a file size limit is an error of write(2). Call once, before anything
// else.
void install_signal_handlers();

// Creates and opens a file as mkostemp(3) does, CLOEXEC, and writes its name into `path`. A fatal signal
// removes it until it is released. At most two at a time; more, or paths of over 4 KiB, are left behind.
// Returns the descriptor, or -1 with errno.
int create_temporary_file(std::string& path);
void release_temporary_file(const std::string& path);

// After `seconds`, writes `out` to stdout and `err` to stderr and ends the process with kTemporary. 0
// disarms.
void arm_timeout(double seconds, const std::string& out, const std::string& err);

// From now on SIGINT only sets a flag, which interrupted() reads: for commands that run until they are
// stopped.
void catch_interrupt();
bool interrupted();

}  // namespace cli
}  // namespace tegu
