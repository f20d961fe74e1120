// SPDX-License-Identifier: Apache-2.0
// The entropies of one job, segment by segment, for entropy and fused: from the counts of a ValueCounter, or
// level by level. Levels of a range that the data gives need a pass over the data first.
#pragma once

#include <optional>

#include "base/job.h"
#include "kernels/counting/cpu/level_counter.h"
#include "kernels/counting/cpu/value_counter.h"

namespace tegu::kernels {

class EntropyRun {
  public:
    // `output`: may be null for a plan.
    EntropyRun(const Job& job, const EntropyParams& params, const OutputView* output);

    bool by_values() const { return by_values_; }
    bool has_range_pass() const { return !by_values_ && !params_.has_range && is_float(job_.type); }
    std::uint64_t element_ps() const;  // on one thread, without the counting of values
    std::uint64_t segment_ns() const;
    std::size_t worker_bytes() const;  // without a ValueCounter's
    // `memory`: workers * worker_bytes(), 64-byte aligned, not owned.
    void attach(std::byte* memory, unsigned workers);

    // Level by level: begin(), take() for every piece of the row, finish(). Errors: BadRange "range".
    Result<void> begin(const WorkerGroup& group, std::uint64_t row, const FiniteRange& found);
    void take(const std::byte* data, std::size_t n, unsigned worker, const WorkerGroup& group) {
        counter_->take(data, n, worker, group);
    }
    void finish(const WorkerGroup& group, std::uint64_t row);
    // By values. Errors: BadRange "range".
    Result<void> finish_values(const WorkerGroup& group, std::uint64_t row,
                               Span<const std::uint64_t> value_counts);

  private:
    Result<LevelScale> scale_of(std::uint64_t row, const FiniteRange& found) const;
    void write(std::uint64_t row, Span<std::uint64_t> level_counts, std::uint64_t nans);

    const Job& job_;
    const EntropyParams& params_;
    const OutputView* output_;
    bool by_values_;
    std::optional<Result<LevelScale>> fixed_scale_;  // if it does not depend on the data
    std::optional<LevelCounter> counter_;
    std::byte* memory_ = nullptr;  // by values: the levels' counts of each worker
};

// Smallest and largest finite element of a segment. Errors: Cancelled, DeadlineExceeded. REQUIRES: a float
// type.
Result<FiniteRange> find_finite_range(ElementType type, const Segment& segment, const WorkerGroup& group);

}  // namespace tegu::kernels
