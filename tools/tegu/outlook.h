// SPDX-License-Identifier: Apache-2.0
// What may be said of a job that runs: the daemon predicts the time of jobs, and does not report how far one
// is. So a share is an estimate, and says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/tegu.hpp"

namespace tegu {
namespace cli {

struct Outlook {
    double expected_seconds = 0;  // of all jobs that the daemon has
    bool alone = false;           // the only one of them is ours
};

// From the fields of STATS; empty if they do not have it.
std::optional<Outlook> outlook_of(const std::vector<client::Field>& fields);

// "computing 3.2 s: about 62 % of the expected 5.1 s, 1.9 s left", or what is known.
std::string waiting_text(double seconds, const std::optional<Outlook>& outlook);

}  // namespace cli
}  // namespace tegu
