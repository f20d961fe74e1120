// SPDX-License-Identifier: Apache-2.0
// The fields of STATS for one operation as one table row: jobs, times and prediction accuracy.
#pragma once

#include <string>
#include <vector>

#include "client/tegu.hpp"

namespace tegu {
namespace cli {

// The operations that the fields speak of, in their order: those with a field "operation_<stem>_jobs_total".
std::vector<std::string> operation_stems(const std::vector<client::Field>& fields);

// Whether operations_table() contains this field.
bool is_of_operation(const std::string& name, const std::vector<std::string>& stems);

// A line for each operation that had jobs; empty if none had. `earlier`: fields of `seconds` before, for the
// jobs in a second; may be empty.
std::string operations_table(const std::vector<client::Field>& fields,
                             const std::vector<client::Field>& earlier, double seconds);

}  // namespace cli
}  // namespace tegu
