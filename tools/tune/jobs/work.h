// SPDX-License-Identifier: Apache-2.0
// The work of a run as a list of steps: classes to tune, then costs to measure. The most useful ones are
// first, because time may be too short for all.
#pragma once

#include <string>
#include <vector>

#include "tools/tune/jobs/classes.h"
#include "tools/tune/jobs/cost_classes.h"

namespace tegu::tune {

struct WorkStep {
    TuningBackend backend = TuningBackend::Cpu;
    std::string id;                   // of its finding
    const TuneClass* tune = nullptr;  // one of both; owned by the Work
    const CostClass* cost = nullptr;
};

struct WorkWish {
    std::vector<std::string> operations;  // stems; empty: all
    std::vector<TuningBackend> backends;
    bool tune = true, costs = true;
};

class Work {
  public:
    // `limits`: by backend, parallel to wish.backends.
    Work(const WorkWish& wish, const std::vector<ClassLimits>& limits);
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    const std::vector<WorkStep>& steps() const { return steps_; }

  private:
    std::vector<TuneClass> classes_;
    std::vector<CostClass> costs_;
    std::vector<WorkStep> steps_;
};

// "cuda/reduce-f32-n1M-s1".
std::string step_id(TuningBackend backend, const std::string& id);

}  // namespace tegu::tune
