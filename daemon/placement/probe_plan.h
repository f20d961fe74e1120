// SPDX-License-Identifier: Apache-2.0
// ProbePlan: selects the sample jobs for a resource without known times: some classes of every operation, at
// growing sizes, within a time budget. Samples are short, so that clients' jobs can run in between. Pure: the
// caller runs the samples.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/placement/sample_job.h"
#include "daemon/placement/target.h"

namespace tegu::daemon {

struct ProbedSample {
    Sample sample;
    double ns = 0;
};

class ProbePlan {
  public:
    static constexpr std::uint64_t kMaxElements = 4 << 20;
    static constexpr unsigned kRuns = 3;  // timed runs, after one untimed run

    // All: samples of each class. Way: additions only, to measure handover and copies.
    enum class Of { All, Way };
    ProbePlan(CostResource resource, std::uint64_t budget_ns, Of of = Of::All);

    // The next sample; nullopt if it is done or the budget is spent.
    std::optional<Sample> next();
    // Records the sample of next(). `ns`: the best run, or 0 if it could not run. `spent_ns`: total time.
    void record(double ns, std::uint64_t spent_ns);

    const std::vector<ProbedSample>& results() const { return results_; }
    std::uint64_t spent_ns() const { return spent_ns_; }

  private:
    struct Case {
        Sample sample;
        double ns = 0;               // at the last size
        std::uint64_t elements = 0;  // that was
        bool over = false;
    };
    std::optional<Sample> at_size(const Case& of, std::uint64_t elements) const;

    const std::uint64_t budget_ns_;
    std::vector<std::uint64_t> sizes_;  // elements
    std::vector<Case> cases_;
    std::size_t size_ = 0, case_ = 0;
    std::uint64_t spent_ns_ = 0;
    std::vector<ProbedSample> results_;
};

}  // namespace tegu::daemon
