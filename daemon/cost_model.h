// SPDX-License-Identifier: Apache-2.0
// CostModel: how long a job will take here. A plan predicts the time on one thread of the machine that its operation was measured on; the
// daemon learns, for each operation and for each place where jobs run, by how much that is wrong on this machine: by its speed, and on
// the executor by what several threads gain. Jobs teach in proportion to their planned time, so many small ones do not outweigh the
// large ones whose waiting depends on it, and not at all where the fixed cost of any job or of fresh pages would be what is learnt.
// Admission, the inline budget, the scheduler and the hints of BUSY use the corrected time alone. Pure: no clock, no locks. Io thread only.
#pragma once

#include <array>
#include <cstdint>

#include "base/job.h"

namespace tegu::daemon {

enum class Place : std::uint8_t {
    Inline = 0,    // on the io thread, or in the express lane: one thread
    Executor = 1,  // on the pool, with as many of its threads as the operation takes
    Gpu = 2,       // with the copies to and from it
};
inline constexpr std::size_t kPlaces = 3;

// A job that was computed to its end.
struct MeasuredJob {
    Operation operation = Operation::Reduce;
    Place place = Place::Inline;
    unsigned threads = 1;            // that it was divided among
    std::uint64_t plan_ns = 0;       // what the plan predicts for one thread
    std::uint64_t predicted_ns = 0;  // what predict_ns() said when it was admitted
    std::uint64_t measured_ns = 0;   // of computing, without waiting
    bool cold = false;               // it read or wrote pages that were mapped for it first
};

// How far predictions of late were off, as the log2 of measured to predicted time: what a mean over time cannot say, as few long jobs
// decide it. Once kMost jobs are in it all count half, so it forgets what was learnt since.
class CostAccuracy {
  public:
    static constexpr std::uint32_t kMost = 1024;

    // REQUIRES: ratio > 0.
    void add(double ratio);
    CostAccuracy& operator+=(const CostAccuracy& other);
    std::uint64_t jobs() const { return jobs_; }
    // Geometric mean of measured to predicted time; 1: none, or as often too long as too short.
    double bias() const;
    // A share of the jobs took at most this much longer than predicted, or as much shorter: 0.25 is a factor of 1.25 or 0.8. Up to
    // kTop octaves, in steps of 1/8. 0: none.
    double error(double share) const;

  private:
    static constexpr int kSteps = 8, kTop = 8;
    std::array<std::uint32_t, kSteps * kTop + 1> counts_{};
    std::uint64_t jobs_ = 0;
    double sum_log2_ = 0;
};

// How well the times were predicted of the jobs that can tell: those that the model learns from.
struct CostRecord {
    std::uint64_t jobs = 0;
    double predicted_seconds = 0;  // as corrected at the time
    double measured_seconds = 0;
    double wrong_seconds = 0;  // the sum of |measured - predicted|
    CostAccuracy accuracy;

    // By how much of the measured time the predictions were wrong, long jobs counting for more. 0: none, or all were right.
    double error() const { return measured_seconds > 0 ? wrong_seconds / measured_seconds : 0.0; }
};

class CostModel {
  public:
    // A correction stays within these.
    static constexpr double kLeast = 1.0 / 256;
    static constexpr double kMost = 256;
    // A measured time counts as at most 4 times, at least 1/4 of the predicted one.
    static constexpr double kMaxStep = 4;
    // The weight of the newest job, if it is a long one, and the most of the first ones. A plan of less than kLongNs weighs less, in proportion.
    static constexpr double kWeight = 0.125;
    static constexpr double kFirstWeight = 0.5;
    static constexpr double kLongNs = 1e6;
    // The planned time that the start, a correction of 1, counts as.
    static constexpr double kStartNs = 1e5;
    // Planned or predicted: below it the fixed cost of a job is most of its time.
    static constexpr std::uint64_t kLeastNs = 5000;

    // `threads`: of the pool. Until it is known better, all of them are believed to share a job evenly, and a GPU to be no faster.
    // REQUIRES: threads >= 1.
    explicit CostModel(unsigned threads);

    // Wall time of a job that a plan predicts to take `plan_ns` on one thread. Never 0; huge plans saturate.
    std::uint64_t predict_ns(Operation operation, Place place, std::uint64_t plan_ns) const;

    // A job of the CPU's executor that ran on one thread teaches what an inline one would take; and an inline job takes at
    // most as long as all threads of a divided one together. Cold jobs, and those expected to take less than kLeastNs, teach nothing.
    void learn(const MeasuredJob& job);

    // An inline job was given up after `spent_ns`, for it takes longer than that, whatever its plan said.
    void learn_overrun(Operation operation, std::uint64_t plan_ns, std::uint64_t spent_ns);

    // Measured to planned time, as learnt.
    double correction(Operation operation, Place place) const;
    const CostRecord& record(Operation operation) const { return records_[index_of(operation)]; }

  private:
    struct Correction {
        double factor = 1;
        double seen_ns = kStartNs;  // planned time that it was learnt from
        void move_to(double ratio, double plan_ns);
    };
    static std::size_t index_of(Operation operation) { return static_cast<std::size_t>(operation); }
    Correction& at(Operation operation, Place place) {
        return corrections_[index_of(operation)][static_cast<std::size_t>(place)];
    }

    std::array<std::array<Correction, kPlaces>, kOperationSlots> corrections_;
    std::array<CostRecord, kOperationSlots> records_;
};

}  // namespace tegu::daemon
