// SPDX-License-Identifier: Apache-2.0
// The whole of prediction, decision, trials and learning on a made-up machine: its true times differ from
// what plans and attributes say, by class, by size and by chance. After some ten jobs of each kind the choice
// has to be near the best one, whatever the daemon began with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "daemon/placement/cost_model.h"
#include "daemon/placement/decide.h"
#include "daemon/placement/gpu_work.h"
#include "daemon/placement/probe_plan.h"
#include "tests/daemon/placement/placement_cases.h"

namespace tegu::daemon {
namespace {

constexpr double kClientNs = 12'000;  // of a round trip, besides
constexpr double kStartNs = 40'000;   // to hand a job over
constexpr std::uint64_t kBudgetNs = 50'000;

// Its devices, and how far the true times are from what is expected, in octaves.
struct Machine {
    unsigned threads = 16;
    double gpu_speed = 261;
    double class_octaves = 0.7, size_octaves = 0.3;
    double noise = 0.05;
    double held_up = 0.02;  // of the jobs take three times as long
};

// True times, made when they are first asked for.
class Truth {
  public:
    Truth(const Machine& machine, unsigned seed)
        : machine_(machine), random_(seed), plain_(CostMachine{machine.threads, {machine.gpu_speed}}) {}

    // All threads together are not faster than one, and short jobs have one.
    double time_ns(const CostClass& job, CostResource resource) {
        if (resource != kPool) return alone_ns(job, resource);
        const double one_ns = alone_ns(job, kOneThread);
        return job.plan_ns < 20'000 ? one_ns : std::max(alone_ns(job, kPool), one_ns / machine_.threads);
    }
    double alone_ns(const CostClass& job, CostResource resource) {
        const double expected = static_cast<double>(plain_.predict_ns(job, resource));
        const auto size = static_cast<std::uint64_t>(std::log2(job.elements()));
        return expected * std::exp2(deviation(job.key * 8 + resource, machine_.class_octaves) +
                                    deviation((job.key * 64 + size) * 8 + resource, machine_.size_octaves));
    }
    double measured_ns(const CostClass& job, CostResource resource) {
        std::normal_distribution<double> noise(0, machine_.noise);
        const double held_up = std::uniform_real_distribution<double>()(random_) < machine_.held_up ? 3 : 1;
        return time_ns(job, resource) * std::exp2(noise(random_)) * held_up;
    }

  private:
    double deviation(std::uint64_t key, double octaves) {
        const auto found = deviations_.find(key);
        if (found != deviations_.end()) return found->second;
        return deviations_[key] = std::normal_distribution<double>(0, octaves)(random_);
    }
    const Machine machine_;
    std::mt19937 random_;
    const CostModel plain_;
    std::map<std::uint64_t, double> deviations_;
};

std::vector<CostClass> jobs() {
    std::vector<CostClass> list;
    for (const std::uint64_t n :
         {1'000, 10'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000, 30'000'000})
        for (const OperationInfo& info : operation_infos())
            for (const ElementType type :
                 {ElementType::U8, ElementType::I32, ElementType::F32, ElementType::F64})
                for (const std::uint64_t detail : {0, 5, 900}) {
                    Sample sample;
                    sample.operation = info.operation;
                    sample.type = type;
                    sample.detail = detail;
                    sample.cols = n;
                    if (info.operation == Operation::EntropyMap) {
                        sample.rows = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
                        sample.cols = n / sample.rows;
                    }
                    if (const std::optional<CostClass> found = class_of(sample)) list.push_back(*found);
                }
    return list;
}

class Daemon {
  public:
    explicit Daemon(const Machine& machine)
        : threads_(machine.threads), model_(CostMachine{machine.threads, {machine.gpu_speed}}) {}

    void probe(Truth& truth) {
        for (CostResource resource = 0; resource <= kFirstGpu; ++resource) {
            ProbePlan plan(resource, 50'000'000);
            std::vector<CostSample> samples;
            while (const std::optional<Sample> sample = plan.next()) {
                const CostClass job = *class_of(*sample);
                double best = truth.measured_ns(job, resource);
                for (unsigned run = 1; run < ProbePlan::kRuns; ++run)
                    best = std::min(best, truth.measured_ns(job, resource));
                samples.push_back({job, best});
                plan.record(best, static_cast<std::uint64_t>(best * (ProbePlan::kRuns + 1)));
            }
            model_.seed(resource, samples, CostSource::Probed);
        }
    }

    Choice choose(const CostClass& job, bool may_try) const {
        PlacementInputs inputs;
        inputs.inline_budget_ns = kBudgetNs;
        inputs.express = offer(job, kOneThread, kStartNs);
        inputs.pool = offer(job, kPool, kStartNs);
        inputs.gpus = {offer(job, kFirstGpu, kStartNs)};
        inputs.trial_jobs = may_try ? 128 : 0;
        return *decide(inputs);
    }

    void run(const CostClass& job, Truth& truth) {
        const Choice choice = choose(job, true);
        const Target target = choice.target;
        const CostResource resource = resource_of(target, 0);
        if (choice.reason == Reason::Trial) model_.note_trial(job, resource);
        MeasuredJob measured;
        measured.job = job;
        measured.target = target;
        measured.threads = target == Target::Pool && job.plan_ns >= 20'000 ? threads_ : 1;
        measured.predicted_ns = model_.predict_ns(job, resource);
        measured.measured_ns = static_cast<std::uint64_t>(truth.measured_ns(job, resource));
        if (target != Target::Inline)
            for (CostResource other = kOneThread; other <= kFirstGpu; ++other)
                if (other != resource) model_.note_elsewhere(job, other);
        model_.learn(measured);
    }

  private:
    Offer offer(const CostClass& job, CostResource resource, double start_ns) const {
        Offer made;
        made.start_ns = static_cast<std::uint64_t>(start_ns);
        made.run_ns = model_.predict_ns(job, resource);
        const CostModel::Evidence evidence = model_.evidence(job, resource);
        made.seen = evidence.seen;
        made.elsewhere = evidence.elsewhere;
        return made;
    }
    const unsigned threads_;
    CostModel model_;
};

struct Outcome {
    double p50 = 0, p95 = 0, worst = 0;
};

// The true time of the choice over that of the better backend, after so many jobs of each kind.
Outcome outcome(const Machine& machine, unsigned seed, bool probes, int jobs_of_each) {
    Truth truth(machine, seed);
    Daemon daemon(machine);
    if (probes) daemon.probe(truth);
    std::vector<double> ratios;
    for (const CostClass& job : jobs()) {
        for (int i = 0; i < jobs_of_each; ++i) daemon.run(job, truth);
        const Target target = daemon.choose(job, false).target;
        const double inline_ns = truth.time_ns(job, kOneThread);
        const double express_ns = kStartNs + inline_ns, pool_ns = kStartNs + truth.time_ns(job, kPool),
                     gpu_ns = kStartNs + truth.time_ns(job, kFirstGpu);
        // A client that asks for the CPU gets the io thread for what is below the budget.
        const double cpu_ns = inline_ns < kBudgetNs ? inline_ns : std::min(express_ns, pool_ns);
        const double taken = target == Target::Inline    ? inline_ns
                             : target == Target::Express ? express_ns
                             : target == Target::Gpu     ? gpu_ns
                                                         : pool_ns;
        ratios.push_back(std::max((taken + kClientNs) / (std::min(cpu_ns, gpu_ns) + kClientNs), 1.0));
    }
    std::sort(ratios.begin(), ratios.end());
    const auto at = [&](double share) {
        return ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1))];
    };
    return {at(0.5), at(0.95), ratios.back()};
}

void expect_near_the_best(const Machine& machine, bool probes, int jobs_of_each, const Outcome& most) {
    ASSERT_GE(jobs().size(), 300u);
    for (const unsigned seed : {1u, 2u, 3u}) {
        const Outcome found = outcome(machine, seed, probes, jobs_of_each);
        EXPECT_LE(found.p50, most.p50) << "seed " << seed;
        EXPECT_LE(found.p95, most.p95) << "seed " << seed;
        EXPECT_LE(found.worst, most.worst) << "seed " << seed;
    }
}

TEST(Convergence, OnALargeGpuThatWasProbed) {
    expect_near_the_best(Machine(), true, 48, {1.001, 1.02, 1.6});
}

TEST(Convergence, WithoutProbing) {
    expect_near_the_best(Machine(), false, 48, {1.001, 1.02, 1.6});
}

TEST(Convergence, OnASmallBoard) {
    Machine board;
    board.threads = 4;
    board.gpu_speed = 0.92;
    expect_near_the_best(board, true, 48, {1.001, 1.02, 2.5});
}

TEST(Convergence, OnANoisyMachine) {
    Machine noisy;
    noisy.noise = 0.2;
    noisy.held_up = 0.1;
    expect_near_the_best(noisy, true, 48, {1.001, 1.05, 1.7});
}

// Jobs that use memory for the first time, and those that fail, teach nothing.
TEST(Convergence, JobsThatTeachNothingAreNotTriedForEver) {
    CostModel model(CostMachine{16, {261}});
    Sample sample;
    sample.operation = Operation::Reduce;
    sample.type = ElementType::F32;
    sample.cols = 1'000'000;
    const CostClass job = *class_of(sample);
    int trials = 0;
    for (int i = 0; i < 20'000; ++i) {
        PlacementInputs inputs;
        inputs.express.run_ns = 90'000'000;
        inputs.pool.run_ns = 1'000'000;
        Offer gpu;
        gpu.run_ns = 9'000'000;
        gpu.seen = model.evidence(job, kFirstGpu).seen;
        gpu.elsewhere = model.evidence(job, kFirstGpu).elsewhere;
        inputs.gpus = {gpu};
        inputs.trial_jobs = 128;
        const bool tried = decide(inputs)->reason == Reason::Trial;
        trials += tried;
        tried ? model.note_trial(job, kFirstGpu) : model.note_elsewhere(job, kFirstGpu);
    }
    EXPECT_GE(trials, 3);
    EXPECT_LE(trials, 20'000 / 20);
}

TEST(Convergence, BeforeAnyJobOfAKind) {
    expect_near_the_best(Machine(), true, 0, {1.05, 3, 20});
}

}  // namespace
}  // namespace tegu::daemon
