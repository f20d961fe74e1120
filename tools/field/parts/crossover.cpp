// SPDX-License-Identifier: Apache-2.0
// The same jobs on CPU and GPU, from a thousand elements to ten million, with resident data and with
// transfers. The crossing size of the curves determines tegud's choice.
#include <algorithm>

#include "tools/field/job_case.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {

void add_crossover_cases(PartContext& context, CaseList& cases) {
    const std::vector<std::uint64_t> sizes = {1000,   3000,    10000,   30000,   100000,
                                              300000, 1000000, 3000000, 10000000};
    std::vector<FieldJob> jobs = crossover_jobs(sizes);
    if (context.options.quick) make_quick(jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (!context.options.wants(std::string(jobs[i].operation()))) continue;
        jobs[i].priority = i / (jobs.size() / sizes.size()) % 2 == 0 ? 1 : 2;  // powers of ten first
        const auto setup = std::make_shared<JobSetup>(context, std::move(jobs[i]));
        if (setup->host_bytes() > context.memory_bytes) continue;
        cases.add(cpu_case(setup, context.threads));
        if (context.gpu == nullptr) continue;
        cases.add(gpu_case(setup));
        cases.add(copied_case(setup));
    }
}

}  // namespace tegu::field
