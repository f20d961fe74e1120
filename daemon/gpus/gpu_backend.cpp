// SPDX-License-Identifier: Apache-2.0
#include "daemon/gpus/gpu_backend.h"

#include <exception>
#include <new>
#include <utility>

#include "daemon/placement/probe_plan.h"
#include "kernels/device/gpu_probe.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kSamples = UINT64_MAX;  // no buffer of a client has this number
constexpr char kNoMemory[] = "out of memory";   // as a text: short enough to need none

}  // namespace

// Encodes like the CPU's runner, and computes on the GPU.
class GpuJobRunner final : public JobRunner {
  public:
    explicit GpuJobRunner(device::GpuRunner& runner) : JobRunner(nullptr), runner_(runner) {}
    // The error that ended the device, if any.
    const std::optional<Error>& lost() const { return lost_; }

    // A piece of a divided job, into prepared.output.
    Result<void> run_piece(const PreparedJob& prepared, const kernels::StopToken& stop,
                           kernels::RunPolicy& policy, RunCost& cost) {
        cost = RunCost();
        try {
            Result<kernels::RunReport> report = compute(prepared, prepared.output.data, {}, stop, cost);
            if (!report) return std::move(report).error();
            policy = policy_with_row(*report);
            return {};
        } catch (const std::exception&) {
            return make_error(Status::OutOfMemory, kNoMemory);
        }
    }

  private:
    Result<kernels::RunReport> compute(const PreparedJob& prepared, std::byte* base,
                                       Span<const kernels::OutputView>, const kernels::StopToken& stop,
                                       RunCost& cost) override {
        device::JobOutput output = prepared.output;
        output.data = base;
        const int ordinal = runner_.info().ordinal;
        tuning::JobChoice choice;
        cuda::JobPolicies policies;
        if (prepared.tuning != nullptr) {
            choice = prepared.tuning->gpu(ordinal).choose(TuningBackend::Cuda, prepared.job);
            policies = choice.cuda();
        }
        device::GpuCost spent;
        cost.started = true;  // should an exception pass, its output may have been written
        Result<kernels::RunReport> report =
            runner_.run(prepared.job, prepared.plan,
                        Span<const device::JobInput>(prepared.inputs.data(), prepared.input_count), output,
                        stop, spent, policies);
        cost.started = spent.started;
        cost.copy_ns = spent.moved.copy_ns;
        cost.copied_bytes = spent.moved.bytes_copied;
        cost.compute_ns = spent.compute_ns;
        name_row(prepared, choice);
        if (!report && report.error().status == Status::DeviceLost) lost_ = report.error();
        return report;
    }
    wire::Backend backend() const override { return wire::Backend::Gpu; }

    device::GpuRunner& runner_;
    std::optional<Error> lost_;
};

GpuUse& GpuUse::operator+=(const GpuUse& other) {
    buffers += other.buffers;
    arena_bytes += other.arena_bytes;
    arena_used_bytes += other.arena_used_bytes;
    return *this;
}

GpuBackend::GpuBackend(const device::DeviceInfo& device, const config::Settings::Gpu& settings,
                       Executor& fallback, std::promise<Result<void>> opened)
    : device_(device), settings_(settings), fallback_(fallback), opened_(std::move(opened)) {}

GpuBackend::~GpuBackend() = default;

void GpuBackend::start() {
    Result<void> opened;
    try {
        opened = open();
    } catch (const std::bad_alloc&) {
        opened = make_error(Status::OutOfMemory, kNoMemory);
    } catch (const std::exception& exception) {
        opened = make_error(Status::Internal, std::string("opening it failed: ") + exception.what());
    }
    if (!opened) end();
    opened_.set_value(std::move(opened));
}

Result<void> GpuBackend::open() {
    Result<std::unique_ptr<device::Gpu>> gpu =
        device::open_gpu(device_, {static_cast<std::size_t>(settings_.workspace_bytes)});
    if (!gpu) return std::move(gpu).error();
    gpu_ = std::move(gpu).value();
    device::GpuRunnerLimits limits;
    limits.arena_bytes = static_cast<std::size_t>(settings_.arena_bytes);
    Result<std::unique_ptr<device::GpuRunner>> runner = device::GpuRunner::create(*gpu_, limits);
    if (!runner) return std::move(runner).error();
    runner_ = std::move(runner).value();
    jobs_ = std::make_unique<GpuJobRunner>(*runner_);
    kernels_ = gpu_->kernels();
    return {};
}

// Only reached by bad_alloc while the message is built.
JobBackend::Outcome GpuBackend::run(JobTask& task, const kernels::StopToken& stop) {
    try {
        return try_to_run(task, stop);
    } catch (const std::exception&) {
        const bool again = !task.prepared.in_place || !task.cost.started;
        const Status status = jobs_->lost() ? Status::DeviceLost
                              : again       ? Status::OutOfMemory
                                            : Status::Internal;
        task.error = make_error(status, kNoMemory);
        return jobs_->lost() ? Outcome::Fatal : Outcome::Done;
    }
}

JobBackend::Outcome GpuBackend::try_to_run(JobTask& task, const kernels::StopToken& stop) {
    PreparedJob& prepared = task.prepared;
    const bool is_piece = task.whole != nullptr;
    Result<void> done = is_piece ? jobs_->run_piece(prepared, stop, task.policy, task.cost)
                                 : jobs_->run(prepared, stop, task.queue_ns, task.body, task.cost);
    publish();
    if (jobs_->lost()) {
        task.error = *jobs_->lost();
        return Outcome::Fatal;
    }
    if (done) return Outcome::Done;
    const bool input_changed = prepared.in_place && task.cost.started;
    if (falls_back_to_cpu({prepared.backend, done.error().status, is_piece, input_changed})) {
        prepared.note = "not on the GPU: " + done.error().message;
        task.cost = RunCost();
        return Outcome::Passed;
    }
    task.error = std::move(done).error();
    return Outcome::Done;
}

void GpuBackend::end() {
    jobs_.reset();
    runner_.reset();
    gpu_.reset();
}

// Out of memory is not a device failure.
Result<void> GpuBackend::probe() {
    try {
        Result<void> done = device::probe_gpu(*runner_);
        publish();
        return done;
    } catch (const std::bad_alloc&) {
        return {};
    }
}

SampleTime GpuBackend::time_sample(const Job& job, const SampleMemory& memory) {
    SampleTime time;
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan || !SampleMemory::holds(job, *plan)) return time;
    device::JobInput input;
    input.view = {memory.input(), job.cols};
    input.buffer.id = kSamples;
    input.buffer.readable = memory.input();
    input.buffer.bytes = SampleMemory::bytes();
    input.buffer.sealed = true;
    input.range = {0, job.rows * job.cols * element_bytes(job.type), 1};
    const std::array<device::JobInput, wire::kMaxInputs> inputs{input, input};
    const auto count =
        static_cast<std::size_t>(find_operation(static_cast<std::uint16_t>(operation_of(job)))->inputs);
    device::JobOutput output;
    output.data = memory.output();
    output.offsets = SampleMemory::offsets(*plan);
    for (unsigned run = 0; run <= ProbePlan::kRuns; ++run) {
        const TimePoint start = Clock::now();
        device::GpuCost cost;
        if (!runner_->run(job, *plan, Span<const device::JobInput>(inputs.data(), count), output,
                          kernels::StopToken(), cost))
            return SampleTime();
        time.spent_ns += nanoseconds(Clock::now() - start);
        time.copied_bytes = cost.moved.bytes_copied;
        time.copy_ns = cost.moved.copy_ns;
        const auto ns = static_cast<double>(std::max<std::uint64_t>(cost.compute_ns, 1));
        if (run > 0 && (time.ns <= 0 || ns < time.ns)) time.ns = ns;
    }
    return time;
}

void GpuBackend::forget_samples() {
    forget(kSamples);
}

void GpuBackend::forget(std::uint64_t buffer_id) {
    runner_->drop(buffer_id);
    publish();
}

void GpuBackend::publish() {
    buffers_ = runner_->buffers();
    arena_bytes_ = runner_->arena().held_bytes();
    arena_used_bytes_ = runner_->arena().used_bytes();
}

}  // namespace tegu::daemon
