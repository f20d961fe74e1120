// SPDX-License-Identifier: Apache-2.0
// Fitted to the times of docs/benchmarks/gpu.md, multiplied by the multiprocessors and GHz of that device.
// Another device differs by factors, which probing and jobs teach.
#include "daemon/placement/gpu_work.h"

#include <algorithm>
#include <cmath>

namespace tegu::daemon {
namespace {

constexpr double kBytePs = 60;         // read or written
constexpr double kRowPs = 4000;        // to begin and end a sequence
constexpr double kSortPs = 21000;      // an element that is sorted
constexpr double kJobNs = 8000;        // to hand over a job and to see its end
constexpr double kStepNs = 5000;       // a launch that waits for the one before
constexpr std::uint64_t kCutK = 4096;  // above it top-k sorts what survives

double read(const Job& job) {
    return static_cast<double>(job.rows) * static_cast<double>(job.cols) *
           static_cast<double>(element_bytes(job.type)) * kBytePs;
}
double elements(const Job& job) {
    return static_cast<double>(job.rows) * static_cast<double>(job.cols);
}
double sequences(const Job& job) {
    return job.axis == Axis::Rows ? static_cast<double>(job.rows) : 1;
}

GpuWork work(const Job& job, const ReduceParams& params) {
    const bool many = __builtin_popcount(params.statistics) > 3;
    return {read(job) * (many ? 1.2 : 1) + sequences(job) * kRowPs, many ? 2.0 : 1.0};
}
GpuWork work(const Job& job, const TopkParams& params) {
    const double k = static_cast<double>(params.k) * sequences(job);
    double ps = read(job) * (params.distinct ? 3.5 : 1) + sequences(job) * 60 * kRowPs;
    if (params.k <= kCutK) return {ps, params.distinct ? 10.0 : 3.0};
    return {ps + std::min(1.3 * k, elements(job)) * kSortPs, 16};
}
GpuWork work(const Job& job, const EntropyMapParams& params) {
    const double window = std::sqrt(static_cast<double>(params.window_rows) * params.window_cols);
    const double levels = 1 + 0.3 * std::max(0.0, std::log2(static_cast<double>(params.levels)) - 4);
    return {elements(job) * 261 * (3 + 1.3 * window) * levels, 2};
}
GpuWork work(const Job& job, const AddParams&) {
    return {3 * read(job), 1};
}
GpuWork work(const Job& job, const DotParams&) {
    return {2 * read(job) + sequences(job) * kRowPs, 1};
}
GpuWork work(const Job& job, const RowscaleParams&) {
    return {2 * read(job) + sequences(job) * kRowPs, 2};
}
GpuWork work(const Job& job, const QuantileParams& params) {
    const double each = params.q.size() == 1 ? 12 : 35;
    return {each * read(job) + sequences(job) * 1000 * kRowPs, 20};
}
GpuWork count(const Job& job, std::uint32_t bins, bool has_range, double row_ps) {
    const bool many = bins > 32768;
    const double ps = elements(job) * (many ? 2200 : element_bytes(job.type) == 1 ? 130 : 180);
    const bool looks_first = !has_range && is_float(job.type);
    return {ps + read(job) * (looks_first ? 2 : 1) + sequences(job) * row_ps, looks_first ? 3.0 : 2.0};
}
GpuWork work(const Job& job, const HistogramParams& params) {
    return count(job, params.bins, params.has_range, 40 * kRowPs);
}
GpuWork work(const Job& job, const EntropyParams& params) {
    return count(job, params.levels, params.has_range, 40 * kRowPs + 29000.0 * params.levels);
}
GpuWork work(const Job& job, const FusedParams& params) {
    GpuWork sum;
    for (const FusedPart& part : params.parts) {
        const GpuWork one = std::visit([&](const auto& each) { return work(job, each); }, part);
        sum.ps += one.ps;
        sum.steps += one.steps;
    }
    return sum;
}

}  // namespace

GpuWork gpu_work_of(const Job& job, const kernels::JobPlan& plan) {
    GpuWork found = std::visit([&](const auto& params) { return work(job, params); }, job.params);
    const double least = static_cast<double>(plan.bytes_read + plan.bytes_written) * kBytePs / 2;
    found.ps = std::max(found.ps, least);
    return found;
}

double gpu_speed(const cuda::DeviceLimits& limits, std::uint64_t core_clock_khz) {
    const double ghz = core_clock_khz == 0 ? 1.0 : static_cast<double>(core_clock_khz) * 1e-6;
    return std::max(1u, limits.multiprocessors) * ghz;
}

double gpu_time_ns(double ps, double steps, double speed) {
    return kJobNs + kStepNs * steps + ps * 1e-3 / speed;
}

}  // namespace tegu::daemon
