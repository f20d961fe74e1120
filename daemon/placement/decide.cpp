// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/decide.h"

#include <algorithm>

#include "daemon/placement/correction_curve.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kLongestNs = std::uint64_t{1} << 62;
// Limits of a trial's extra time: a factor of the best choice, and an absolute time. After this many jobs a
// trial is due at any cost.
constexpr double kTrialRatio = 100;
constexpr std::uint64_t kTrialNs = 20'000'000;
constexpr double kTrialJobs = 60'000;
constexpr unsigned kTrialDoublings = 9;  // from a class that was never tried to one that is known

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    return std::min(a, kLongestNs) + std::min(b, kLongestNs) < kLongestNs ? a + b : kLongestNs;
}

// Time on an idle machine with all copies present.
std::uint64_t alone_ns(const Offer& offer) {
    return add(offer.start_ns, offer.run_ns);
}

std::size_t first_done(const Question& question, std::uint64_t paid_ns) {
    const auto first =
        std::min_element(question.gpus.begin(), question.gpus.end(), [&](const Offer& a, const Offer& b) {
            if (a.possible != b.possible) return a.possible;
            return a.done_ns(paid_ns) < b.done_ns(paid_ns);
        });
    return static_cast<std::size_t>(first - question.gpus.begin());
}

bool has_gpu(const Question& question) {
    return std::any_of(question.gpus.begin(), question.gpus.end(),
                       [](const Offer& gpu) { return gpu.possible; });
}

bool is_idle(const Offer& gpu) {
    return gpu.possible && gpu.wait_ns == 0;
}

// Beside a long job of another client, if the job is done there sooner than the pool would let it begin and
// end: the express lane interrupts no job either. On an idle machine, if the job is not worth waking all
// threads for.
bool takes_express(const Question& question) {
    const Offer &express = question.express, &pool = question.pool;
    if (!express.possible || express.run_ns > kExpressNs) return false;
    if (add(question.express_own_ns, express.run_ns) > kExpressNs) return false;
    if (!question.pool_runs_others) return pool.wait_ns == 0 && express.done_ns() < pool.done_ns();
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

Answer on_cpu(const Question& question, Reason reason) {
    const bool express = takes_express(question);
    Answer answer;
    answer.target = express ? Target::Express : Target::Pool;
    answer.reason = express && question.pool_runs_others ? Reason::Express : reason;
    answer.done_ns = express ? question.express.done_ns() : question.pool.done_ns();
    return answer;
}

Answer trial_at(Target target, const Offer& offer) {
    Answer trial;
    trial.target = target;
    trial.reason = Reason::Trial;
    trial.done_ns = offer.done_ns();
    return trial;
}

// On the CPU, too, one target is tried now and then in place of the other: one thread, if it might do, and
// the pool with a job that one thread computes. Beside another job it would tell nothing.
Answer or_try_on_cpu(const Question& question, const Answer& best) {
    const Offer &express = question.express, &pool = question.pool;
    if (best.reason == Reason::Trial || best.reason == Reason::Express || pool.wait_ns > 0) return best;
    const bool alone = best.target == Target::Express;
    if (!alone && (!express.possible || !is_near_one_thread(question))) return best;
    const Offer& other = alone ? pool : express;
    if (!is_due(other, other.done_ns(), best.done_ns, question.trial_jobs)) return best;
    if (alone) return trial_at(Target::Pool, pool);
    // What is likely to run on the io thread is faster there than on a thread that has other things in its
    // caches.
    const bool on_io = question.on_io.possible && question.on_io.run_ns < 2 * question.inline_budget_ns;
    return on_io ? trial_at(Target::Inline, question.on_io) : trial_at(Target::Express, express);
}

Answer on_gpu(const Question& question, Reason reason) {
    Answer answer;
    answer.target = Target::Gpu;
    answer.reason = reason;
    answer.gpu = first_done(question, question.paid_ns);
    const Offer& chosen = question.gpus[answer.gpu];
    answer.done_ns = chosen.done_ns(question.paid_ns);
    answer.makes_copy = chosen.keep_ns > 0;
    // Another GPU may have the data, or be idle.
    const std::uint64_t best = question.gpus[first_done(question, UINT64_MAX)].done_ns(UINT64_MAX);
    if (chosen.keep_ns == 0 && answer.done_ns > best) answer.missed_ns = answer.done_ns - best;

    const auto idle =
        static_cast<std::uint64_t>(std::count_if(question.gpus.begin(), question.gpus.end(), is_idle));
    const std::uint64_t busy_ns = add(chosen.run_ns, std::max(chosen.copy_ns, chosen.keep_ns));
    if (!question.can_divide || idle < 2 || busy_ns <= question.divide_ns) return answer;
    answer.divided = true;
    answer.gpu = static_cast<std::size_t>(std::find_if(question.gpus.begin(), question.gpus.end(), is_idle) -
                                          question.gpus.begin());
    answer.done_ns = add(chosen.start_ns, busy_ns / idle);
    return answer;
}

Reason why(std::uint64_t chosen_alone, std::uint64_t other_alone, const Offer& other) {
    if (chosen_alone <= other_alone) return Reason::Fastest;
    return add(other_alone, other.wait_ns) > chosen_alone ? Reason::Queue : Reason::Copy;
}

// REQUIRES: a GPU can run it.
Answer on_either(const Question& question) {
    Answer gpu = on_gpu(question, Reason::Asked);
    Answer cpu = on_cpu(question, Reason::Fastest);
    const Offer& offer = question.gpus[gpu.gpu];
    const Offer& on_this = cpu.target == Target::Express ? question.express : question.pool;
    const std::uint64_t cpu_alone = alone_ns(on_this),
                        gpu_alone = gpu.divided ? gpu.done_ns : alone_ns(offer);
    const bool to_gpu = gpu.done_ns < cpu.done_ns;
    // The target of a trial has an empty queue; otherwise the trial would delay waiting jobs.
    if (to_gpu && on_this.possible && cpu.reason != Reason::Express &&
        is_due(on_this, cpu.done_ns, gpu.done_ns, question.trial_jobs)) {
        cpu.reason = Reason::Trial;
        return cpu;
    }
    if (!to_gpu && is_due(offer, gpu.done_ns, cpu.done_ns, question.trial_jobs)) {
        gpu.reason = Reason::Trial;
        return gpu;
    }
    if (to_gpu) {
        gpu.reason = why(gpu_alone, cpu_alone, on_this);
        return gpu;
    }
    if (cpu.reason != Reason::Express) cpu.reason = why(cpu_alone, gpu_alone, offer);
    const std::uint64_t with_copy = offer.done_ns(UINT64_MAX);
    if (offer.keep_ns > 0 && with_copy < cpu.done_ns) cpu.missed_ns = cpu.done_ns - with_copy;
    return cpu;
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

bool is_inline(Asked asked, const Offer& on_io, std::uint64_t inline_budget_ns) {
    return asked != Asked::Gpu && on_io.possible && on_io.run_ns < inline_budget_ns;
}

Answer inline_answer(const Offer& on_io) {
    Answer answer;
    answer.target = Target::Inline;
    answer.reason = Reason::Small;
    answer.done_ns = on_io.run_ns;
    return answer;
}

bool is_near_one_thread(const Question& question) {
    constexpr std::uint64_t kNearBudget = 4, kNearPool = 2;
    return question.express.run_ns <= kExpressNs &&
           question.express.run_ns <
               std::max(kNearBudget * question.inline_budget_ns, kNearPool * question.pool.run_ns);
}

Answer decide(const Question& question) {
    if (is_inline(question.asked, question.on_io, question.inline_budget_ns))
        return inline_answer(question.on_io);
    if (question.asked == Asked::Cpu) return or_try_on_cpu(question, on_cpu(question, Reason::Asked));
    if (question.asked == Asked::Gpu) return on_gpu(question, Reason::Asked);
    if (!has_gpu(question)) return or_try_on_cpu(question, on_cpu(question, Reason::Only));
    return or_try_on_cpu(question, on_either(question));
}

}  // namespace tegu::daemon
