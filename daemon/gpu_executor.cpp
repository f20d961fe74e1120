// SPDX-License-Identifier: Apache-2.0
#include "daemon/gpu_executor.h"

#include <atomic>
#include <exception>
#include <future>
#include <utility>

#include "kernels/device/gpu_runner.h"

namespace tegu::daemon {
namespace {

device::MemoryClass wished_class(config::GpuMemory wish) {
    switch (wish) {
        case config::GpuMemory::A: return device::MemoryClass::A;
        case config::GpuMemory::B: return device::MemoryClass::B;
        case config::GpuMemory::C: return device::MemoryClass::C;
        case config::GpuMemory::Discrete: return device::MemoryClass::Discrete;
        case config::GpuMemory::Auto: break;
    }
    return device::MemoryClass::None;
}

// Encodes as the CPU's does; what computes is the GPU.
class GpuJobRunner final : public JobRunner {
  public:
    explicit GpuJobRunner(device::GpuRunner& runner) : JobRunner(nullptr), runner_(runner) {}
    // What ended the device, if anything did.
    const std::optional<Error>& lost() const { return lost_; }

  private:
    Result<kernels::RunReport> compute(const PreparedJob& prepared, std::byte* base, Span<const kernels::OutputView>,
                                       const kernels::StopToken& stop, RunCost& cost) override {
        std::array<device::GpuInput, wire::kMaxInputs> inputs;
        for (std::size_t i = 0; i < prepared.input_count; ++i) {
            inputs[i].view = prepared.inputs[i];
            if (prepared.input_buffers[i].id != 0) inputs[i].buffer = &prepared.input_buffers[i];
            inputs[i].range = prepared.input_ranges[i];
            inputs[i].is_output = prepared.input_is_output[i];
        }
        device::GpuOutput output;
        output.data = base;
        output.offsets = prepared.output_offsets;
        if (prepared.in_output) output.buffer = &prepared.output_buffer;
        output.begin = prepared.output_begin;
        device::GpuCost spent;
        Result<kernels::RunReport> report =
            runner_.run(prepared.job, prepared.plan, Span<const device::GpuInput>(inputs.data(), prepared.input_count),
                        output, stop, spent);
        cost.started = spent.started;
        cost.copy_ns = spent.moved.copy_ns;
        cost.compute_ns = spent.compute_ns;
        if (!report && report.error().status == Status::DeviceLost) lost_ = report.error();
        return report;
    }
    wire::Backend backend() const override { return wire::Backend::Gpu; }

    device::GpuRunner& runner_;
    std::optional<Error> lost_;
};

}  // namespace

// The GPU, for the executor's thread.
class GpuStation final : public JobStation {
  public:
    GpuStation(const config::Settings& settings, Executor& fallback, std::promise<GpuStatus> found)
        : settings_(settings.gpu),
          expected_(settings.executor.backend == config::ExecutorBackend::Gpu),
          fallback_(fallback),
          found_(std::move(found)) {}

    void start() override {
        GpuStatus status;
        try {
            open(status);
        } catch (const std::exception& exception) {
            status.runs = false;
            status.reason = std::string("looking for a GPU failed: ") + exception.what();
        }
        status.degraded = !status.runs && (expected_ || status.degraded);
        found_.set_value(std::move(status));
    }

    Place place() const override { return Place::Gpu; }

    Outcome run(JobTask& task, const kernels::StopToken& stop) override {
        PreparedJob& prepared = task.prepared;
        Result<void> done = jobs_->run(prepared, stop, task.queue_ns, task.body, task.cost);
        publish();
        if (jobs_->lost()) {
            task.error = *jobs_->lost();
            return Outcome::Fatal;
        }
        if (done) return Outcome::Done;
        const bool may_repeat = !prepared.in_place || !task.cost.started;
        if (done.error().status == Status::OutOfMemory && prepared.backend == wire::BackendChoice::Auto && may_repeat) {
            prepared.note = "not on the GPU: " + done.error().message;
            task.cost = RunCost();
            return Outcome::Passed;
        }
        task.error = std::move(done).error();
        return Outcome::Done;
    }

    void pass(std::shared_ptr<JobTask> task) override { fallback_.submit(std::move(task)); }

    void end() override {
        jobs_.reset();
        runner_.reset();
        gpu_.reset();
    }

    // Constant once started: any thread.
    bool can_run(const Job& job) const { return runner_->can_run(job); }
    GpuUse use() const { return {buffers_.load(), arena_bytes_.load(), arena_used_bytes_.load()}; }
    // The executor's thread.
    void forget(std::uint64_t buffer_id) {
        runner_->drop(buffer_id);
        publish();
    }
    void allow_registering(std::uint64_t buffer_id, bool allowed) { runner_->allow_registering(buffer_id, allowed); }

  private:
    void publish() {
        buffers_ = runner_->buffers();
        arena_bytes_ = runner_->arena().held_bytes();
        arena_used_bytes_ = runner_->arena().used_bytes();
    }

    void open(GpuStatus& status) {
        const device::DeviceList list = device::probe_devices();
        status.degraded = !list.devices.empty();  // one that is there should run jobs
        Result<device::DeviceInfo> device =
            device::choose_device(list, {static_cast<int>(settings_.device), wished_class(settings_.memory_class)});
        Result<void> opened = device ? open(*device) : Result<void>(device.error());
        if (!opened) {
            end();
            status.reason = opened.error().message;
            if (!opened.error().field.empty()) status.reason += " (" + opened.error().field + ")";
            return;
        }
        status.device = std::move(device).value();
        status.runs = true;
    }

    Result<void> open(const device::DeviceInfo& device) {
        Result<std::unique_ptr<device::Gpu>> gpu =
            device::open_gpu(device, {static_cast<std::size_t>(settings_.workspace_bytes)});
        if (!gpu) return std::move(gpu).error();
        gpu_ = std::move(gpu).value();
        Result<std::unique_ptr<device::GpuRunner>> runner =
            device::GpuRunner::create(*gpu_, {static_cast<std::size_t>(settings_.arena_bytes)});
        if (!runner) return std::move(runner).error();
        runner_ = std::move(runner).value();
        jobs_ = std::make_unique<GpuJobRunner>(*runner_);
        return {};
    }

    const config::Settings::Gpu settings_;
    const bool expected_;
    Executor& fallback_;
    std::promise<GpuStatus> found_;
    std::unique_ptr<device::Gpu> gpu_;
    std::unique_ptr<device::GpuRunner> runner_;
    std::unique_ptr<GpuJobRunner> jobs_;
    std::atomic<std::uint64_t> buffers_{0}, arena_bytes_{0}, arena_used_bytes_{0};
};

std::shared_ptr<GpuExecutor> GpuExecutor::start(const config::Settings& settings, Executor& fallback,
                                                std::function<void()> wake, GpuStatus& status) {
    if (settings.executor.backend == config::ExecutorBackend::Cpu) {
        status.reason = "executor.backend is cpu";
        return nullptr;
    }
    std::promise<GpuStatus> promise;
    std::future<GpuStatus> found = promise.get_future();
    auto station = std::make_unique<GpuStation>(settings, fallback, std::move(promise));
    std::shared_ptr<GpuExecutor> gpu(new GpuExecutor());
    gpu->station_ = station.get();
    gpu->executor_ = std::make_unique<Executor>(std::move(station), settings.scheduler.quantum_us * 1000,
                                                std::move(wake), "tegud-gpu");
    status = found.get();
    return status.runs ? gpu : nullptr;
}

GpuExecutor::~GpuExecutor() = default;

bool GpuExecutor::can_run(const Job& job) const {
    return station_->can_run(job);
}

GpuUse GpuExecutor::use() const {
    return stopped() ? GpuUse() : station_->use();
}

void GpuExecutor::stop() {
    executor_.reset();
    station_ = nullptr;
}

void GpuExecutor::forget(std::uint64_t buffer_id, std::function<void()> then) {
    if (stopped()) return then();
    executor_->post([station = station_, buffer_id] { station->forget(buffer_id); }, std::move(then));
}

void GpuExecutor::allow_registering(std::uint64_t buffer_id, bool allowed, std::function<void()> then) {
    if (!stopped()) {
        executor_->post([station = station_, buffer_id, allowed] { station->allow_registering(buffer_id, allowed); },
                        std::move(then));
    } else if (then) {
        then();
    }
}

}  // namespace tegu::daemon
