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

// Counts the jobs that run.
class Depth {
  public:
    explicit Depth(std::size_t& depth) : depth_(depth) { ++depth_; }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

  private:
    std::size_t& depth_;
};

}  // namespace

// Encodes like the CPU's runner, and computes on the GPU.
class GpuJobRunner final : public JobRunner {
  public:
    // `lost`: gets the error that ended the device.
    GpuJobRunner(device::GpuRunner& runner, std::optional<Error>& lost)
        : JobRunner(nullptr), runner_(runner), lost_(lost) {}

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
        cost.beside = spent.beside;
        name_row(prepared, choice);
        if (!report && report.error().status == Status::DeviceLost) lost_ = report.error();
        return report;
    }
    wire::Backend backend() const override { return wire::Backend::Gpu; }

    device::GpuRunner& runner_;
    std::optional<Error>& lost_;
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
    for (unsigned i = 0; i <= runner_->jobs_beside(); ++i)
        jobs_.push_back(std::make_unique<GpuJobRunner>(*runner_, lost_));
    if (runner_->jobs_beside() > 0 && meanwhile_)
        runner_->set_meanwhile(
            {[](void* with) { return static_cast<GpuBackend*>(with)->meanwhile_(); }, this});
    beside_ = runner_->jobs_beside();
    kernels_ = gpu_->kernels();
    return {};
}

// Only reached by bad_alloc while the message is built.
JobBackend::Outcome GpuBackend::run(JobTask& task, const kernels::StopToken& stop) {
    const Depth depth(depth_);
    try {
        return try_to_run(*jobs_[depth_ - 1], task, stop);
    } catch (const std::exception&) {
        const bool again = !task.prepared.in_place || !task.cost.started;
        const Status status = lost_ ? Status::DeviceLost : again ? Status::OutOfMemory : Status::Internal;
        task.error = make_error(status, kNoMemory);
        return lost_ ? Outcome::Fatal : Outcome::Done;
    }
}

JobBackend::Outcome GpuBackend::try_to_run(GpuJobRunner& runner, JobTask& task,
                                           const kernels::StopToken& stop) {
    PreparedJob& prepared = task.prepared;
    const bool is_piece = task.whole != nullptr;
    Result<void> done = is_piece ? runner.run_piece(prepared, stop, task.policy, task.cost)
                                 : runner.run(prepared, stop, task.queue_ns, task.body, task.cost);
    publish();
    if (lost_) {
        task.error = *lost_;
        return Outcome::Fatal;
    }
    if (done) return Outcome::Done;
    if (depth_ > 1 && done.error().status == Status::OutOfMemory) return Outcome::Later;
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
    jobs_.clear();
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
    const auto count = static_cast<std::size_t>(info_of(operation_of(job)).inputs);
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
