// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/decide.h"

#include <algorithm>
#include <string>
#include <utility>

#include "daemon/placement/correction_curve.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kLongestSumNs = std::uint64_t{1} << 62;
// Limits of a trial's extra time: a factor of the best choice, and an absolute time. After this many jobs a
// trial is due at any cost.
constexpr double kTrialRatio = 100;
constexpr std::uint64_t kTrialNs = 20'000'000;
constexpr double kTrialJobs = 60'000;
constexpr unsigned kTrialDoublings = 9;  // from a class that was never tried to one that is known
// Scratch memory limit of an express lane job, in addition to limits.scratch_bytes of a pool job.
constexpr std::uint64_t kExpressScratchBytes = 8 << 20;

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    return std::min(a, kLongestSumNs) + std::min(b, kLongestSumNs) < kLongestSumNs ? a + b : kLongestSumNs;
}

// Time on an idle machine with all copies present.
std::uint64_t alone_ns(const Offer& offer) {
    return add(offer.start_ns, offer.run_ns);
}

// A client that wants a GPU gets the error of a full arena, not another backend.
bool can_run_on(const PlacementInputs& inputs, const Offer& gpu) {
    return gpu.has_memory || inputs.wish == wire::BackendChoice::Gpu;
}

std::size_t first_done(const PlacementInputs& inputs, std::uint64_t paid_ns) {
    const auto first =
        std::min_element(inputs.gpus.begin(), inputs.gpus.end(), [&](const Offer& a, const Offer& b) {
            const bool can_run = can_run_on(inputs, a);
            if (can_run != can_run_on(inputs, b)) return can_run;
            return a.done_ns(paid_ns) < b.done_ns(paid_ns);
        });
    return static_cast<std::size_t>(first - inputs.gpus.begin());
}

bool has_gpu(const PlacementInputs& inputs) {
    return std::any_of(inputs.gpus.begin(), inputs.gpus.end(),
                       [&](const Offer& gpu) { return can_run_on(inputs, gpu); });
}

std::vector<std::size_t> idle_gpus(const PlacementInputs& inputs) {
    std::vector<std::size_t> idle;
    for (std::size_t gpu = 0; gpu < inputs.gpus.size(); ++gpu)
        if (can_run_on(inputs, inputs.gpus[gpu]) && inputs.gpus[gpu].wait_ns == 0) idle.push_back(gpu);
    return idle;
}

// On the io thread, beside the running jobs.
bool can_run_inline(const PlacementInputs& inputs) {
    return !inputs.gave_up_inline &&
           (inputs.scratch_bytes == 0 ||
            inputs.scratch_bytes + inputs.running_scratch_bytes <= inputs.max_scratch_bytes);
}

bool fits_express(const PlacementInputs& inputs) {
    return inputs.scratch_bytes <= kExpressScratchBytes;
}

std::uint64_t trial_jobs(const PlacementInputs& inputs) {
    return inputs.cold || inputs.has_deadline || inputs.high_priority ? 0 : inputs.trial_jobs;
}

// Whether one thread may be the better CPU target; see Choice.
bool is_near_one_thread(const PlacementInputs& inputs) {
    constexpr std::uint64_t kNearBudget = 4, kNearPool = 2;
    return inputs.express.run_ns <= kExpressNs &&
           inputs.express.run_ns <
               std::max(kNearBudget * inputs.inline_budget_ns, kNearPool * inputs.pool.run_ns);
}

// Beside a long job of another client, the express lane takes a short job that ends there before the pool
// could begin and end it. On an idle machine it takes a job that is not worth waking all threads for.
bool takes_express(const PlacementInputs& inputs) {
    const Offer &express = inputs.express, &pool = inputs.pool;
    if (!fits_express(inputs) || express.run_ns > kExpressNs) return false;
    if (add(inputs.express_own_ns, express.run_ns) > kExpressNs) return false;
    if (!inputs.pool_runs_others) return pool.wait_ns == 0 && express.done_ns() < pool.done_ns();
    return add(express.wait_ns, express.run_ns) < add(pool.wait_ns, pool.run_ns);
}

// Trials grow rarer the more is known, and the more they cost: one in trial_jobs * ratio^2 jobs of a class
// that is known. With 128 they cost half a percent at most, up to kTrialRatio. They come in rows:
// CorrectionCurve::note_trial().
bool is_due(const Offer& other, std::uint64_t other_ns, std::uint64_t best_ns, std::uint64_t trial_jobs) {
    if (trial_jobs == 0 || other.wait_ns > 0 || other_ns > add(best_ns, kTrialNs)) return false;
    const double ratio = std::max(
        1.0, static_cast<double>(other_ns) / static_cast<double>(std::max<std::uint64_t>(best_ns, 1)));
    if (ratio > kTrialRatio) return false;
    const unsigned known = std::min(other.seen, kTrialDoublings);
    const double jobs = CorrectionCurve::kTrialsInARow * static_cast<double>(trial_jobs) * ratio * ratio /
                        static_cast<double>(1u << (kTrialDoublings - known));
    return static_cast<double>(other.elsewhere) >= std::min(jobs, kTrialJobs);
}

Choice on_cpu(const PlacementInputs& inputs, Reason reason) {
    const bool express = takes_express(inputs);
    Choice choice;
    choice.target = express ? Target::Express : Target::Pool;
    choice.reason = express && inputs.pool_runs_others ? Reason::Express : reason;
    choice.done_ns = express ? inputs.express.done_ns() : inputs.pool.done_ns();
    return choice;
}

Choice trial_at(Target target, const Offer& offer) {
    Choice trial;
    trial.target = target;
    trial.reason = Reason::Trial;
    trial.done_ns = offer.done_ns();
    return trial;
}

// Adds the trials of the CPU: one thread in place of the pool if it may be as fast, and the pool in place of
// one thread. Not beside another job, which would distort the time.
Choice or_try_on_cpu(const PlacementInputs& inputs, const Choice& best) {
    const Offer &express = inputs.express, &pool = inputs.pool;
    if (best.reason == Reason::Trial || best.reason == Reason::Express || pool.wait_ns > 0) return best;
    const bool alone = best.target == Target::Express;
    if (!alone && (!fits_express(inputs) || !is_near_one_thread(inputs))) return best;
    const Offer& other = alone ? pool : express;
    if (!is_due(other, other.done_ns(), best.done_ns, trial_jobs(inputs))) return best;
    if (alone) return trial_at(Target::Pool, pool);
    // A job that may fit the inline budget is tried on the io thread, which has its data in the caches.
    const bool is_inline = can_run_inline(inputs) && express.run_ns < 2 * inputs.inline_budget_ns;
    Choice trial = trial_at(is_inline ? Target::Inline : Target::Express, express);
    if (is_inline) trial.done_ns = express.run_ns;
    return trial;
}

Choice on_gpu(const PlacementInputs& inputs, Reason reason) {
    Choice choice;
    choice.target = Target::Gpu;
    choice.reason = reason;
    choice.gpu = first_done(inputs, inputs.paid_ns);
    const Offer& chosen = inputs.gpus[choice.gpu];
    choice.done_ns = chosen.done_ns(inputs.paid_ns);
    choice.makes_copy = chosen.keep_ns > 0;
    // A copy may also be missing on another GPU, which is idle.
    const std::uint64_t best = inputs.gpus[first_done(inputs, UINT64_MAX)].done_ns(UINT64_MAX);
    if (chosen.keep_ns == 0 && choice.done_ns > best) choice.missed_ns = choice.done_ns - best;

    const std::uint64_t busy_ns = add(chosen.run_ns, std::max(chosen.copy_ns, chosen.keep_ns));
    if (!inputs.can_divide || inputs.divide_ns == 0 || busy_ns <= inputs.divide_ns) return choice;
    std::vector<std::size_t> idle = idle_gpus(inputs);
    if (idle.size() < 2) return choice;
    choice.gpu = idle.front();
    choice.done_ns = add(chosen.start_ns, busy_ns / idle.size());
    choice.shared = std::move(idle);
    return choice;
}

Reason why(std::uint64_t chosen_alone, std::uint64_t other_alone, const Offer& other) {
    if (chosen_alone <= other_alone) return Reason::Fastest;
    return add(other_alone, other.wait_ns) > chosen_alone ? Reason::Queue : Reason::Copy;
}

// REQUIRES: a GPU can run it.
Choice on_either(const PlacementInputs& inputs) {
    Choice gpu = on_gpu(inputs, Reason::Fastest);  // the reasons are set below
    Choice cpu = on_cpu(inputs, Reason::Fastest);
    const Offer& offer = inputs.gpus[gpu.gpu];
    const Offer& cpu_offer = cpu.target == Target::Express ? inputs.express : inputs.pool;
    const std::uint64_t cpu_alone = alone_ns(cpu_offer),
                        gpu_alone = gpu.divided() ? gpu.done_ns : alone_ns(offer);
    const bool to_gpu = gpu.done_ns < cpu.done_ns;
    // The target of a trial has an empty queue; otherwise the trial would delay waiting jobs.
    if (to_gpu && cpu.reason != Reason::Express &&
        is_due(cpu_offer, cpu.done_ns, gpu.done_ns, trial_jobs(inputs))) {
        cpu.reason = Reason::Trial;
        return cpu;
    }
    if (!to_gpu && is_due(offer, gpu.done_ns, cpu.done_ns, trial_jobs(inputs))) {
        gpu.reason = Reason::Trial;
        return gpu;
    }
    if (to_gpu) {
        gpu.reason = why(gpu_alone, cpu_alone, cpu_offer);
        return gpu;
    }
    if (cpu.reason != Reason::Express) cpu.reason = why(cpu_alone, gpu_alone, offer);
    const std::uint64_t with_copy = offer.done_ns(UINT64_MAX);
    if (offer.keep_ns > 0 && with_copy < cpu.done_ns) cpu.missed_ns = cpu.done_ns - with_copy;
    return cpu;
}

Choice choose(const PlacementInputs& inputs) {
    if (inputs.wish == wire::BackendChoice::Cpu) return or_try_on_cpu(inputs, on_cpu(inputs, Reason::Asked));
    if (inputs.wish == wire::BackendChoice::Gpu) return on_gpu(inputs, Reason::Asked);
    if (!has_gpu(inputs)) return or_try_on_cpu(inputs, on_cpu(inputs, Reason::Only));
    return or_try_on_cpu(inputs, on_either(inputs));
}

void predict(const PlacementInputs& inputs, Choice& choice) {
    const bool on_gpu = choice.target == Target::Gpu;
    choice.predicted_ns.fill(inputs.express.run_ns);
    choice.predicted_ns[static_cast<std::size_t>(Target::Pool)] = inputs.pool.run_ns;
    choice.near_one_thread = is_near_one_thread(inputs);
    choice.considered = inputs.wish == wire::BackendChoice::Auto && !inputs.gpus.empty();
    if (!inputs.gpus.empty()) {
        const Offer& offer = inputs.gpus[on_gpu ? choice.gpu : 0];
        choice.gpu_run_ns = offer.run_ns;
        choice.gpu_copy_bytes = offer.copy_bytes;
        choice.predicted_ns[static_cast<std::size_t>(Target::Gpu)] =
            offer.run_ns + offer.copy_ns + offer.keep_ns;
    }
    const Offer& chosen = on_gpu                          ? inputs.gpus[choice.gpu]
                          : choice.target == Target::Pool ? inputs.pool
                                                          : inputs.express;
    choice.idle = chosen.wait_ns == 0;
}

// The client may retry after the predicted time of waiting and running jobs, within these limits.
Error busy(const JobQueue& queue, std::string field, const std::string& limit, std::string message) {
    constexpr std::uint64_t kFirstNs = 1'000'000, kLastNs = 1'000'000'000;
    Error error = field_error(Status::Busy, std::move(field), "at most " + limit, std::move(message));
    error.retry_after_ns = std::clamp(queue.waiting_ns + queue.running_ns, kFirstNs, kLastNs);
    return error;
}

// A job with more work than the limit may wait alone.
Result<void> check_queue(const JobQueue& queue, std::uint64_t predicted_ns) {
    if (queue.waiting >= queue.max_waiting)
        return busy(queue, "limits.queued_jobs", std::to_string(queue.max_waiting), "too many jobs wait");
    if (queue.waiting > 0 && queue.waiting_ns + predicted_ns > queue.max_waiting_ms * 1'000'000)
        return busy(queue, "limits.queued_work_ms", std::to_string(queue.max_waiting_ms) + " ms",
                    "too much work waits");
    return {};
}

}  // namespace

std::uint64_t Offer::done_ns(std::uint64_t paid_ns) const {
    const std::uint64_t unpaid_ns = keep_ns > paid_ns ? keep_ns - paid_ns : 0;
    return add(add(add(wait_ns, start_ns), run_ns), add(copy_ns, unpaid_ns));
}

std::string_view reason_word(Reason reason) {
    constexpr std::string_view kWords[kReasons] = {"asked", "small", "only",    "fastest",
                                                   "queue", "copy",  "express", "trial"};
    return kWords[static_cast<std::size_t>(reason)];
}

Result<void> check_wish(wire::BackendChoice wish, bool has_gpu, const std::string& no_gpu_reason) {
    if (wish != wire::BackendChoice::Gpu || has_gpu) return {};
    return field_error(Status::Unsupported, "backend", "auto, cpu",
                       "this daemon has no GPU backend: " + no_gpu_reason);
}

bool is_inline(const PlacementInputs& inputs) {
    return inputs.wish != wire::BackendChoice::Gpu && inputs.express.run_ns < inputs.inline_budget_ns &&
           can_run_inline(inputs);
}

Result<Choice> decide(const PlacementInputs& inputs) {
    Choice choice;
    if (is_inline(inputs)) {
        choice.target = Target::Inline;
        choice.reason = Reason::Small;
        choice.done_ns = inputs.express.run_ns;
        choice.predicted_ns.fill(inputs.express.run_ns);
        return choice;
    }
    choice = choose(inputs);
    predict(inputs, choice);
    if (choice.target == Target::Inline) return choice;  // it never waits
    Result<void> allowed = check_queue(inputs.queue, choice.predicted());
    if (!allowed) return std::move(allowed).error();
    return choice;
}

bool falls_back_to_cpu(const FailedGpuJob& failure) {
    return failure.status == Status::OutOfMemory && failure.wish == wire::BackendChoice::Auto &&
           !failure.is_piece && !failure.input_changed;
}

std::size_t gpu_to_repeat_on(const std::vector<std::uint64_t>& work_ns) {
    return static_cast<std::size_t>(std::min_element(work_ns.begin(), work_ns.end()) - work_ns.begin());
}

}  // namespace tegu::daemon
