// SPDX-License-Identifier: Apache-2.0
// The main job of operations with other block sizes than their own: the time of each beside the occupancy of
// its kernel, which shows how far the one explains the other on this board.
#include "kernels/tuning/policy_fields.h"
#include "tools/field/job_case.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {
namespace {

struct BlockAxis {
    const char* operation;
    const char* field;   // of its policy
    const char* kernel;  // the beginning of its name; null: which kernel runs depends on the board
};
constexpr BlockAxis kAxes[] = {
    {"reduce", "threads_per_block", "reduce_float<f32, sum, dense"},
    {"add", "threads_per_block", "add_packs<f32, 2"},
    {"rowscale", "threads_per_block", "rowscale_groups<f32, 4, 1"},
    {"topk", "filter_threads", "filter_packs<u32, integer"},
    {"histogram", "threads_per_block", nullptr},
    {"entropy_map", "threads_per_block", nullptr},
    {"quantile", "count_threads", "quantile_counts<u32"},
};
constexpr std::int64_t kSizes[] = {32, 64, 128, 256, 512, 1024};

// The job's case on the GPU, with this size in place of its policy's.
Case with_blocks(PartContext& context, const std::shared_ptr<JobSetup>& setup, const BlockAxis& axis,
                 const tuning::PolicyField& field, std::int64_t threads) {
    tuning::PolicySet set = *context.tuning.choose(TuningBackend::Cuda, setup->job().job).whole.policies;
    field.set(&set, threads);
    Case one = gpu_case(setup, std::make_shared<const cuda::Policies>(set.cuda));
    one.name += " block=" + std::to_string(threads);
    one.series += " blocks";
    one.axes.emplace_back("threads_per_block", threads);
    one.priority = threads >= 128 && threads <= 512 ? 0 : 1;
    one.energy = false;
    one.prepare = [&context, &axis, threads, prepare = one.prepare](Case& self) {
        if (axis.kernel != nullptr) {
            const Result<KernelFacts> facts =
                context.gpu->kernel_facts(axis.kernel, static_cast<unsigned>(threads));
            if (facts) self.kernel = *facts;
        }
        return prepare(self);
    };
    // The block size is an axis: the method is the same for all of them.
    one.finish = [&axis, finish = one.finish](Case& self) {
        finish(self);
        self.note = self.method;
        self.method = axis.kernel != nullptr ? axis.kernel + std::string("...>") : std::string();
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
        const tuning::PolicyField* const field =
            tuning::find_policy_field(TuningBackend::Cuda, axis.operation, axis.field);
        if (field == nullptr || !setup->plan()) continue;
        for (const std::int64_t threads : kSizes)
            if (tuning::is_allowed(*field, threads, context.gpu->limits()))
                cases.add(with_blocks(context, setup, axis, *field, threads));
    }
}

}  // namespace tegu::field
