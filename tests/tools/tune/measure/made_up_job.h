// SPDX-License-Identifier: Apache-2.0
// Jobs whose times are made up: a function of the policy, with noise from a fixed seed. They take no time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "tools/tune/measure/class_meter.h"

namespace tegu::tune {

struct MadeUp {
    std::function<double(const tuning::PolicySet&)> us = [](const tuning::PolicySet&) { return 1000.0; };
    std::function<bool(const tuning::PolicySet&)> is_wrong = [](const tuning::PolicySet&) { return false; };
    std::function<bool(const tuning::PolicySet&)> is_refused = [](const tuning::PolicySet&) { return false; };
    double noise = 0;   // times vary by up to this share, either way
    unsigned runs = 0;  // of all jobs
    unsigned checks = 0;
    double factor = 1;  // on all times: a board that is slowed down
    std::function<void()> before_run = [] {};
};

// `made_up` outlives it.
class MadeUpJob final : public MeasuredJob {
  public:
    explicit MadeUpJob(MadeUp& made_up) : made_up_(made_up) {}
    Result<RunTime> run(const tuning::PolicySet& policies, const kernels::StopToken& stop) override;
    Result<std::string> check(const tuning::PolicySet& policies, const kernels::StopToken& stop) override;

  private:
    MadeUp& made_up_;
    Random random_{1};
};

std::vector<std::unique_ptr<MeasuredJob>> made_up_jobs(MadeUp& made_up, std::size_t count);

// Says what the test wants.
class MadeUpPace final : public Pace {
  public:
    std::string slowed_by() override { return slow ? slow() : ""; }
    bool recover(const std::string& why) override {
        waits.push_back(why);
        return recovers;
    }
    std::function<std::string()> slow;
    bool recovers = true;
    std::vector<std::string> waits;
};

}  // namespace tegu::tune
