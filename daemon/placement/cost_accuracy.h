// SPDX-License-Identifier: Apache-2.0
// Accuracy of predicted times: of recent jobs, as log2 of measured to predicted time, and of all jobs,
// weighted by time. Pure.
#pragma once

#include <array>
#include <cstdint>

namespace tegu::daemon {

// Accuracy of recent predictions; each job has the same weight. At kMax jobs all earlier weights are halved,
// so old errors fade.
class CostAccuracy {
  public:
    static constexpr std::uint32_t kMax = 1024;

    // REQUIRES: ratio > 0.
    void add(double ratio);
    CostAccuracy& operator+=(const CostAccuracy& other);
    std::uint64_t jobs() const { return jobs_; }
    // Geometric mean of measured to predicted time; 1 without jobs.
    double bias() const;
    // The error that `share` of the jobs do not exceed: 0.25 is a factor of 1.25 or 0.8. At most kTop
    // octaves, in steps of 1/8. 0 without jobs.
    double error(double share) const;

  private:
    static constexpr int kSteps = 8, kTop = 8;
    std::array<std::uint32_t, kSteps * kTop + 1> counts_{};
    std::uint64_t jobs_ = 0;
    double sum_log2_ = 0;
};

// Accuracy for one operation, over the jobs that the model learns from.
struct CostRecord {
    std::uint64_t jobs = 0;
    double predicted_seconds = 0;  // as corrected at the time
    double measured_seconds = 0;
    double wrong_seconds = 0;  // the sum of |measured - predicted|
    CostAccuracy accuracy;

    void add(std::uint64_t predicted_ns, std::uint64_t measured_ns);
    // The sum of errors as a share of the measured time, so that long jobs count for more. 0 without jobs.
    double error() const { return measured_seconds > 0 ? wrong_seconds / measured_seconds : 0.0; }
};

}  // namespace tegu::daemon
