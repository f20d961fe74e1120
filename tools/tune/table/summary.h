// SPDX-License-Identifier: Apache-2.0
// Summary: the result of a run or a check over all classes: number of rows, and tuned against default time.
#pragma once

#include <string>
#include <vector>

#include "tools/tune/table/finding.h"

namespace tegu::tune {

struct GainSummary {
    std::size_t classes = 0;
    std::size_t rows = 0;
    double mean = 1;  // geometric, of default time over tuned time; classes without a row count as 1
    double mean_of_rows = 1;
    double worst = 1;      // the smallest default time over tuned time of a measured job
    std::string worst_id;  // empty: no class has a row
    double best = 1;
    std::string best_id;
};
// One speed for each class, in any order.
struct ClassSpeed {
    std::string id;
    std::string operation;
    bool has_row = false;
    double speed = 1;  // default time over tuned time
    double worst = 1;  // of its jobs
};
GainSummary summarize(const std::vector<ClassSpeed>& speeds);
std::vector<ClassSpeed> speeds_of(const std::vector<Finding>& findings);

// A few lines for people: all, then a line for each operation.
std::string summary_text(const std::vector<ClassSpeed>& speeds);

}  // namespace tegu::tune
