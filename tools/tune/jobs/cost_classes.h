// SPDX-License-Identifier: Apache-2.0
// The classes of jobs whose time is measured over the number of elements, for placement. A class is narrow
// and measured with the first value of its detail; the growth of time with the detail is known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/tune/jobs/classes.h"

namespace tegu::tune {

struct CostClass {
    std::string id;  // "cost-reduce-f32-s2", "cost-reduce-f32-s2-1t" on one thread
    TuningClass jobs;
    unsigned threads = 0;           // of the CPU: 1, or 0 for all of the pool
    std::vector<SampleJob> points;  // elements ascending
    unsigned rank = 0;
};

// The cost classes of an operation, with the points within the limits. On the CPU each class has a variant
// with the pool and one with one thread.
std::vector<CostClass> cost_classes(TuningBackend backend, std::string_view operation,
                                    const ClassLimits& limits);

}  // namespace tegu::tune
