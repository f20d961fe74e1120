// SPDX-License-Identifier: Apache-2.0
// The search for the best policy of one class: default and known rows, successive halving over a sample of
// the grid, then steps to better neighbours. Fields without effect get their default. The result must beat
// the default clearly in two new comparisons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/tune/measure/class_meter.h"
#include "tools/tune/search/halving.h"
#include "tools/tune/search/policies.h"

namespace tegu::tune {

struct SearchOptions {
    double seconds = 2;                    // to spend, roughly
    double max_seconds = 60;               // a class that cannot be compared in that time is not searched
    std::uint64_t seed = 1;                // of the sample
    std::vector<tuning::PolicySet> known;  // policies to begin with besides the default
};

struct SearchResult {
    std::vector<TuningValue> policy;  // the fields that differ from the default; empty: the default stays
    Gain gain;                        // of `policy`, in its last comparison
    Gain best_seen;  // of the best candidate, whether it is clear or not; time_us 0: none was compared
    unsigned candidates = 0;  // that were measured, the default included
    unsigned refused = 0;     // that the device cannot run
    bool has_row() const { return !policy.empty(); }
};

// Errors: Cancelled, DeviceLost, Busy, DeadlineExceeded (it would take longer than max_seconds); and those
// of the default policy, without which there is nothing to compare; Internal: its results are wrong.
// Policies with wrong results are added to `wrong`, also if the search ends with an error:
// "block_threads=512: values: element 3 differs". Each is a bug.
Result<SearchResult> search_class(const PolicySubject& subject, ClassMeter& meter,
                                  const SearchOptions& options, const Stop& interrupted,
                                  std::vector<std::string>* wrong);

}  // namespace tegu::tune
