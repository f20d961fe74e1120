// SPDX-License-Identifier: Apache-2.0
// Runner: runs the parts within the time limit. Each part gets its share of the time left at its start. Cases
// without time are recorded as skipped, and a later run with the same file measures them.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/field/part.h"
#include "tools/field/progress.h"
#include "tools/field/recorder.h"

namespace tegu::field {

struct RunSummary {
    std::size_t measured = 0;        // by this run
    std::size_t continued = 0;       // of runs before
    std::size_t no_time = 0;         // cases left out, which a later run measures
    std::size_t skipped = 0;         // cases left out for another reason
    std::size_t throttled = 0;       // results that are marked so
    std::vector<std::string> wrong;  // cases whose result was wrong
    bool stopped = false;
    double seconds = 0;
};

class Runner {
  public:
    // `stopped`: polled often; true ends the run after the current case. All references outlive the runner.
    Runner(PartContext& context, Recorder& recorder, Progress& progress, std::function<bool()> stopped);

    // Errors: Io (the file cannot be written). What a case cannot do is no error.
    Result<RunSummary> run(const std::vector<Part>& parts);

  private:
    using Wall = std::chrono::steady_clock;
    struct Span;

    double left(Wall::time_point deadline) const;
    Result<void> run_part(const Part& part, Wall::time_point deadline);
    Result<void> run_cases(const Part& part, std::vector<Case>& cases, Wall::time_point deadline);
    Result<void> run_case(const Part& part, Case one, double allotted, Wall::time_point deadline);
    Result<void> measure_case(const Part& part, Case& one, double allotted, ResultRecord& record);
    Result<void> record_case(const Case& one, ResultRecord record, const std::vector<double>& seconds);
    // The reason why there is no time for the case; empty: there is time.
    std::string no_time_reason(const Case& one, Wall::time_point deadline) const;
    Result<void> skip(const Part& part, const Case& one, std::string reason, bool retry);
    Result<void> read_board(const Part& part, Moment moment);
    Result<void> fail_case(const Part& part, const Case& one, const Error& error);
    bool cool_down(const std::vector<std::string>& reasons);
    void show(const Part& part, std::size_t done, std::size_t cases, const std::string& last);

    PartContext& context_;
    Recorder& recorder_;
    Progress& progress_;
    const std::function<bool()> stopped_;
    const Wall::time_point began_;
    const Wall::time_point deadline_;
    Wall::time_point board_read_at_;
    double cooling_left_s_;
    std::map<std::string, double> seconds_per_work_;  // by series and backend
    bool gpu_lost_ = false;
    std::string last_;  // the result at hand, for people
    RunSummary summary_;
};

}  // namespace tegu::field
