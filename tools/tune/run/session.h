// SPDX-License-Identifier: Apache-2.0
// Session: one run over its steps within a time limit. Each step gets an equal share of the time left; a step
// that needs much more is skipped. Findings are written to the journal before the next step.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "kernels/tuning/device_tuning.h"
#include "tools/tune/jobs/work.h"
#include "tools/tune/measure/class_meter.h"
#include "tools/tune/search/class_search.h"
#include "tools/tune/table/finding.h"
#include "tools/tune/table/journal.h"

namespace tegu::tune {

inline constexpr char kOutOfTime[] = "the time is over";  // why a step is left out

// The outcome of a step.
struct StepNews {
    std::string text;  // one line
    bool has_row = false;
    double speed = 1;  // default time over that of the row
};

// Progress callbacks of a run. Called on the thread of the session.
class Reporter {
  public:
    virtual ~Reporter() = default;
    virtual void note(const std::string& line) = 0;
    // `steps`: all; `done`: that the journal has already.
    virtual void begin(std::size_t steps, std::size_t done, double seconds) = 0;
    virtual void step_begins(const WorkStep& step) = 0;
    virtual void step_ends(const WorkStep& step, const StepNews& news) = 0;
    virtual void left_out(const WorkStep& step, const std::string& reason) = 0;
};

// The machine of a run. Nothing is owned; all outlive the session.
struct SessionMachine {
    kernels::ThreadPool* pool = nullptr;
    std::vector<Bench*> benches;  // one of each backend that is measured
    tuning::TuningMachine facts;
    const tuning::DeviceTuning* known = nullptr;  // tables that are in force: where the search begins
    TuningEvidence evidence;                      // date, driver, toolkit and power mode of each row
    std::function<unsigned(TuningBackend)> clock_mhz;
    std::function<std::uint64_t()> foreign_jobs;  // that tegud has run since the last call
    std::uint64_t host_bytes = 0;                 // for arrays without a present user

    Bench& bench_of(TuningBackend backend) const;  // REQUIRES: it is measured
};

struct SessionEnd {
    std::vector<Finding> findings;  // of this run and of the journal, in the order of the steps
    std::size_t steps = 0;
    std::size_t left_out = 0;        // for want of time or memory, or because the board stayed slow
    std::size_t out_of_time = 0;     // of these: the time was over
    std::vector<std::string> wrong;  // results that differ, of this run and of the journal: bugs
    bool interrupted = false;
    bool stays_slow = false;  // ended because the board is throttled all the time
    bool is_complete() const { return left_out == 0 && !interrupted && !stays_slow; }
};

class Session {
  public:
    Session(const SessionMachine& machine, Journal& journal, Pace& pace, Reporter& reporter,
            const std::atomic<bool>& interrupted);

    // Errors: DeviceLost, Io (the journal). What the journal has is good then.
    Result<SessionEnd> run(const Work& work, double seconds);
    // Results that differ, of this run and of the journal. Valid also after an error of run().
    const std::vector<std::string>& wrong() const { return wrong_; }

  private:
    using Clock = std::chrono::steady_clock;
    struct Outcome {
        std::optional<Finding> finding;
        std::string left_out;  // why there is none
    };

    Result<void> take_from_journal(const Work& work);
    double share_of(const WorkStep& step) const;
    bool is_over(const WorkStep& step) const;
    Result<Outcome> do_step(const WorkStep& step, double seconds);
    Result<void> keep_wrong(const WorkStep& step);
    Result<Outcome> within_memory(const WorkStep& step, double seconds);
    Result<Outcome> tune(const WorkStep& step, double seconds);
    Result<Outcome> measure_cost(const WorkStep& step, double seconds);
    Result<double> cost_point(const SampleJob& sample, const WorkStep& step, double seconds);
    Result<std::vector<std::unique_ptr<MeasuredJob>>> prepare(const WorkStep& step);
    TuningRow row_of(const WorkStep& step, const SearchResult& found) const;
    TuningEvidence evidence_of(TuningBackend backend) const;
    void use_found_rows();
    void leave_out(const WorkStep& step, const std::string& reason);
    kernels::StopToken stop_token() const;
    double seconds_left() const;

    const SessionMachine& machine_;
    Journal& journal_;
    Pace& pace_;
    Reporter& reporter_;
    const std::atomic<bool>& interrupted_;
    HostData data_;
    double seconds_ = 0;
    Clock::time_point end_;
    std::vector<const WorkStep*> pending_;  // the one at hand in front
    tuning::DeviceTuning found_;            // the rows of this run, for costs
    bool found_is_current_ = false;
    std::vector<std::string> found_wrong_;  // by the step at hand
    std::vector<std::string> wrong_;
    SessionEnd result_;
};

}  // namespace tegu::tune
