// SPDX-License-Identifier: Apache-2.0
// ProbePlan: which sample jobs are timed on a backend of which nothing is known: some classes of every
// operation, each at growing sizes, for as long as a budget lasts. No sample takes long, so that clients'
// jobs get in between. Pure: whoever asks runs the samples.
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
    static constexpr std::uint64_t kMostElements = 4 << 20;
    static constexpr unsigned kRuns = 3;  // that are timed, after one that is not

    // All: of each class of jobs. Way: additions alone, for what is besides computing: handing over, copies.
    enum class Of { All, Way };
    ProbePlan(Backend backend, std::uint64_t budget_ns, Of of = Of::All);

    // The next sample; nothing: it is done, or the budget is spent.
    std::optional<Sample> next();
    // What the sample of next() took: the best run, or 0 if it could not be run; and all of it together.
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
