// SPDX-License-Identifier: Apache-2.0
// Finding: the result of one step of a run, for a class or a cost, and its text in the journal.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/tuning_row.h"

namespace tegu::tune {

struct Finding {
    std::string id;               // "cuda/reduce-f32-n1M-s1", "cpu/cost-reduce-f32-s2"
    unsigned revision = 0;        // of the kernels that were measured; 0: the record does not say
    unsigned candidates = 0;      // policies that were measured; 0: a cost
    unsigned refused = 0;         // that the device could not run
    double best_speed = 1;        // default time over that of the best candidate, clear of the noise or not
    double worst = 1;             // of the row: the smallest default time over tuned time of a job
    std::vector<TuningRow> rows;  // none or one
    std::vector<CostRow> costs;   // likewise

    bool is_cost() const { return candidates == 0; }
    // Default time over the time with the policy that the class gets from now on.
    double speed() const;
};

// "cuda/reduce-f32-n1M-s1: -12.3 % with block_threads=512 (34.2 us, default 38.9 us, noise 0.4 %, 31
// policies)".
std::string finding_line(const Finding& finding);

// The text does not name the device, which stands in the header of a journal.
std::string finding_text(const Finding& finding);
// Errors: BadRequest. `id`: of the record.
Result<Finding> parse_finding(const std::string& id, const std::string& text);

}  // namespace tegu::tune
