// SPDX-License-Identifier: Apache-2.0
// The main job of operations with other block sizes than the default: time and kernel occupancy of each, to
// show their correlation on this board.
#include "kernels/tuning/policy_fields.h"
#include "tools/field/job_case.h"
#include "tools/field/operations.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {
namespace {

constexpr std::int64_t kSizes[] = {32, 64, 128, 256, 512, 1024};

// The job's case on the GPU, with this size in place of its policy's.
Case with_blocks(PartContext& context, const std::shared_ptr<JobSetup>& setup, const JobTraits& traits,
                 const tuning::PolicyField& field, std::int64_t threads) {
    tuning::PolicySet set = *context.tuning.choose(TuningBackend::Cuda, setup->job().job).whole.policies;
    field.set(&set, threads);
    Case one = gpu_case(setup, std::make_shared<const cuda::Policies>(set.cuda));
    one.name += " block=" + std::to_string(threads);
    one.series += " blocks";
    one.axes.emplace_back("threads_per_block", threads);
    one.priority = threads >= 128 && threads <= 512 ? 0 : 1;
    one.energy = false;
    one.prepare = [&context, traits, threads, prepare = one.prepare](Case& self) {
        if (traits.block_kernel != nullptr) {
            const Result<KernelFacts> facts =
                context.gpu->kernel_facts(traits.block_kernel, static_cast<unsigned>(threads));
            if (facts) self.kernel = *facts;
        }
        return prepare(self);
    };
    // The block size is an axis: the method is the same for all of them.
    one.finish = [traits, finish = one.finish](Case& self) {
        finish(self);
        self.note = self.method;
        self.method =
            traits.block_kernel != nullptr ? traits.block_kernel + std::string("...>") : std::string();
    };
    return one;
}

}  // namespace

void add_occupancy_cases(PartContext& context, CaseList& cases) {
    if (context.gpu == nullptr || !context.gpu->has_kernels()) {
        cases.skip("block sizes", "cuda", "there is no usable GPU");
        return;
    }
    for (const OperationInfo& info : operation_infos()) {
        if (!context.options.wants(std::string(info.stem))) continue;
        std::vector<FieldJob> jobs = operation_jobs(info.stem);
        const JobTraits traits =
            std::visit([](const auto& params) { return traits_of(params); }, jobs.front().job.params);
        if (traits.block_field == nullptr) continue;
        jobs.resize(1, FieldJob());
        if (context.options.quick) make_quick(jobs);
        const auto setup = std::make_shared<JobSetup>(context, std::move(jobs.front()));
        if (setup->host_bytes() > context.memory_bytes) continue;
        const tuning::PolicyField* const field =
            tuning::find_policy_field(TuningBackend::Cuda, info.stem, traits.block_field);
        if (field == nullptr || !setup->plan()) continue;
        for (const std::int64_t threads : kSizes)
            if (tuning::is_allowed(*field, threads, context.gpu->limits()))
                cases.add(with_blocks(context, setup, traits, *field, threads));
    }
}

}  // namespace tegu::field
