// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/placement.h"

#include <algorithm>
#include <thread>

#include "daemon/jobs/divided_job.h"
#include "daemon/placement/gpu_work.h"
#include "daemon/placement/job_bytes.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kOverrun = 4;  // more than a job beside it can explain
constexpr std::uint64_t kShortNs = 300'000;
constexpr std::uint64_t kUnexpectedBytes = 64 << 10;
constexpr double kStartNs = 20000;  // initial value of waking a thread and being woken

bool is_one_kind(const device::DeviceInfo& a, const device::DeviceInfo& b) {
    return a.name == b.name && a.limits.compute_capability == b.limits.compute_capability &&
           a.limits.multiprocessors == b.limits.multiprocessors && a.core_clock_khz == b.core_clock_khz;
}

std::vector<std::size_t> kinds_of(const std::vector<device::DeviceInfo>& devices) {
    std::vector<std::size_t> kinds, firsts;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const auto same = std::find_if(firsts.begin(), firsts.end(), [&](std::size_t first) {
            return is_one_kind(devices[first], devices[i]);
        });
        kinds.push_back(static_cast<std::size_t>(same - firsts.begin()));
        if (same == firsts.end()) firsts.push_back(i);
    }
    return kinds;
}

std::size_t count_kinds(const std::vector<std::size_t>& kinds) {
    return kinds.empty() ? 0 : *std::max_element(kinds.begin(), kinds.end()) + 1;
}

CostMachine machine_of(const std::vector<device::DeviceInfo>& devices, const std::vector<std::size_t>& kinds,
                       unsigned threads) {
    CostMachine machine;
    machine.threads = threads;
    machine.gpu_speeds.resize(count_kinds(kinds), 1);
    for (std::size_t i = 0; i < devices.size(); ++i)
        machine.gpu_speeds[kinds[i]] = gpu_speed(devices[i].limits, devices[i].core_clock_khz);
    return machine;
}

// Costs are in lookup order, so those of the first table count.
bool costs_are_of_device(const tuning::DeviceTuning& tuning) {
    const std::vector<tuning::TableUse>& tables = tuning.tables();
    const auto first =
        std::find_if(tables.begin(), tables.end(), [](const auto& use) { return use.costs > 0; });
    return first != tables.end() &&
           (first->level == tuning::TuningLevel::Overlay || first->level == tuning::TuningLevel::Device);
}

}  // namespace

Placement::Placement(const config::Settings& settings, const Executors& executors, unsigned threads)
    : settings_(settings),
      executors_(executors),
      threads_(threads),
      gpu_kinds_(kinds_of(executors.gpus().status().devices)),
      costs_(machine_of(executors.gpus().status().devices, gpu_kinds_, threads)),
      copies_(count_kinds(gpu_kinds_)),
      starts_{MovingTime(1), MovingTime(kStartNs), MovingTime(kStartNs), MovingTime(kStartNs)} {}

const device::DeviceInfo& Placement::device_of(std::size_t gpu_kind) const {
    const auto first = std::find(gpu_kinds_.begin(), gpu_kinds_.end(), gpu_kind);
    return executors_.gpus().status().devices[static_cast<std::size_t>(first - gpu_kinds_.begin())];
}

// Sets the cost rows of the tables. Rows for all threads count only for a pool of all threads.
void Placement::set_tables(const TuningState& tuning) {
    std::vector<CostRow> cpu = tuning.cpu().costs();
    if (threads_ != std::max(1u, std::thread::hardware_concurrency()))
        cpu.erase(std::remove_if(cpu.begin(), cpu.end(), [](const CostRow& row) { return row.threads == 0; }),
                  cpu.end());
    (void)costs_.set_table(kOneThread, cpu);
    (void)costs_.set_table(kPool, cpu);
    for (std::size_t kind = 0; kind < copies_.size(); ++kind) {
        const tuning::DeviceTuning& gpu = tuning.gpu(device_of(kind).ordinal);
        (void)costs_.set_table(kFirstGpu + kind, gpu.costs(), costs_are_of_device(gpu));
    }
}

Result<void> Placement::check_wish(wire::BackendChoice wish) const {
    const GpuStatus& gpus = executors_.gpus().status();
    return daemon::check_wish(wish, gpus.runs(), gpus.reason);
}

Result<Choice> Placement::choose(const PreparedJob& prepared, const JobOwner& owner,
                                 bool gave_up_inline) const {
    PlacementInputs inputs;
    inputs.wish = prepared.backend;
    inputs.inline_budget_ns = settings_.executor.inline_budget_us * 1000;
    inputs.gave_up_inline = gave_up_inline;
    inputs.scratch_bytes = prepared.plan.scratch_bytes;
    if (inputs.scratch_bytes != 0 && executors_.uses_cpu())
        inputs.running_scratch_bytes = executors_.load().running_scratch_bytes;
    inputs.max_scratch_bytes = settings_.limits.scratch_bytes;
    inputs.express.run_ns = costs_.predict_ns(prepared.cost_class, kOneThread);
    if (!is_inline(inputs)) add_targets(prepared, owner, inputs);
    return decide(inputs);
}

Offer Placement::offer_at(Target target, CostResource resource, const CostClass& job,
                          std::uint64_t run_ns) const {
    const CostModel::Evidence evidence = costs_.evidence(job, resource);
    Offer offer;
    offer.start_ns = static_cast<std::uint64_t>(starts_[static_cast<std::size_t>(target)].value());
    offer.run_ns = run_ns;
    offer.seen = evidence.seen;
    offer.elsewhere = evidence.elsewhere;
    return offer;
}

void Placement::add_targets(const PreparedJob& prepared, const JobOwner& owner,
                            PlacementInputs& inputs) const {
    const CostClass& job = prepared.cost_class;
    const Executor &cpu = executors_.cpu(), &express = executors_.express();
    const ExecutorLoad lane = express.load(), all = executors_.load();
    inputs.express = offer_at(Target::Express, kOneThread, job, inputs.express.run_ns);
    inputs.express.wait_ns = lane.waiting_ns + lane.running_ns;
    inputs.express_own_ns = express.backlog_ns(owner.uid);
    inputs.pool = offer_at(Target::Pool, kPool, job, costs_.predict_ns(job, kPool));
    inputs.pool.wait_ns = cpu.wait_ns(owner.uid, owner.priority);
    inputs.pool_runs_others = cpu.runs_other(owner.uid, owner.pid);
    const std::size_t gpus = inputs.wish == wire::BackendChoice::Cpu ? 0 : executors_.gpus().all().size();
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) inputs.gpus.push_back(on_gpu(prepared, owner, gpu));
    inputs.queue = {all.waiting, all.waiting_ns, all.running_ns, settings_.limits.queued_jobs,
                    settings_.limits.queued_work_ms};
    if (const Buffer* const kept = kept_buffer(prepared)) inputs.paid_ns = kept->missed_ns();
    inputs.can_divide = gpus > 1 && DividedJob::can_divide(prepared);
    inputs.divide_ns = settings_.gpu.divide_us * 1000;
    inputs.trial_jobs = settings_.placement.trial_jobs;
    inputs.cold = prepared.cold;
    inputs.has_deadline = owner.has_deadline;
    inputs.high_priority = owner.priority == wire::Priority::High;
}

Offer Placement::on_gpu(const PreparedJob& prepared, const JobOwner& owner, std::size_t gpu) const {
    const GpuExecutor& executor = *executors_.gpus().all()[gpu];
    const device::DeviceInfo& device = executors_.gpus().status().devices[gpu];
    const std::size_t kind = gpu_kinds_[gpu];
    const JobBytes bytes = job_bytes(prepared, device.memory_class, &executor);
    const std::uint64_t arena_bytes =
        device::within_memory(static_cast<std::size_t>(settings_.gpu.arena_bytes), device, 2);
    const CostClass& job = prepared.cost_class;
    const CostResource resource = kFirstGpu + kind;
    Offer offer = offer_at(Target::Gpu, resource, job, costs_.predict_ns(job, resource));
    offer.has_memory = bytes.staged <= arena_bytes;
    offer.wait_ns = executor.executor().wait_ns(owner.uid, owner.priority);
    const Copies& copies = copies_[kind];
    offer.copy_ns = copies.alone.predict_ns(bytes.alone);
    offer.keep_ns = (copies.kept.is_measured() ? copies.kept : copies.alone).predict_ns(bytes.kept);
    offer.copy_bytes = bytes.alone + bytes.kept;
    return offer;
}

CostResource Placement::resource_at(const Choice& choice) const {
    return resource_of(choice.target, choice.target == Target::Gpu ? gpu_kinds_[choice.gpu] : 0);
}

void Placement::admitted(const PreparedJob& prepared, const Choice& choice) noexcept {
    ++counts_.targets[static_cast<std::size_t>(choice.target)];
    ++counts_.reasons[static_cast<std::size_t>(choice.reason)];
    if (choice.reason == Reason::Trial) costs_.note_trial(prepared.cost_class, resource_at(choice));
    if (choice.target == Target::Inline) return;
    note_elsewhere(prepared, choice);
    if (Buffer* const kept = kept_buffer(prepared))
        kept->set_missed_ns(choice.makes_copy ? 0 : kept->missed_ns() + choice.missed_ns);
}

// Only jobs with another possible target make a trial there more urgent.
void Placement::note_elsewhere(const PreparedJob& prepared, const Choice& choice) noexcept {
    const CostClass& job = prepared.cost_class;
    const bool on_cpu = choice.target == Target::Pool || choice.target == Target::Express;
    if (choice.reason == Reason::Express) return;
    if (choice.target != Target::Express && (on_cpu || choice.considered) && choice.near_one_thread)
        costs_.note_elsewhere(job, kOneThread);
    if (choice.target == Target::Express || (choice.target == Target::Gpu && choice.considered))
        costs_.note_elsewhere(job, kPool);
    if (!on_cpu || !choice.considered) return;
    for (std::size_t kind = 0; kind < copies_.size(); ++kind) costs_.note_elsewhere(job, kFirstGpu + kind);
}

void Placement::learn_inline(const PreparedJob& prepared, const Choice& choice, const RunCost& cost) {
    costs_.learn({prepared.cost_class, Target::Inline, 0, cost.threads, choice.predicted(), cost.compute_ns,
                  prepared.cold});
}

void Placement::learn_start(Target target, std::uint64_t ns) {
    starts_[static_cast<std::size_t>(target)].add(static_cast<double>(std::max<std::uint64_t>(ns, 1)));
}

// The first use of memory costs extra time: pages, registrations, allocation for copies. After a long job or
// an idle time, cores and clocks are in a sleep state. Then the time is only an upper bound for short jobs.
void Placement::learn_start_of(const JobTask& task, std::uint64_t turnaround_ns) {
    const Choice& choice = task.choice;
    const std::uint64_t busy_ns = task.cost.copy_ns + task.cost.compute_ns;
    if (!choice.idle || task.target != choice.target || turnaround_ns <= busy_ns) return;
    if (task.prepared.cold || choice.makes_copy || task.cost.copied_bytes > choice.gpu_copy_bytes) return;
    const std::uint64_t start_ns = turnaround_ns - busy_ns;
    const bool is_bound = choice.reason == Reason::Trial || busy_ns > kShortNs;
    if (!is_bound || static_cast<double>(start_ns) < starts_[static_cast<std::size_t>(task.target)].value())
        learn_start(task.target, start_ns);
}

void Placement::learn(const JobTask& task, std::uint64_t turnaround_ns) {
    const Choice& choice = task.choice;
    const RunCost& cost = task.cost;
    const bool divided = task.divided != nullptr, on_gpu = task.target == Target::Gpu;
    learn_start_of(task, turnaround_ns);
    if (divided) return;
    const std::size_t kind = on_gpu ? gpu_kinds_[task.gpu] : 0;
    if (on_gpu && !cost.beside) {
        Copies& copies = copies_[kind];
        const bool all_expected = cost.copied_bytes <= choice.gpu_copy_bytes;
        (choice.makes_copy || !all_expected ? copies.kept : copies.alone)
            .learn(cost.copied_bytes, cost.copy_ns);
    }
    // The kept copy is gone, or covered other bytes of the buffer.
    if (on_gpu && cost.copied_bytes > choice.gpu_copy_bytes + kUnexpectedBytes)
        if (Buffer* const kept = kept_buffer(task.prepared)) kept->forget_copies();
    // A job beside another one takes longer, but not by this factor:
    const std::uint64_t predicted_ns =
        on_gpu ? choice.gpu_run_ns : choice.predicted_ns[static_cast<std::size_t>(task.target)];
    const bool beside = choice.reason == Reason::Express || cost.beside;
    if (beside && cost.compute_ns <= kOverrun * predicted_ns) return;
    costs_.learn({task.prepared.cost_class, task.target, kind, cost.threads, predicted_ns, cost.compute_ns,
                  task.prepared.cold});
}

void Placement::learn_overrun(const PreparedJob& prepared, std::uint64_t spent_ns) {
    costs_.learn_overrun(prepared.cost_class, spent_ns);
}

}  // namespace tegu::daemon
