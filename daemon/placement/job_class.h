// SPDX-License-Identifier: Apache-2.0
// JobClass: what predicts the time of a job besides its data. Jobs with one key differ in their size alone, so what one of them took tells
// about the others. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/operation.h"

namespace tegu::daemon {

struct JobClass {
    Operation operation = Operation::Reduce;
    std::uint64_t key = 0;       // operation, type, variant, kind of shape and details, in steps of a factor of two
    std::uint64_t plan_ns = 0;   // JobPlan::predicted_ns
    double gpu_work = 0;         // gpu_work_of(), in picoseconds of one multiprocessor at 1 GHz
    double gpu_steps = 0;        // launches that wait for one another
    // As TuningClass describes a job.
    ElementType type = ElementType::F32;
    std::string_view variant;
    std::uint64_t sequences = 1;
    std::uint64_t elements = 0;  // of a sequence
    std::uint64_t detail = 0;
    // Tables do not tell entropy maps of different levels apart. The times of this job to those of one with kTableLevels, as expected:
    double plan_to_table = 1;
    double gpu_to_table = 1;
};
inline constexpr std::uint32_t kTableLevels = 16;

// REQUIRES: plan_job(job) gave `plan`.
JobClass classify(const Job& job, const kernels::JobPlan& plan);

// The detail of a job, as base/tuning_row.h defines it.
std::uint64_t detail_of(const Job& job);

}  // namespace tegu::daemon
