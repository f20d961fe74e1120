// SPDX-License-Identifier: Apache-2.0
// CostClass: the properties of a job, besides its data, that predict its time. Jobs with one key differ only
// in size, so one measurement applies to all. Pure.
#pragma once

#include <cstdint>

#include "kernels/operation.h"
#include "kernels/tuning/job_class.h"

namespace tegu::daemon {

struct CostClass {
    tuning::JobClass job;  // as in tuning tables
    std::uint64_t key =
        0;  // operation, type, variant, kind of shape and details, in steps of a factor of two
    std::uint64_t plan_ns = 0;  // JobPlan::predicted_ns, at least 1
    double gpu_work = 0;        // gpu_work_of(), in picoseconds of one multiprocessor at 1 GHz
    double gpu_steps = 0;       // dependent launches

    Operation operation() const { return job.operation; }
    // Elements of all segments.
    double elements() const { return static_cast<double>(job.sequences) * static_cast<double>(job.elements); }
};

// REQUIRES: plan_job(job) gave `plan`.
CostClass classify(const Job& job, const kernels::JobPlan& plan);

}  // namespace tegu::daemon
