// SPDX-License-Identifier: Apache-2.0
// TableCheck: compares the policies of a table with the default on jobs of every class, without a search. It
// measures the tuner's jobs, and one job of each class between two of them, which the tuner has not measured.
#pragma once

#include <atomic>

#include "tools/tune/run/session.h"
#include "tools/tune/table/summary.h"

namespace tegu::tune {

// The job in the middle of two of a class, on logarithmic scales; no value: it is none of the class.
std::optional<SampleJob> between(const TuneClass& one, const SampleJob& a, const SampleJob& b);

struct CheckEnd {
    std::vector<ClassSpeed> speeds;  // in the order of the steps
    std::vector<std::string> wrong;  // results that differ: bugs
    std::size_t left_out = 0;        // classes, for want of time or memory
    bool interrupted = false;
};

class TableCheck {
  public:
    // All arguments outlive it.
    TableCheck(const SessionMachine& machine, const tuning::DeviceTuning& table, Pace& pace,
               Reporter& reporter, const std::atomic<bool>& interrupted);
    // REQUIRES: steps of classes alone. Errors: DeviceLost, Busy (the board stays slow).
    Result<CheckEnd> run(const Work& work, double seconds);
    // Results that differ. Valid also after an error of run().
    const std::vector<std::string>& wrong() const { return result_.wrong; }

  private:
    Result<ClassSpeed> check_class(const WorkStep& step, double seconds);
    Result<std::optional<Duel>> check_job(const WorkStep& step, const SampleJob& sample, double seconds);
    tuning::PolicySet policies_of(const WorkStep& step, const SampleJob& sample) const;

    const SessionMachine& machine_;
    const tuning::DeviceTuning& table_;
    Pace& pace_;
    Reporter& reporter_;
    const std::atomic<bool>& interrupted_;
    HostData data_;
    CheckEnd result_;
};

}  // namespace tegu::tune
