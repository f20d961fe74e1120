// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/placement.h"

#include <algorithm>
#include <thread>

#include "daemon/placement/gpu_work.h"
#include "daemon/placement/job_bytes.h"

namespace tegu::daemon {
namespace {

// Scratch memory limit of an express lane job, in addition to limits.scratch_bytes of a pool job.
constexpr std::uint64_t kExpressScratchBytes = 8 << 20;
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

Asked asked_of(wire::BackendChoice choice) {
    if (choice == wire::BackendChoice::Cpu) return Asked::Cpu;
    return choice == wire::BackendChoice::Gpu ? Asked::Gpu : Asked::Auto;
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

// Costs of all threads are those of all that the machine has.
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

// For a job beside the running ones.
bool Placement::has_room_for_scratch(const kernels::JobPlan& plan) const {
    return plan.scratch_bytes == 0 ||
           plan.scratch_bytes + executors_.load().running_scratch_bytes <= settings_.limits.scratch_bytes;
}

Choice Placement::choose(const PreparedJob& prepared, const Asker& asker, bool may_inline) const {
    Choice choice;
    Offer on_io;
    on_io.run_ns = costs_.predict_ns(prepared.cost_class, kOneThread);
    on_io.possible = may_inline && has_room_for_scratch(prepared.plan);
    choice.predicted_ns.fill(on_io.run_ns);
    const Asked asked = asked_of(prepared.backend);
    const std::uint64_t budget_ns = settings_.executor.inline_budget_us * 1000;
    if (is_inline(asked, on_io, budget_ns)) {
        choice.answer = inline_answer(on_io);
        return choice;
    }
    const Question asks = question(prepared, asker, on_io);
    choice.answer = decide(asks);
    choice.predicted_ns[static_cast<std::size_t>(Target::Pool)] = asks.pool.run_ns;
    choice.near_one_thread = is_near_one_thread(asks);
    choice.considered = asked == Asked::Auto && !asks.gpus.empty();
    if (!asks.gpus.empty()) {
        const std::size_t gpu = choice.answer.target == Target::Gpu ? choice.answer.gpu : 0;
        const Offer& offer = asks.gpus[gpu];
        choice.gpu_run_ns = offer.run_ns;
        choice.gpu_copy_bytes = offer.copy_bytes;
        choice.predicted_ns[static_cast<std::size_t>(Target::Gpu)] =
            offer.run_ns + offer.copy_ns + offer.keep_ns;
    }
    const Target target = choice.answer.target;
    choice.idle = target == Target::Gpu    ? asks.gpus[choice.answer.gpu].wait_ns == 0
                  : target == Target::Pool ? asks.pool.wait_ns == 0
                                           : asks.express.wait_ns == 0;
    return choice;
}

Question Placement::question(const PreparedJob& prepared, const Asker& asker, const Offer& on_io) const {
    const CostClass& job = prepared.cost_class;
    const auto start_ns = [this](Target target) {
        return static_cast<std::uint64_t>(starts_[static_cast<std::size_t>(target)].value());
    };
    Question asks;
    asks.asked = asked_of(prepared.backend);
    asks.inline_budget_ns = settings_.executor.inline_budget_us * 1000;
    asks.on_io = on_io;
    const Executor &cpu = executors_.cpu(), &express = executors_.express();
    asks.pool.possible = true;
    asks.pool.wait_ns = cpu.wait_ns(asker.uid, asker.priority);
    asks.pool.start_ns = start_ns(Target::Pool);
    asks.pool.run_ns = costs_.predict_ns(job, kPool);
    asks.pool_runs_others = cpu.runs_other(asker.uid, asker.pid);
    const ExecutorLoad lane = express.load();
    const CostModel::Evidence one = costs_.evidence(job, kOneThread), all = costs_.evidence(job, kPool);
    asks.express.possible = prepared.plan.scratch_bytes <= kExpressScratchBytes;
    asks.express.wait_ns = lane.waiting_ns + lane.running_ns;
    asks.express.start_ns = start_ns(Target::Express);
    asks.express.run_ns = on_io.run_ns;
    asks.express.seen = one.seen;
    asks.express.elsewhere = one.elsewhere;
    asks.express_own_ns = express.backlog_ns(asker.uid);
    asks.pool.seen = all.seen;
    asks.pool.elsewhere = all.elsewhere;
    const Gpus& gpus = executors_.gpus();
    if (asks.asked != Asked::Cpu)
        for (std::size_t gpu = 0; gpu < gpus.all().size(); ++gpu)
            asks.gpus.push_back(on_gpu(prepared, asker, gpu));
    asks.can_divide = asks.gpus.size() > 1 && Gpus::may_divide(prepared);
    asks.divide_ns = settings_.gpu.divide_us == 0 ? UINT64_MAX : settings_.gpu.divide_us * 1000;
    if (const Buffer* const kept = kept_buffer(prepared)) asks.paid_ns = kept->missed_ns();
    // The first use of memory is no measure of the target.
    const bool may_try = !prepared.cold && !asker.has_deadline && asker.priority != wire::Priority::High;
    asks.trial_jobs = may_try ? settings_.placement.trial_jobs : 0;
    return asks;
}

// A job that exceeds the arena would return without a result.
Offer Placement::on_gpu(const PreparedJob& prepared, const Asker& asker, std::size_t gpu) const {
    const GpuExecutor& executor = *executors_.gpus().all()[gpu];
    const device::DeviceInfo& device = executors_.gpus().status().devices[gpu];
    const std::size_t kind = gpu_kinds_[gpu];
    const JobBytes bytes = job_bytes(prepared, device.memory_class, &executor);
    const std::uint64_t arena_bytes =
        device::within_memory(static_cast<std::size_t>(settings_.gpu.arena_bytes), device, 2);
    const CostModel::Evidence evidence = costs_.evidence(prepared.cost_class, kFirstGpu + kind);
    Offer offer;
    offer.possible = prepared.backend == wire::BackendChoice::Gpu || bytes.staged <= arena_bytes;
    offer.wait_ns = executor.executor().wait_ns(asker.uid, asker.priority);
    offer.start_ns = static_cast<std::uint64_t>(starts_[static_cast<std::size_t>(Target::Gpu)].value());
    offer.run_ns = costs_.predict_ns(prepared.cost_class, kFirstGpu + kind);
    const Copies& copies = copies_[kind];
    offer.copy_ns = copies.alone.predict_ns(bytes.alone);
    offer.keep_ns = (copies.kept.is_measured() ? copies.kept : copies.alone).predict_ns(bytes.kept);
    offer.copy_bytes = bytes.alone + bytes.kept;
    offer.seen = evidence.seen;
    offer.elsewhere = evidence.elsewhere;
    return offer;
}

Backend Placement::backend_at(const Answer& answer) const {
    return backend_of(answer.target, answer.target == Target::Gpu ? gpu_kinds_[answer.gpu] : 0);
}

void Placement::admitted(const PreparedJob& prepared, const Choice& choice) noexcept {
    ++counts_.targets[static_cast<std::size_t>(choice.answer.target)];
    ++counts_.reasons[static_cast<std::size_t>(choice.answer.reason)];
    if (choice.answer.reason == Reason::Trial)
        costs_.note_trial(prepared.cost_class, backend_at(choice.answer));
    if (choice.answer.target == Target::Inline) return;
    note_elsewhere(prepared, choice);
    if (Buffer* const kept = kept_buffer(prepared))
        kept->set_missed_ns(choice.answer.makes_copy ? 0 : kept->missed_ns() + choice.answer.missed_ns);
}

// Only jobs with another possible target make a trial there more urgent.
void Placement::note_elsewhere(const PreparedJob& prepared, const Choice& choice) noexcept {
    const Answer& answer = choice.answer;
    const CostClass& job = prepared.cost_class;
    const bool on_cpu = answer.target == Target::Pool || answer.target == Target::Express;
    if (answer.reason == Reason::Express) return;
    if (answer.target != Target::Express && (on_cpu || choice.considered) && choice.near_one_thread)
        costs_.note_elsewhere(job, kOneThread);
    if (answer.target == Target::Express || (answer.target == Target::Gpu && choice.considered))
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
    if (!choice.idle || task.target != choice.answer.target || turnaround_ns <= busy_ns) return;
    if (task.prepared.cold || choice.answer.makes_copy || task.cost.copied_bytes > choice.gpu_copy_bytes)
        return;
    const std::uint64_t start_ns = turnaround_ns - busy_ns;
    const bool is_bound = choice.answer.reason == Reason::Trial || busy_ns > kShortNs;
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
    if (on_gpu) {
        Copies& copies = copies_[kind];
        const bool all_expected = cost.copied_bytes <= choice.gpu_copy_bytes;
        (choice.answer.makes_copy || !all_expected ? copies.kept : copies.alone)
            .learn(cost.copied_bytes, cost.copy_ns);
    }
    // The kept copy is gone, or was of other bytes of the buffer.
    if (on_gpu && cost.copied_bytes > choice.gpu_copy_bytes + kUnexpectedBytes)
        if (Buffer* const kept = kept_buffer(task.prepared)) kept->forget_copies();
    // A job beside another one takes longer, but not by this factor:
    const std::uint64_t predicted_ns =
        on_gpu ? choice.gpu_run_ns : choice.predicted_ns[static_cast<std::size_t>(task.target)];
    const bool beside = choice.answer.reason == Reason::Express;
    if (beside && cost.compute_ns <= kOverrun * predicted_ns) return;
    costs_.learn({task.prepared.cost_class, task.target, kind, cost.threads, predicted_ns, cost.compute_ns,
                  task.prepared.cold});
}

void Placement::learn_overrun(const PreparedJob& prepared, std::uint64_t spent_ns) {
    costs_.learn_overrun(prepared.cost_class, spent_ns);
}

}  // namespace tegu::daemon
