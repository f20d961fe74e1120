// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/cost_class.h"

#include <algorithm>
#include <variant>

#include "daemon/placement/gpu_work.h"
#include "daemon/placement/operations.h"

namespace tegu::daemon {
namespace {

std::uint64_t key_of(const tuning::JobClass& job, unsigned fine) {
    return static_cast<std::uint64_t>(job.operation) | std::uint64_t{log2_of(job.detail)} << 8 |
           std::uint64_t{fine & 0xff} << 16 | std::uint64_t{job.variants & 0xf} << 24;
}

// Combines all parts. Their order does not affect the time.
std::uint64_t key_of(const Job& job, const FusedParams& params) {
    std::uint64_t sum = 0;
    for (const FusedPart& part : params.parts)
        sum += key_of(tuning::class_of(job, part),
                      std::visit([](const auto& each) { return fine_detail(each); }, part)) *
               0x9e3779b97f4a7c15u;
    return static_cast<std::uint64_t>(Operation::Fused) | (sum >> 48) << 8;
}

std::uint64_t parameter_key(const Job& job, const tuning::JobClass& described) {
    if (const FusedParams* const fused = std::get_if<FusedParams>(&job.params)) return key_of(job, *fused);
    return key_of(described, std::visit([](const auto& params) { return fine_detail(params); }, job.params));
}

}  // namespace

CostClass classify(const Job& job, const kernels::JobPlan& plan) {
    CostClass made;
    made.job = tuning::class_of(job);
    made.plan_ns = std::max<std::uint64_t>(plan.predicted_ns, 1);
    const GpuWork work = gpu_work_of(job, plan);
    made.gpu_work = work.ps;
    made.gpu_steps = work.steps;
    const std::uint64_t rows = job.axis == Axis::Rows ? std::uint64_t{1 + log2_of(job.cols) / 2} << 32 : 0;
    made.key = parameter_key(job, made.job) | static_cast<std::uint64_t>(job.type) << 28 | rows;
    return made;
}

}  // namespace tegu::daemon
