// SPDX-License-Identifier: Apache-2.0
#include "kernels/entropy/cpu/run.h"

#include <cmath>
#include <limits>

namespace tegu::kernels {
namespace {

void merge(const FiniteRange& part, FiniteRange* range) {
    range->lo = std::min(range->lo, part.lo);
    range->hi = std::max(range->hi, part.hi);
}

FiniteRange finite_range_of_halves(Span<const std::uint64_t> counts) {
    FiniteRange range;
    for (std::uint32_t bits = 0; bits < counts.size(); ++bits) {
        const auto value = static_cast<double>(half_to_float(Half{static_cast<std::uint16_t>(bits)}));
        if (counts[bits] != 0 && std::isfinite(value)) merge(FiniteRange{value, value}, &range);
    }
    return range;
}

bool is_nan(ElementType type, std::uint32_t bits) {
    return type == ElementType::F16 && (bits & 0x7fffu) > 0x7c00u;
}

}  // namespace

Result<FiniteRange> find_finite_range(ElementType type, const Segment& segment, const WorkerGroup& group) {
    const FindFiniteRange find = find_finite_range(type);
    FiniteRange ranges[kMaxWorkers];
    if (!sweep(segment, group, [&](const std::byte* data, std::size_t n, unsigned worker) {
            FiniteRange part;
            find(data, n, &part);
            merge(part, &ranges[worker]);
        }))
        return group.stop().error();
    for (unsigned worker = 1; worker < kMaxWorkers; ++worker) merge(ranges[worker], &ranges[0]);
    return ranges[0];
}

EntropyRun::EntropyRun(const Job& job, const EntropyParams& params, const OutputView* output)
    : job_(job),
      params_(params),
      output_(output),
      by_values_(ValueCounter::suits(job.type, segment_elements(job))) {}

std::size_t EntropyRun::worker_bytes() const {
    if (!by_values_) return LevelCounter::worker_bytes(params_.levels);
    return round_up(params_.levels * sizeof(std::uint64_t), 64);
}

void EntropyRun::attach(std::byte* memory, unsigned workers) {
    memory_ = memory;
    if (params_.has_range || !is_float(job_.type)) fixed_scale_.emplace(scale_of(0, FiniteRange{}));
    if (!by_values_) counter_.emplace(job_.type, params_.levels, memory, workers);
}

Result<LevelScale> EntropyRun::scale_of(std::uint64_t row, const FiniteRange& found) const {
    if (params_.has_range)
        return level_scale_of_range(job_.type, params_.lo, params_.hi, params_.levels, "the range");
    if (!is_float(job_.type)) return whole_level_scale(params_.levels);
    Result<LevelScale> scale = level_scale_of_data(job_.type, found, params_.levels);
    if (!scale && job_.axis == Axis::Rows) return in_row(std::move(scale).error(), row);
    return scale;
}

Result<void> EntropyRun::begin(const WorkerGroup& group, std::uint64_t row, const FiniteRange& found) {
    const Result<LevelScale> scale = fixed_scale_ ? *fixed_scale_ : scale_of(row, found);
    if (!scale) return scale.error();
    counter_->begin(group, *scale);
    return {};
}

void EntropyRun::finish(const WorkerGroup& group, std::uint64_t row) {
    const LevelCounter::Counts counts = counter_->finish(group);
    counts.levels[0] -= counts.nans;
    write(row, counts.levels, counts.nans);
}

Result<void> EntropyRun::finish_values(const WorkerGroup& group, std::uint64_t row,
                                       Span<const std::uint64_t> value_counts) {
    const FiniteRange found =
        job_.type == ElementType::F16 ? finite_range_of_halves(value_counts) : FiniteRange{};
    const Result<LevelScale> scale = fixed_scale_ ? *fixed_scale_ : scale_of(row, found);
    if (!scale) return scale.error();
    const Span<std::uint64_t> levels(
        reinterpret_cast<std::uint64_t*>(memory_ + group.first() * worker_bytes()), params_.levels);
    std::fill(levels.begin(), levels.end(), std::uint64_t{0});
    std::uint64_t nans = 0;
    for_all_values(job_.type, [&](const std::byte* values, std::uint32_t begin, std::uint32_t n) {
        std::uint16_t level_of[kValueBlock];
        quantise_u16(job_.type)(values, n, *scale, level_of);
        for (std::uint32_t i = 0; i < n; ++i)
            (is_nan(job_.type, begin + i) ? nans : levels[level_of[i]]) += value_counts[begin + i];
    });
    write(row, levels, nans);
    return {};
}

void EntropyRun::write(std::uint64_t row, Span<std::uint64_t> level_counts, std::uint64_t nans) {
    if (params_.partial) {
        std::memcpy(output_->data, level_counts.data(), level_counts.size() * sizeof nans);
        std::memcpy(output_->data + level_counts.size() * sizeof nans, &nans, sizeof nans);
        return;
    }
    const bool undefined = nans != 0 && !params_.skip_nans;
    const double entropy = undefined ? std::numeric_limits<double>::quiet_NaN()
                                     : entropy_of(Span<const std::uint64_t>(level_counts), params_.base);
    std::memcpy(output_->data + row * sizeof entropy, &entropy, sizeof entropy);
}

// Measured on one core of an x86-64 server, data in memory.
std::uint64_t EntropyRun::element_ps() const {
    if (by_values_) return 0;
    const std::uint64_t range_pass = has_range_pass() ? 60 * element_bytes(job_.type) : 0;
    // counters beyond a cache
    const std::uint64_t misses = params_.levels > 2048 ? 280 : params_.levels > 256 ? 130 : 0;
    return range_pass + 200 + 45 * element_bytes(job_.type) + misses;
}

std::uint64_t EntropyRun::segment_ns() const {
    return 200 + 3 * std::uint64_t{params_.levels} +
           (by_values_ ? 2 * (std::uint64_t{1} << (8 * element_bytes(job_.type))) : 0);
}

}  // namespace tegu::kernels
