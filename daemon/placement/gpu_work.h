// SPDX-License-Identifier: Apache-2.0
// Amount of GPU work of a job: the counterpart of JobPlan::predicted_ns, which is for one CPU thread. It
// models the growth with size, type and detail; device attributes and measurements give the scale. Pure.
#pragma once

#include "kernels/execution/cuda/launch.h"
#include "kernels/operation.h"

namespace tegu::daemon {

struct GpuWork {
    double ps = 0;     // picoseconds on one multiprocessor at 1 GHz
    double steps = 0;  // dependent launches
};

// REQUIRES: plan_job(job) gave `plan`.
GpuWork gpu_work_of(const Job& job, const kernels::JobPlan& plan);

// Multiprocessors times GHz. `core_clock_khz`: 0 if unknown, which counts as 1 GHz.
double gpu_speed(const cuda::DeviceLimits& limits, std::uint64_t core_clock_khz);

// Time of the work on a device of that speed, without measurements.
double gpu_time_ns(double ps, double steps, double speed);

}  // namespace tegu::daemon
