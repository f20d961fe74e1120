// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/gpu_work.h"

#include <algorithm>

#include "daemon/placement/operations.h"

namespace tegu::daemon {
namespace {

constexpr double kJobNs = 8000;   // to hand over a job and to see its end
constexpr double kStepNs = 5000;  // a launch that waits for the one before

}  // namespace

GpuWork count_work(const Job& job, std::uint32_t bins, bool has_range, double row_ps) {
    const bool many = bins > 32768;
    const double ps = elements(job) * (many ? 2200 : element_bytes(job.type) == 1 ? 130 : 180);
    const bool finds_range = !has_range && is_float(job.type);
    return {ps + read_ps(job) * (finds_range ? 2 : 1) + segments(job) * row_ps, finds_range ? 3.0 : 2.0};
}

GpuWork gpu_work_of(const Job& job, const kernels::JobPlan& plan) {
    GpuWork found = std::visit([&](const auto& params) { return gpu_work(job, params); }, job.params);
    const double min = static_cast<double>(plan.bytes_read + plan.bytes_written) * kBytePs / 2;
    found.ps = std::max(found.ps, min);
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
