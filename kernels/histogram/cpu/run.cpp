// SPDX-License-Identifier: Apache-2.0
#include "kernels/histogram/cpu/run.h"

namespace tegu::kernels {

HistogramRun::HistogramRun(const Job& job, const HistogramParams& params, const OutputView* outputs)
    : job_(job),
      params_(params),
      outputs_(outputs),
      n_(segment_elements(job)),
      by_values_(ValueCounter::suits(job.type, n_)) {}

std::size_t HistogramRun::worker_bytes() const {
    return by_values_ ? 0 : BinCounter::worker_bytes(job_.type, params_.bins);
}

void HistogramRun::attach(std::byte* memory, unsigned workers) {
    if (!by_values_) counter_.emplace(job_.type, params_.bins, memory, workers);
}

HistogramRow HistogramRun::row_at(std::uint64_t row) const {
    return HistogramRow{
        reinterpret_cast<std::uint64_t*>(outputs_[0].data) + row * params_.bins,
        reinterpret_cast<double*>(outputs_[1].data) + row * (std::uint64_t{params_.bins} + 1)};
}

Result<BinRange> HistogramRun::range_of(std::uint64_t row, const Extrema& found) const {
    const auto named = [&](Error error) {
        return job_.axis == Axis::Rows ? in_row(std::move(error), row) : error;
    };
    if (params_.has_range) return usable_bin_range(params_.lo, params_.hi, params_.bins, "the range");
    if (found.nan && !params_.skip_nans)
        return named(
            bad_range("range", "a range, or skip_nans", "the elements have no range, as one is NaN"));
    if (!found.any) return BinRange{0, 1};
    Result<BinRange> range = usable_bin_range(found.lo, found.hi, params_.bins, "the range of the elements");
    if (!range) return named(std::move(range).error());
    return range;
}

Result<void> HistogramRun::begin(const WorkerGroup& group, std::uint64_t row, const Extrema& found) {
    const Result<BinRange> range = range_of(row, found);
    if (!range) return range.error();
    counter_->begin(group, *range, row_at(row));
    return {};
}

Result<void> HistogramRun::finish_values(std::uint64_t row, Span<const std::uint64_t> value_counts) {
    const Result<BinRange> range =
        range_of(row, params_.has_range ? Extrema{} : extrema_of_values(job_.type, value_counts));
    if (!range) return range.error();
    bin_values(job_.type, params_.bins, *range, value_counts, row_at(row));
    return {};
}

// Measured on one core of an x86-64 server, data in memory.
std::uint64_t HistogramRun::element_ps() const {
    if (by_values_) return 0;
    const std::uint64_t bytes = element_bytes(job_.type);
    const std::uint64_t range_pass = has_range_pass() ? 45 * bytes : 0;
    const std::uint64_t find = bytes == 8 && !is_float(job_.type) ? 1700 : 850;
    // counters beyond a cache
    const std::uint64_t misses = params_.bins > 65536 ? 1300 : params_.bins > 2048 ? 450 : 0;
    return range_pass + find + misses;
}

std::uint64_t HistogramRun::segment_ns() const {
    return 100 + 2 * std::uint64_t{params_.bins} +
           (by_values_ ? 2 * (std::uint64_t{1} << (8 * element_bytes(job_.type))) : 0);
}

}  // namespace tegu::kernels
