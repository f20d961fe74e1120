// SPDX-License-Identifier: Apache-2.0
#include "tools/field/job_case.h"

#include <cstring>
#include <new>

#include "kernels/device/gpu_runner.h"
#include "kernels/operation.h"

namespace tegu::field {
namespace {

using Setup = std::shared_ptr<JobSetup>;

// Bytes of array i that a result fills.
std::uint64_t filled_bytes(const kernels::JobPlan& plan, const std::vector<std::uint64_t>& columns,
                           std::size_t i) {
    const ArraySpec& spec = plan.outputs[i];
    return spec.rows == 1 ? columns[i] * element_bytes(spec.type) : array_bytes(spec);
}

Case new_case(const Setup& setup, const char* backend) {
    const FieldJob& job = setup->job();
    Case one;
    one.name = job.name;
    one.operation = std::string(job.operation());
    one.backend = backend;
    one.axes = job.axes;
    one.flops = job.flops;
    one.priority = job.priority;
    one.energy = job.energy;
    one.series = one.operation + " " + job.detail;
    one.work = static_cast<double>(job.elements());
    return one;
}

// Names the row of a tuning table that the job runs by.
void note_row(const JobSetup& setup, TuningBackend backend, Case& one) {
    const std::string row = setup.choice(backend).row_text(setup.job().job);
    if (row != "default") one.note = "row=" + row;
}

Result<void> set_plan(JobSetup& setup, Case& one) {
    const Result<const kernels::JobPlan*> plan = setup.plan();
    if (!plan) return plan.error();
    one.bytes = (*plan)->bytes_read + (*plan)->bytes_written;
    return {};
}

// The state of a running case of the CPU.
struct CpuRun {
    std::unique_ptr<HostOutputs> outputs;
    kernels::RunPolicy policy;
    std::vector<std::uint64_t> columns;
};

Result<void> run_on_cpu(JobSetup& setup, CpuRun& state, unsigned threads) {
    Result<Span<const kernels::InputView>> inputs = setup.inputs();
    if (!inputs) return std::move(inputs).error();
    kernels::ThreadPool& pool = setup.context().pool;
    pool.limit(threads);
    const kernels::CpuContext context{threads == 1 ? nullptr : &pool,
                                      setup.choice(TuningBackend::Cpu).cpu(setup.job().job)};
    Result<kernels::RunReport> report =
        kernels::run_job(setup.job().job, *inputs, state.outputs->views, context, kernels::StopToken());
    pool.limit(setup.context().threads);
    if (!report) return std::move(report).error();
    state.policy = std::move(report->policy);
    state.columns = std::move(report->filled_columns);
    return {};
}

// Device memory of a job: its inputs several times, its outputs once.
struct GpuRun {
    cuda::JobPolicies policies;
    std::shared_ptr<const cuda::Policies> own;  // of the policies, where they are not those of tables
    std::vector<DeviceInputs> inputs;
    std::vector<DeviceArray> outputs;
    std::vector<kernels::OutputView> views;
};

Result<std::unique_ptr<GpuRun>> place(JobSetup& setup,
                                      const std::shared_ptr<const cuda::Policies>& policies) {
    const Result<const kernels::JobPlan*> plan = setup.plan();
    const Result<Span<const kernels::InputView>> inputs = setup.inputs();
    if (!inputs) return inputs.error();
    auto placed = std::make_unique<GpuRun>();
    placed->own = policies;
    placed->policies = setup.choice(TuningBackend::Cuda).cuda();
    if (policies != nullptr) placed->policies = {policies.get(), {}};
    GpuLab& lab = *setup.context().gpu;
    for (const Bytes& bytes : setup.input_bytes()) {
        Result<DeviceInputs> copies =
            DeviceInputs::create(lab, bytes->data(), bytes->size(),
                                 setup.context().device_bytes / (setup.input_bytes().size() + 1));
        if (!copies) return std::move(copies).error();
        placed->inputs.push_back(std::move(*copies));
    }
    for (const ArraySpec& spec : (*plan)->outputs) {
        Result<DeviceArray> array = DeviceArray::create(lab, array_bytes(spec));
        if (!array) return std::move(array).error();
        placed->views.push_back({array->as<std::byte>()});
        placed->outputs.push_back(std::move(*array));
    }
    return placed;
}

Result<kernels::RunReport> run_on_gpu(JobSetup& setup, const GpuRun& placed, std::size_t turn) {
    std::vector<kernels::InputView> views;
    for (const DeviceInputs& copies : placed.inputs)
        views.push_back({static_cast<const std::byte*>(copies[turn]), setup.job().job.cols});
    GpuLab& lab = *setup.context().gpu;
    return lab.gpu().run({setup.job().job, (*setup.plan())->parts, views, placed.views, kernels::StopToken()},
                         lab.stream(), placed.policies);
}

Result<void> check_on_gpu(JobSetup& setup, const GpuRun& placed) {
    const Result<kernels::RunReport> report = run_on_gpu(setup, placed, 0);
    if (!report) return report.error();
    HostOutputs results(**setup.plan());
    for (std::size_t i = 0; i < results.arrays.size(); ++i) {
        Result<void> done = placed.outputs[i].download(results.arrays[i].data(), placed.outputs[i].bytes());
        if (!done) return done;
    }
    return setup.expect_same(*report, results.arrays);
}

// A runner of the daemon's kind, and the host's memory of one result.
struct CopiedRun {
    std::unique_ptr<device::GpuRunner> runner;
    std::vector<device::JobInput> inputs;
    device::JobOutput output;
    std::vector<std::byte> memory;
};

Result<std::unique_ptr<CopiedRun>> place_copied(JobSetup& setup) {
    const Result<const kernels::JobPlan*> plan = setup.plan();
    const Result<Span<const kernels::InputView>> inputs = setup.inputs();
    if (!inputs) return inputs.error();
    Result<std::unique_ptr<device::GpuRunner>> runner =
        device::GpuRunner::create(setup.context().gpu->gpu(), device::GpuRunnerLimits());
    if (!runner) return std::move(runner).error();
    auto made = std::make_unique<CopiedRun>();
    made->runner = std::move(*runner);
    for (const kernels::InputView& view : *inputs) {
        device::JobInput input;
        input.view = view;
        made->inputs.push_back(input);
    }
    std::uint64_t bytes = 0;
    for (const ArraySpec& spec : (*plan)->outputs) {
        made->output.offsets.push_back(bytes);
        bytes += (array_bytes(spec) + 63) / 64 * 64;
    }
    made->memory.resize(bytes + 64);
    made->output.data = made->memory.data();
    return made;
}

Result<kernels::RunReport> run_copied(JobSetup& setup, CopiedRun& state) {
    device::GpuCost cost;
    return state.runner->run(setup.job().job, **setup.plan(), state.inputs, state.output,
                             kernels::StopToken(), cost, setup.choice(TuningBackend::Cuda).cuda());
}

Result<void> check_copied(JobSetup& setup, CopiedRun& state) {
    const Result<kernels::RunReport> report = run_copied(setup, state);
    if (!report) return report.error();
    HostOutputs results(**setup.plan());
    for (std::size_t i = 0; i < results.arrays.size(); ++i)
        std::memcpy(results.arrays[i].data(), state.memory.data() + state.output.offsets[i],
                    array_bytes((*setup.plan())->outputs[i]));
    return setup.expect_same(*report, results.arrays);
}

template <class T>
Result<void> forget_value(const Result<T>& result) {
    if (!result) return result.error();
    return {};
}

}  // namespace

HostOutputs::HostOutputs(const kernels::JobPlan& plan) {
    for (const ArraySpec& spec : plan.outputs) {
        arrays.emplace_back(array_bytes(spec));
        views.push_back({arrays.back().data()});
    }
}

Result<const kernels::JobPlan*> JobSetup::plan() {
    if (plan_ == nullptr) {
        Result<kernels::JobPlan> plan = kernels::plan_job(job_.job);
        if (!plan) return std::move(plan).error();
        plan_ = std::make_unique<kernels::JobPlan>(std::move(*plan));
        cpu_choice_ = context_.tuning.choose(TuningBackend::Cpu, job_.job);
        cuda_choice_ = context_.tuning.choose(TuningBackend::Cuda, job_.job);
    }
    return plan_.get();
}

Result<Span<const kernels::InputView>> JobSetup::inputs() {
    const Result<const kernels::JobPlan*> planned = plan();
    if (!planned) return planned.error();
    const int count = info_of(operation_of(job_.job)).inputs;
    for (int i = static_cast<int>(views_.size()); i < count; ++i) {
        bytes_.push_back(context_.inputs.get(job_.job.type, job_.elements(), job_.values, i));
        views_.push_back({bytes_.back()->data(), job_.job.cols});
    }
    return Span<const kernels::InputView>(views_.data(), views_.size());
}

Result<void> JobSetup::expect_same(const kernels::RunReport& report,
                                   const std::vector<std::vector<std::byte>>& arrays) {
    if (reference_ == nullptr) {
        const Result<Span<const kernels::InputView>> views = inputs();
        if (!views) return views.error();
        auto made = std::make_unique<HostOutputs>(*plan_);
        Result<kernels::RunReport> one =
            kernels::run_job(job_.job, *views, made->views, nullptr, kernels::StopToken());
        if (!one) return std::move(one).error();
        reference_columns_ = std::move(one->filled_columns);
        reference_ = std::move(made);
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const std::string array(array_role_word(plan_->outputs[i].role));
        if (report.filled_columns[i] != reference_columns_[i])
            return make_error(Status::Internal, "wrong number of " + array);
        const std::uint64_t bytes = filled_bytes(*plan_, reference_columns_, i);
        if (std::memcmp(arrays[i].data(), reference_->arrays[i].data(), bytes) != 0)
            return make_error(Status::Internal, array + " differ from those of the CPU on one thread");
    }
    return {};
}

std::uint64_t JobSetup::host_bytes() {
    const Result<const kernels::JobPlan*> planned = plan();
    return planned ? (*planned)->bytes_read + 3 * (*planned)->bytes_written + (*planned)->scratch_bytes : 0;
}

Case cpu_case(const Setup& setup, unsigned threads) {
    Case one = new_case(setup, "cpu");
    one.axes.emplace_back("threads", static_cast<std::int64_t>(threads));
    const auto state = std::make_shared<CpuRun>();
    one.prepare = [setup, state](Case& self) {
        Result<void> done = set_plan(*setup, self);
        if (done) state->outputs = std::make_unique<HostOutputs>(**setup->plan());
        return done ? forget_value(setup->inputs()) : done;
    };
    one.check = [setup, state, threads] {
        Result<void> done = run_on_cpu(*setup, *state, threads);
        kernels::RunReport report;
        report.filled_columns = state->columns;
        return done ? setup->expect_same(report, state->outputs->arrays) : done;
    };
    one.run = [setup, state, threads](std::size_t) { return run_on_cpu(*setup, *state, threads); };
    one.finish = [setup, state](Case& self) {
        self.method = state->policy.text();
        note_row(*setup, TuningBackend::Cpu, self);
    };
    return one;
}

Case gpu_case(const Setup& setup, std::shared_ptr<const cuda::Policies> policies) {
    Case one = new_case(setup, "cuda");
    const auto placed = std::make_shared<std::unique_ptr<GpuRun>>();
    const auto policy = std::make_shared<kernels::RunPolicy>();
    one.prepare = [setup, placed, policies](Case& self) {
        Result<void> done = set_plan(*setup, self);
        if (!done) return done;
        Result<std::unique_ptr<GpuRun>> made = place(*setup, policies);
        if (!made) return Result<void>(std::move(made).error());
        *placed = std::move(*made);
        return Result<void>();
    };
    one.check = [setup, placed] { return check_on_gpu(*setup, **placed); };
    one.run = [setup, placed, policy](std::size_t turn) {
        Result<kernels::RunReport> report = run_on_gpu(*setup, **placed, turn);
        if (report) *policy = std::move(report->policy);
        return forget_value(report);
    };
    one.finish = [setup, policy, policies](Case& self) {
        self.method = policy->text();
        if (policies == nullptr) note_row(*setup, TuningBackend::Cuda, self);
    };
    return one;
}

Case copied_case(const Setup& setup) {
    Case one = new_case(setup, "cuda");
    one.name += " with its data";
    one.series += " with its data";
    one.axes.emplace_back("data", std::string("copied"));
    const auto state = std::make_shared<std::unique_ptr<CopiedRun>>();
    const auto policy = std::make_shared<kernels::RunPolicy>();
    one.prepare = [setup, state](Case& self) {
        Result<void> done = set_plan(*setup, self);
        if (!done) return done;
        Result<std::unique_ptr<CopiedRun>> made = place_copied(*setup);
        if (!made) return Result<void>(std::move(made).error());
        *state = std::move(*made);
        return Result<void>();
    };
    one.check = [setup, state] { return check_copied(*setup, **state); };
    one.run = [setup, state, policy](std::size_t) {
        Result<kernels::RunReport> report = run_copied(*setup, **state);
        if (report) *policy = std::move(report->policy);
        return forget_value(report);
    };
    one.finish = [setup, policy](Case& self) {
        self.method = policy->text();
        note_row(*setup, TuningBackend::Cuda, self);
    };
    return one;
}

void add_job_cases(PartContext& context, CaseList& cases, FieldJob job) {
    const auto setup = std::make_shared<JobSetup>(context, std::move(job));
    const std::uint64_t bytes = setup->host_bytes();
    if (bytes > context.memory_bytes) {
        cases.skip(setup->job().name, "cpu",
                   "it would take " + std::to_string(bytes >> 20) + " MiB of memory");
        return;
    }
    cases.add(cpu_case(setup, context.threads));
    if (context.gpu != nullptr) cases.add(gpu_case(setup));
}

}  // namespace tegu::field
