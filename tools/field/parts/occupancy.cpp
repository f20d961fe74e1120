// SPDX-License-Identifier: Apache-2.0
// The main job of operations with other block sizes than their own: the time of each beside the occupancy of
// its kernel, which shows how far the one explains the other on this board.
#include <functional>

#include "kernels/cuda/policies.h"
#include "tools/field/job_case.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {
namespace {

struct BlockAxis {
    const char* operation;
    const char* kernel;  // the beginning of its name; null: which kernel runs depends on the board
    unsigned least, most;
    unsigned& (*threads)(cuda::Policies& policies);
};
const BlockAxis kAxes[] = {
    {"reduce", "reduce_float<f32", 32, 512, [](cuda::Policies& p) -> unsigned& { return p.reduce.threads_per_block; }},
    {"add", "add_packs<f32, 2", 32, 1024, [](cuda::Policies& p) -> unsigned& { return p.add.threads_per_block; }},
    {"rowscale", "rowscale_groups<f32, 4, 1", 32, 1024,
     [](cuda::Policies& p) -> unsigned& { return p.rowscale.threads_per_block; }},
    {"topk", "filter_packs<u32, integer", 64, 512,
     [](cuda::Policies& p) -> unsigned& { return p.topk.filter_threads; }},
    {"histogram", nullptr, 32, 512, [](cuda::Policies& p) -> unsigned& { return p.count.threads_per_block; }},
    {"entropy_map", nullptr, 32, 512, [](cuda::Policies& p) -> unsigned& { return p.entropy_map.threads_per_block; }},
    {"quantile", nullptr, 32, 1024, [](cuda::Policies& p) -> unsigned& { return p.quantile.count_threads; }},
};

// The job's case on the GPU, with this policy.
Case with_policy(PartContext& context, const std::shared_ptr<JobSetup>& setup, const BlockAxis& axis,
                 unsigned threads) {
    cuda::Policies policies;
    axis.threads(policies) = threads;
    Case one = gpu_case(setup, [&context, policies](const Job& job, Span<const kernels::InputView> inputs,
                                                    Span<const kernels::OutputView> outputs) {
        return context.gpu->run_with(policies, job, inputs, outputs);
    });
    one.name += " block=" + std::to_string(threads);
    one.series += " blocks";
    one.axes.emplace_back("threads_per_block", static_cast<std::int64_t>(threads));
    one.priority = threads >= 128 && threads <= 512 ? 0 : 1;
    one.energy = false;
    one.prepare = [&context, &axis, threads, prepare = one.prepare](Case& self) {
        if (axis.kernel != nullptr) {
            const Result<KernelFacts> facts = context.gpu->kernel_facts(axis.kernel, threads);
            if (facts) self.kernel = *facts;
        }
        return prepare(self);
    };
    return one;
}

}  // namespace

void add_occupancy_cases(PartContext& context, CaseList& cases) {
    if (context.gpu == nullptr || !context.gpu->has_kernels()) {
        cases.skip("block sizes", "cuda", "there is no usable GPU");
        return;
    }
    for (const BlockAxis& axis : kAxes) {
        if (!context.options.wants(axis.operation)) continue;
        std::vector<FieldJob> jobs = operation_jobs(axis.operation);
        jobs.resize(1, FieldJob());
        if (context.options.quick) make_quick(jobs);
        const auto setup = std::make_shared<JobSetup>(context, std::move(jobs.front()));
        if (setup->host_bytes() > context.memory_bytes) continue;
        for (unsigned threads = axis.least; threads <= axis.most; threads *= 2)
            cases.add(with_policy(context, setup, axis, threads));
    }
}

}  // namespace tegu::field
