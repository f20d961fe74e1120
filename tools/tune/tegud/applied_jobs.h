// SPDX-License-Identifier: Apache-2.0
// One job of each operation through the daemon, compared with the CPU backend of this process. It checks that
// a new table is in use and changes no result.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/tuning_row.h"
#include "tools/tune/measure/machine.h"

namespace tegu::tune {

struct AppliedJob {
    std::string operation;
    std::string wanted_row;  // of the table; empty: it has none for the operation
    std::string row;         // that the reply names; empty: it names none
    std::string backend;     // "cpu", "gpu"
    std::string difference;  // empty: the result is right
};

// An operation with a row of the table runs a job of that row's class on its backend; others run a job of
// their own. Errors: those of the client; of a job: of the first that fails; Cancelled: interrupts() is set.
Result<std::vector<AppliedJob>> run_applied_jobs(const TuningTable& table, const std::string& socket,
                                                 Machine& machine);

// "reduce        gpu  right  row overlay/reduce-f32-n1M-s1".
std::string applied_line(const AppliedJob& job);

// The text after "row=" in the policy of a reply.
std::string row_in(const std::string& policy);

}  // namespace tegu::tune
