// SPDX-License-Identifier: Apache-2.0
// The times that guard_tegud measures where $TEGU_TEST_SPEED is set: functions of the job alone, so that no
// other program on the machine changes where jobs go. A CPU and a device take as long as the job's plan
// says, unless the variable makes them slower: "device 20", "cpu 20", "copy 20", several, or the name of a
// file with such words, which may change while the daemon runs.
#pragma once

#include <cstdint>
#include <string>

#include "base/job.h"

namespace tegu::test {

// Whether times are virtual.
bool has_virtual_times();
// Of computing the job. `part`: "cpu" or "device".
std::uint64_t virtual_ns(const std::string& part, const Job& job);
// Of copies between the host and a device; 0 for no bytes.
std::uint64_t virtual_copy_ns(std::uint64_t bytes);
// From the message of a job to its result, besides computing and copies.
inline constexpr std::uint64_t kVirtualHandOverNs = 20000;

}  // namespace tegu::test
