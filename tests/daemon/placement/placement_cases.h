// SPDX-License-Identifier: Apache-2.0
// Jobs and their classes for the tests of placement.
#pragma once

#include <utility>

#include "daemon/placement/cost_class.h"

namespace tegu::daemon {

inline Job job_of(JobParams params, std::uint64_t rows, std::uint64_t cols,
                  ElementType type = ElementType::F32, Axis axis = Axis::Whole) {
    Job job;
    job.type = type;
    job.axis = axis;
    job.rows = rows;
    job.cols = cols;
    job.params = std::move(params);
    return job;
}

inline CostClass class_of_job(const Job& job) {
    return classify(job, kernels::plan_job(job).value());
}

inline ReduceParams sum() {
    return {statistic_bit(Statistic::Sum), false, 0};
}

// A class of jobs with a plan of that time.
inline CostClass planned(std::uint64_t plan_ns, Operation operation = Operation::Topk) {
    CostClass job;
    job.job.operation = operation;
    job.key = static_cast<std::uint64_t>(operation) | 1 << 8;
    job.plan_ns = plan_ns;
    job.gpu_work = static_cast<double>(plan_ns) * 1000;
    job.gpu_steps = 1;
    job.job.elements = plan_ns;
    return job;
}

}  // namespace tegu::daemon
