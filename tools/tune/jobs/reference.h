// SPDX-License-Identifier: Apache-2.0
// The reference of a measured job: its plan, its inputs, and the outputs of the CPU backend with the default
// policy. A policy never changes a result bit, so every run of every candidate is compared with these bytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/operation.h"
#include "tools/tune/jobs/classes.h"
#include "tools/tune/jobs/host_data.h"

namespace tegu::tune {

struct Reference {
    Job job;
    kernels::JobPlan plan;
    std::vector<HostArray> inputs;
    std::vector<std::vector<std::byte>> outputs;  // parallel to plan.outputs; empty: not known
    std::vector<std::uint64_t> filled_columns;    // likewise

    std::uint64_t input_bytes() const { return job.rows * job.cols * element_bytes(job.type); }  // of each
};

// Runs the job on the CPU. Errors: those of kernels::run_job().
Result<std::shared_ptr<const Reference>> make_reference(const SampleJob& sample, HostData& data,
                                                        kernels::ThreadPool& pool,
                                                        const kernels::StopToken& stop);
// Without outputs: for jobs that are timed alone. Errors: those of kernels::plan_job().
Result<std::shared_ptr<const Reference>> make_unknown_reference(const SampleJob& sample, HostData& data);

// The first difference of the outputs from the reference: "values: element 17 differs". Empty: none.
// `outputs`: parallel to plan.outputs; `report`: of their run.
std::string difference(const Reference& reference, const std::vector<const std::byte*>& outputs,
                       const kernels::RunReport& report);

}  // namespace tegu::tune
