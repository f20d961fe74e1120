// SPDX-License-Identifier: Apache-2.0
// How well times are predicted: of recent jobs, as the log2 of measured to predicted time, and of all jobs,
// by time. Pure.
#pragma once

#include <array>
#include <cstdint>

namespace tegu::daemon {

// How far predictions of late were off, each job counting the same. Once kMost jobs are in it all count half,
// so it forgets what was learnt since.
class CostAccuracy {
  public:
    static constexpr std::uint32_t kMost = 1024;

    // REQUIRES: ratio > 0.
    void add(double ratio);
    CostAccuracy& operator+=(const CostAccuracy& other);
    std::uint64_t jobs() const { return jobs_; }
    // Geometric mean of measured to predicted time; 1: none, or as often too long as too short.
    double bias() const;
    // A share of the jobs took at most this much longer than predicted, or as much shorter: 0.25 is a factor
    // of 1.25 or 0.8. Up to kTop octaves, in steps of 1/8. 0: none.
    double error(double share) const;

  private:
    static constexpr int kSteps = 8, kTop = 8;
    std::array<std::uint32_t, kSteps * kTop + 1> counts_{};
    std::uint64_t jobs_ = 0;
    double sum_log2_ = 0;
};

// Of the jobs of an operation that can tell: those that the model learns from.
struct CostRecord {
    std::uint64_t jobs = 0;
    double predicted_seconds = 0;  // as corrected at the time
    double measured_seconds = 0;
    double wrong_seconds = 0;  // the sum of |measured - predicted|
    CostAccuracy accuracy;

    void add(std::uint64_t predicted_ns, std::uint64_t measured_ns);
    // By how much of the measured time the predictions were wrong, long jobs counting for more. 0: none, or
    // all were right.
    double error() const { return measured_seconds > 0 ? wrong_seconds / measured_seconds : 0.0; }
};

}  // namespace tegu::daemon
