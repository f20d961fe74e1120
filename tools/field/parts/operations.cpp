// SPDX-License-Identifier: Apache-2.0
// Every operation over sizes, types and parameters, on the CPU and on the GPU, beside the toolkit's library.
#include "tools/field/job_case.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {

void add_operation_cases(PartContext& context, CaseList& cases) {
    for (const OperationInfo& info : operation_infos()) {
        if (!context.options.wants(std::string(info.stem))) continue;
        std::vector<FieldJob> jobs = operation_jobs(info.stem);
        if (context.options.quick) make_quick(jobs);
        for (FieldJob& job : jobs) add_job_cases(context, cases, std::move(job));
    }
    if (context.gpu != nullptr && context.gpu->has_kernels()) add_peer_cases(context, cases);
}

}  // namespace tegu::field
