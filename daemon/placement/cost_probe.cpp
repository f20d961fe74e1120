// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/cost_probe.h"

#include <algorithm>
#include <exception>

#include "base/log.h"
#include "daemon/clock.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kMinSpentNs = 1000;  // minimum charge, for samples that cannot run

std::vector<device::DeviceInfo> devices_of(const Placement& placement) {
    std::vector<device::DeviceInfo> devices;
    for (CostResource resource = kFirstGpu; resource < placement.costs().resources(); ++resource)
        devices.push_back(placement.device_of(resource - kFirstGpu));
    return devices;
}

}  // namespace

// The data of a control task: owned by the executor's thread while it runs, by the io thread before and
// after.
struct CostProbe::Step {
    Step(CostResource of, std::uint64_t budget_ns, bool its_times)
        : resource(of),
          times(its_times),
          plan(of, budget_ns, its_times ? ProbePlan::Of::All : ProbePlan::Of::Way) {}
    const CostResource resource;
    const bool times;  // the times of jobs there are unknown
    ProbePlan plan;
    const std::shared_ptr<SampleMemory> memory = std::make_shared<SampleMemory>();
    SampleTime time;
    bool idle = false;  // nothing waited or ran before the control task
    TimePoint posted{};
    std::uint64_t task_ns = 0;
};

CostProbe::CostProbe(const config::Settings& settings, Executors& executors, Placement& placement,
                     HelperThread& files)
    : settings_(settings),
      executors_(executors),
      placement_(placement),
      files_(files),
      file_(kept_costs_file(state_directory(settings.placement.directory))),
      key_(machine_key(TEGU_VERSION, placement.threads(), devices_of(placement))) {}

CostProbe::~CostProbe() = default;

void CostProbe::load() {
    costs_ = parse_kept_costs(read_kept_costs(file_), key_, placement_.costs().resources());
    kept_ = !costs_.times.empty();
    seed();
    for (const KeptCosts::Copy& copy : costs_.copies)
        placement_.learn_copy(copy.gpu_kind, copy.bytes, copy.ns);
}

void CostProbe::seed() {
    for (CostResource resource = 0; resource < placement_.costs().resources(); ++resource) {
        if (placement_.costs().is_seeded(resource)) continue;
        std::vector<CostSample> samples;
        for (const KeptCosts::Time& time : costs_.times)
            if (time.resource == resource) samples.push_back({*class_of(time.probed.sample), time.probed.ns});
        placement_.seed(resource, samples, kept_ ? CostSource::Kept : CostSource::Probed);
    }
}

// GPUs first, because their estimates are less accurate. Each start times the handover to a target; one
// thread uses that of the pool.
void CostProbe::start() {
    started_ = true;
    begin([](CostResource resource) { return resource != kOneThread; });
}

void CostProbe::restart() {
    if (started_ && !stopped_ && !runs()) begin([](CostResource) { return false; });
}

template <class Wanted>
void CostProbe::begin(const Wanted& is_wanted) noexcept {
    if (settings_.placement.probe_ms == 0) return;
    guarded([&] {
        for (CostResource resource = placement_.costs().resources(); resource-- > 0;)
            if (is_wanted(resource) || !placement_.costs().is_seeded(resource)) left_.push_back(resource);
        next_resource();
    });
}

template <class Function>
void CostProbe::guarded(Function&& function) noexcept {
    try {
        function();
    } catch (const std::exception&) {
        left_.clear();
        step_.reset();
    }
}

void CostProbe::next_resource() {
    step_.reset();
    if (left_.empty() && measured_) return keep();
    if (left_.empty() || stopped_) return;
    step_ = std::make_shared<Step>(left_.front(), settings_.placement.probe_ms * 1'000'000,
                                   !placement_.costs().is_seeded(left_.front()));
    left_.erase(left_.begin());
    next_sample();
}

GpuExecutor& CostProbe::gpu_of(CostResource resource) const {
    const std::vector<std::size_t>& kinds = placement_.gpu_kinds();
    const auto first = std::find(kinds.begin(), kinds.end(), resource - kFirstGpu);
    return *executors_.gpus().all()[static_cast<std::size_t>(first - kinds.begin())];
}

// The control task shares ownership of the step with the io thread, and has exclusive access while it runs.
void CostProbe::post(std::function<SampleTime(CpuBackend&)> on_cpu,
                     std::function<SampleTime(GpuBackend&)> on_gpu, void (CostProbe::*then)()) {
    const auto done = [this, then] { guarded([this, then] { (this->*then)(); }); };
    const auto measure = [step = step_](const auto& work, auto& on) {
        const TimePoint start = Clock::now();
        try {
            step->time = work(on);
        } catch (const std::exception&) {  // out of memory: nothing was measured
            step->time = SampleTime();
        }
        step->task_ns = nanoseconds(Clock::now() - start);
    };
    step_->posted = Clock::now();
    step_->idle = is_idle();
    if (step_->resource >= kFirstGpu)
        gpu_of(step_->resource).post([measure, on_gpu](GpuBackend& gpu) { measure(on_gpu, gpu); }, done);
    else
        executors_.post_to_cpu([measure, on_cpu](CpuBackend& cpu) { measure(on_cpu, cpu); }, done);
}

bool CostProbe::is_idle() const {
    const Executor& executor =
        step_->resource >= kFirstGpu ? gpu_of(step_->resource).executor() : executors_.cpu();
    const ExecutorLoad load = executor.load();
    return load.waiting_ns == 0 && load.running_ns == 0;
}

// A control task has the same handover as a job.
void CostProbe::learn_start() {
    const std::uint64_t all_ns = nanoseconds(Clock::now() - step_->posted);
    if (!step_->idle || all_ns <= step_->task_ns) return;
    const std::uint64_t start_ns = all_ns - step_->task_ns;
    if (step_->resource >= kFirstGpu) return placement_.learn_start(Target::Gpu, start_ns);
    placement_.learn_start(Target::Pool, start_ns);
    placement_.learn_start(Target::Express, start_ns);
}

void CostProbe::next_sample() {
    if (stopped_) return step_.reset();
    const std::optional<Sample> sample = step_->plan.next();
    if (!sample) return end_resource();
    const bool alone = step_->resource == kOneThread;
    const std::shared_ptr<SampleMemory> memory = step_->memory;
    const Job job = job_of(*sample).value();
    post(
        [=](CpuBackend& cpu) {
            return memory->prepare() ? cpu.time_sample(job, *memory, alone) : SampleTime();
        },
        [=](GpuBackend& gpu) { return memory->prepare() ? gpu.time_sample(job, *memory) : SampleTime(); },
        &CostProbe::end_sample);
}

void CostProbe::end_sample() {
    const SampleTime& time = step_->time;
    learn_start();
    step_->plan.record(time.ns, std::max(time.spent_ns, kMinSpentNs));
    if (step_->resource >= kFirstGpu && time.copied_bytes > 0) {
        const std::size_t kind = step_->resource - kFirstGpu;
        placement_.learn_copy(kind, time.copied_bytes, time.copy_ns);
        if (step_->times) costs_.copies.push_back({kind, time.copied_bytes, time.copy_ns});
    }
    next_sample();
}

// The memory is freed on the thread that allocated it, because that takes time.
void CostProbe::end_resource() {
    const CostResource resource = step_->resource;
    std::vector<CostSample> samples;
    if (step_->times)
        for (const ProbedSample& probed : step_->plan.results()) {
            samples.push_back({*class_of(probed.sample), probed.ns});
            costs_.times.push_back({resource, probed});
        }
    placement_.seed(resource, samples, CostSource::Probed);
    measured_ |= !samples.empty();
    log(LogLevel::Debug, "probed backend " + std::to_string(resource) + ": " +
                             std::to_string(samples.size()) + " samples in " +
                             std::to_string(step_->plan.spent_ns() / 1000) + " us");
    const std::shared_ptr<SampleMemory> memory = step_->memory;
    post(
        [=](CpuBackend&) {
            memory->release();
            return SampleTime();
        },
        [=](GpuBackend& gpu) {
            gpu.forget_samples();
            memory->release();
            return SampleTime();
        },
        &CostProbe::next_resource);
}

void CostProbe::keep() {
    measured_ = false;
    if (file_.empty()) return;
    HelperThread::Task task;
    task.work = [file = file_, text = kept_costs_text(key_, costs_)] {
        try {
            const Result<void> written = write_kept_costs(file, text);
            if (!written) log(LogLevel::Notice, "what jobs take is not kept: " + written.error().message);
        } catch (const std::exception&) {  // out of memory: the next start measures again
        }
        return HelperThread::Progress::Done;
    };
    (void)files_.submit(task);
}

}  // namespace tegu::daemon
