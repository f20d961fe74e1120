// SPDX-License-Identifier: Apache-2.0
// How much work a job is for a GPU: the counterpart of JobPlan::predicted_ns, which is for one thread of a
// CPU. Only the shape counts, how the time grows with size, type and detail: its scale comes from the
// device's attributes and from measurements. Pure.
#pragma once

#include "kernels/execution/cuda/launch.h"
#include "kernels/operation.h"

namespace tegu::daemon {

struct GpuWork {
    double ps = 0;     // picoseconds that one multiprocessor at 1 GHz takes
    double steps = 0;  // launches that wait for one another
};

// REQUIRES: plan_job(job) gave `plan`.
GpuWork gpu_work_of(const Job& job, const kernels::JobPlan& plan);

// Multiprocessors times GHz. `core_clock_khz`: 0 if the device does not tell, which counts as 1 GHz.
double gpu_speed(const cuda::DeviceLimits& limits, std::uint64_t core_clock_khz);

// The time of the work on a device of that speed, where nothing was measured.
double gpu_time_ns(double ps, double steps, double speed);

}  // namespace tegu::daemon
