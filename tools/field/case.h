// SPDX-License-Identifier: Apache-2.0
// Case: one measured operation; it defines a single run. A part (part.h) declares its cases; the runner
// selects those that fit the time and checks each result once. It repeats the run until the median is stable,
// again after cooling if the board was throttled.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/result.h"
#include "tools/field/record.h"

namespace tegu::field {

enum class Clock {
    Wall,    // run() returns when the work is complete; its time is that of the call
    Stream,  // run() puts launches on the stream of the GpuLab; events around them give the time
};

// Functions fail with an Error. OutOfMemory, Unsupported and Unavailable leave the case out, with the message
// as the reason; Internal means a wrong result, which is reported and makes the whole run fail; DeviceLost
// ends all cases of the GPU. The thread of the GPU calls them in the order of declaration. They share data
// through their captures: the runner destroys a case as soon as it is done with it.
struct Case {
    // The description of the record. `name` is unique within part and backend, and the same on every board.
    // So it contains nothing that depends on the board.
    std::string name;  // "reduce f32 1e7 sum"
    std::string operation;
    std::string backend;
    std::string method;
    Axes axes;
    std::optional<std::uint64_t> bytes;
    std::optional<double> flops;
    KernelFacts kernel;
    std::string note;

    // When it is measured, and whether there is time for it. Cases of priority 0 come first, as a short run
    // measures little else; then those of 1, then 2.
    int priority = 1;
    // Cases of one series and backend cost about the same for each unit of `work`: the runner leaves out a
    // case that would take longer than is left, judged by its series so far. Empty: no prediction.
    std::string series;
    double work = 0;
    bool energy = false;  // run at least half a second to measure energy, if the board reports it

    Clock clock = Clock::Wall;
    // Makes inputs; may fill in `method`, `kernel`, `bytes` and `note` of this case. Optional.
    std::function<Result<void>(Case&)> prepare;
    // Runs once and compares the result with a reference, bit for bit. Errors: Internal (it differs, with the
    // first place that does). Optional: without it the record is marked as unchecked.
    std::function<Result<void>()> check;
    // Before each run, not timed: gives memory back to the host, frees memory for the run. Optional.
    std::function<Result<void>(std::size_t turn)> before;
    // The timed function. `turn` counts up, so that inputs can alternate and none is in a cache.
    std::function<Result<void>(std::size_t turn)> run;

    // After the last run: sets fields known only after a run, such as `method`. Optional.
    std::function<void(Case&)> finish;

    // Replaces run() if the case is no repeated call. Measures for about `seconds` and returns the seconds of
    // each run, at least one.
    std::function<Result<std::vector<double>>(double seconds)> sample;
    // Makes a record for each of them, "NAME p99", in place of one of the median. For sample() alone.
    std::vector<unsigned> percentiles;
};

// The cases that a part declares, in any order.
class CaseList {
  public:
    void add(Case one) { cases_.push_back(std::move(one)); }
    // Adds a case that cannot run here, with the reason.
    void skip(std::string name, std::string backend, std::string reason) {
        skipped_.push_back({{}, std::move(name), std::move(backend), std::move(reason), false});
    }
    std::vector<Case>& cases() { return cases_; }
    std::vector<SkippedRecord>& skipped() { return skipped_; }

  private:
    std::vector<Case> cases_;
    std::vector<SkippedRecord> skipped_;
};

}  // namespace tegu::field
