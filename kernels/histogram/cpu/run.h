// SPDX-License-Identifier: Apache-2.0
// The histograms of one job, segment by segment, for histogram and fused: from the counts of a ValueCounter,
// or bin by bin. Bins of a range that the data gives need a pass over the data first.
#pragma once

#include <optional>

#include "kernels/counting/cpu/value_counter.h"
#include "kernels/histogram/cpu/bin_counter.h"
#include "kernels/statistics/extrema.h"

namespace tegu::kernels {

class HistogramRun {
  public:
    // `outputs`: the arrays of counts and edges; may be null for a plan.
    HistogramRun(const Job& job, const HistogramParams& params, const OutputView* outputs);

    bool by_values() const { return by_values_; }
    bool has_range_pass() const { return !by_values_ && !params_.has_range && n_ != 0; }
    std::uint64_t element_ps() const;  // on one thread, without the counting of values
    std::uint64_t segment_ns() const;
    std::size_t worker_bytes() const;  // without a ValueCounter's
    // `memory`: workers * worker_bytes(), 64-byte aligned, not owned.
    void attach(std::byte* memory, unsigned workers);

    // Bin by bin: begin(), take() for every piece of the row, finish(). `found` is used if has_range_pass().
    // Errors: BadRange "range".
    Result<void> begin(const WorkerGroup& group, std::uint64_t row, const Extrema& found);
    void take(const std::byte* data, std::size_t n, unsigned worker) { counter_->take(data, n, worker); }
    void finish(const WorkerGroup& group) { counter_->finish(group); }
    // By values. Errors: BadRange "range".
    Result<void> finish_values(std::uint64_t row, Span<const std::uint64_t> value_counts);

  private:
    Result<BinRange> range_of(std::uint64_t row, const Extrema& found) const;
    HistogramRow row_at(std::uint64_t row) const;

    const Job& job_;
    const HistogramParams& params_;
    const OutputView* outputs_;
    std::uint64_t n_;
    bool by_values_;
    std::optional<BinCounter> counter_;
};

}  // namespace tegu::kernels
