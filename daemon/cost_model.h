// SPDX-License-Identifier: Apache-2.0
// CostModel: how long a job will take here. A plan predicts the time on one thread of the machine that its operation was measured on; the
// daemon learns, for each operation and for each place where jobs run, by how much that is wrong on this machine: by its speed, and on
// the executor by what several threads gain. Admission, the inline budget, the scheduler and the hints of BUSY use the
// corrected time alone. Pure: no clock, no locks. Io thread only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/job.h"

namespace tegu::daemon {

enum class Place : std::uint8_t {
    Inline = 0,    // on the io thread: one thread
    Executor = 1,  // on the pool, with as many of its threads as the operation takes
};
inline constexpr std::size_t kPlaces = 2;

// How well the times were predicted of those jobs that were computed to their end.
struct CostRecord {
    std::uint64_t jobs = 0;
    double predicted_seconds = 0;  // as corrected at the time
    double measured_seconds = 0;   // of computing, without waiting
    double error_sum = 0;          // of |measured / predicted - 1|, each at most CostModel::kMaxError

    // Mean relative error of a prediction: mean of |measured / predicted - 1| over the jobs. 0: none, or all were right.
    double error() const { return jobs == 0 ? 0.0 : error_sum / static_cast<double>(jobs); }
};

class CostModel {
  public:
    // A correction stays within these; one job moves it by no more than kMaxStep says.
    static constexpr double kLeast = 1.0 / 256;
    static constexpr double kMost = 256;
    static constexpr double kMaxStep =
        4;  // a measured time counts as at most 4 times, at least 1/4 of the predicted one
    static constexpr double kWeight = 0.125;  // of the newest job; of the first ones more
    static constexpr double kMaxError = 1000;

    // `threads`: of the pool. Until it is known better, all of them are believed to share a job evenly.
    // REQUIRES: threads >= 1.
    explicit CostModel(unsigned threads);

    // Wall time of a job that a plan predicts to take `plan_ns` on one thread. Never 0; huge plans saturate.
    std::uint64_t predict_ns(Operation operation, Place place, std::uint64_t plan_ns) const;

    // A job was computed to its end. `predicted_ns`: what predict_ns() said when it was admitted. `threads`: that it ran on, 0 if that is not known.
    // A job of the executor that ran on one thread teaches what an inline one would take; and an inline job takes at
    // most as long as all threads of the pool together.
    void learn(Operation operation, Place place, unsigned threads, std::uint64_t plan_ns, std::uint64_t predicted_ns,
               std::uint64_t measured_ns);

    // An inline job was given up after `spent_ns`, for it takes longer than that: it is counted when the executor has computed it.
    void learn_overrun(Operation operation, std::uint64_t plan_ns, std::uint64_t spent_ns);

    // Measured to planned time, as learnt.
    double correction(Operation operation, Place place) const;
    const CostRecord& record(Operation operation) const { return records_[index_of(operation)]; }

  private:
    struct Correction {
        double factor = 1;
        std::uint64_t samples = 0;
        void move_to(double ratio);
    };
    static constexpr std::size_t kSlots = 1  // by number; 0 stays empty
#define TEGU_X(number, Name, stem, inputs, sentence) +1
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
        ;
    static std::size_t index_of(Operation operation) {
        return static_cast<std::size_t>(operation);
    }
    Correction& at(Operation operation, Place place) {
        return corrections_[index_of(operation)][static_cast<std::size_t>(place)];
    }

    unsigned threads_;
    std::array<std::array<Correction, kPlaces>, kSlots> corrections_;
    std::array<CostRecord, kSlots> records_;
};

// The threads that a policy names ("cpu avx2 threads=2 tile=1024"); 0 if it names none.
unsigned threads_of_policy(std::string_view policy);

}  // namespace tegu::daemon
