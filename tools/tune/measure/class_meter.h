// SPDX-License-Identifier: Apache-2.0
// ClassMeter: times and checks policies on the jobs of one class. A measurement with a slowed board is
// discarded and repeated.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tools/tune/measure/bench.h"
#include "tools/tune/measure/gain.h"

namespace tegu::tune {

// Whether the board runs at full speed. BoardPace (board_pace.h) is the one of this machine.
class Pace {
  public:
    virtual ~Pace() = default;
    // The throttle reasons since the last call; empty: none.
    virtual std::string slowed_by() = 0;
    // Waits until the board is at full speed. Returns false if it gave up or was interrupted.
    virtual bool recover(const std::string& why) = 0;
};

// [job][sample], in microseconds.
using Samples = std::vector<std::vector<double>>;

class ClassMeter {
  public:
    // `pace` and `interrupted` outlive it. REQUIRES: a job.
    ClassMeter(std::vector<std::unique_ptr<MeasuredJob>> jobs, Pace& pace,
               const std::atomic<bool>& interrupted);

    std::size_t jobs() const { return jobs_.size(); }
    // Runs each job once and compares the results. What differs, or why a run failed; empty: all is right.
    // Errors: Cancelled, DeviceLost: the whole run ends.
    struct Checked {
        std::string wrong;       // a result that is not the reference's: a bug
        std::string cannot_run;  // the device refused the policy, or has no memory for it
        bool ok() const { return wrong.empty() && cannot_run.empty(); }
    };
    Result<Checked> check(const tuning::PolicySet& policies);

    // Finds the number of runs in a sample, so that its time is well above the clock's resolution. Before
    // sample(). Errors: as sample().
    Result<void> calibrate(const tuning::PolicySet& policies);
    // Appends `count` samples of each job. Errors: Cancelled, DeviceLost, Busy (the board stays slow); others
    // concern this policy alone.
    Result<void> sample(const tuning::PolicySet& policies, unsigned count, Samples* samples);
    // Takes samples of both in turn, so that a drift affects both. Errors: as sample().
    Result<std::vector<Duel>> duel(const tuning::PolicySet& tuned, const tuning::PolicySet& initial,
                                   unsigned pairs);
    // Seconds of one sample of each job. After calibrate().
    double sample_seconds() const { return sample_seconds_; }
    // Seconds of the last check().
    double check_seconds() const { return check_seconds_; }

  private:
    Result<double> one_sample(std::size_t job, const tuning::PolicySet& policies);
    kernels::StopToken stop_token(std::size_t job) const;
    // Calls `measure` again while the board was slow meanwhile. Errors: those of `measure`; Busy.
    template <class Measure>
    Result<void> at_full_speed(Measure measure);

    std::vector<std::unique_ptr<MeasuredJob>> jobs_;
    Pace& pace_;
    const std::atomic<bool>& interrupted_;
    std::vector<unsigned> runs_;    // of a sample, of each job
    std::vector<double> limit_us_;  // of one run
    double sample_seconds_ = 0, check_seconds_ = 0;
};

// Whether an error ends more than the measurement of one policy.
bool ends_class(const Error& error);

}  // namespace tegu::tune
