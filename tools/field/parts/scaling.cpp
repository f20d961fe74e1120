// SPDX-License-Identifier: Apache-2.0
// The CPU backend on one thread, two, four, and all: the speedup of each operation.
#include "tools/field/job_case.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {
namespace {

std::vector<unsigned> thread_axis(unsigned max) {
    std::vector<unsigned> threads;
    for (unsigned n = 1; n < max; n *= 2) threads.push_back(n);
    threads.push_back(max);
    return threads;
}

}  // namespace

void add_scaling_cases(PartContext& context, CaseList& cases) {
    for (const OperationInfo& info : operation_infos()) {
        if (!context.options.wants(std::string(info.stem))) continue;
        std::vector<FieldJob> jobs = operation_jobs(info.stem);
        jobs.resize(1, FieldJob());  // the main one
        if (context.options.quick) make_quick(jobs);
        const auto setup = std::make_shared<JobSetup>(context, std::move(jobs.front()));
        if (setup->host_bytes() > context.memory_bytes) continue;
        for (const unsigned threads : thread_axis(context.threads)) {
            Case one = cpu_case(setup, threads);
            one.name += " threads=" + std::to_string(threads);
            one.series += " threads=" + std::to_string(threads);
            one.priority = threads == 1 || threads == context.threads ? 0 : 1;
            one.energy = false;
            cases.add(std::move(one));
        }
    }
}

}  // namespace tegu::field
