// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/run/table_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace tegu::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kMinPairs = 9, kMaxPairs = 60;

std::uint64_t middle(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(
        std::lround(std::sqrt(static_cast<double>(a) * static_cast<double>(b))));
}

std::vector<SampleJob> jobs_of(const TuneClass& one) {
    std::vector<SampleJob> jobs = one.samples;
    for (std::size_t i = 0; i + 1 < one.samples.size(); ++i)
        if (std::optional<SampleJob> made = between(one, one.samples[i], one.samples[i + 1])) {
            jobs.push_back(std::move(*made));
            break;
        }
    return jobs;
}

StepNews news_of(const ClassSpeed& speed) {
    if (!speed.has_row) return {speed.id + ": the default", false, 1};
    char text[96];
    std::snprintf(text, sizeof text, ": %.3f times as fast as with the default, %.3f at worst", speed.speed,
                  speed.worst);
    return {speed.id + text, true, speed.speed};
}

}  // namespace

std::optional<SampleJob> between(const TuneClass& one, const SampleJob& a, const SampleJob& b) {
    SampleJob made = b;
    made.job.rows = middle(a.job.rows, b.job.rows);
    made.job.cols = middle(a.job.cols, b.job.cols);
    if (!kernels::plan_job(made.job) || !tuning::holds(one.jobs, tuning::class_of(made.job)))
        return std::nullopt;
    return made;
}

TableCheck::TableCheck(const SessionMachine& machine, const tuning::DeviceTuning& table, Pace& pace,
                       Reporter& reporter, const std::atomic<bool>& interrupted)
    : machine_(machine),
      table_(table),
      pace_(pace),
      reporter_(reporter),
      interrupted_(interrupted),
      data_(*machine.pool, machine.host_bytes) {}

tuning::PolicySet TableCheck::policies_of(const WorkStep& step, const SampleJob& sample) const {
    return *table_.choose(step.backend, tuning::class_of(sample.job)).policies;
}

Result<CheckEnd> TableCheck::run(const Work& work, double seconds) {
    const Clock::time_point begin = Clock::now();
    reporter_.begin(work.steps().size(), 0, seconds);
    std::size_t left = work.steps().size();
    for (const WorkStep& step : work.steps()) {
        if (interrupted_) break;
        const double share = (seconds - std::chrono::duration<double>(Clock::now() - begin).count()) /
                             static_cast<double>(left--);
        reporter_.step_begins(step);
        Result<ClassSpeed> speed = check_class(step, std::max(0.0, share));
        if (!speed && speed.error().status == Status::Cancelled) break;
        if (!speed && ends_class(speed.error())) return std::move(speed).error();
        if (!speed) {
            ++result_.left_out;
            reporter_.left_out(step, speed.error().message);
            continue;
        }
        reporter_.step_ends(step, news_of(*speed));
        result_.speeds.push_back(std::move(*speed));
    }
    result_.interrupted = interrupted_;
    return std::move(result_);
}

Result<ClassSpeed> TableCheck::check_class(const WorkStep& step, double seconds) {
    const std::vector<SampleJob> jobs = jobs_of(*step.tune);
    ClassSpeed speed;
    speed.id = step.id;
    speed.operation = step.id.substr(0, step.id.find('/') + 1) + step.tune->jobs.operation;
    std::vector<double> speeds;
    for (const SampleJob& sample : jobs) {
        const Result<std::optional<Duel>> duel =
            check_job(step, sample, seconds / static_cast<double>(jobs.size()));
        if (!duel) return duel.error();
        if (*duel) speed.has_row = true;
        speeds.push_back(*duel ? (*duel)->initial.us / (*duel)->tuned.us : 1);
    }
    speed.speed = geometric_mean(speeds);
    speed.worst = *std::min_element(speeds.begin(), speeds.end());
    return speed;
}

// No value: the table has the default for the job.
Result<std::optional<Duel>> TableCheck::check_job(const WorkStep& step, const SampleJob& sample,
                                                  double seconds) {
    const tuning::PolicySet policies = policies_of(step, sample);
    if (tuning::changed_values(step.backend, step.tune->jobs.operation, policies).empty())
        return std::optional<Duel>();
    const Clock::time_point begin = Clock::now();
    const kernels::StopToken stop(&interrupted_, Clock::time_point::max());
    Result<std::shared_ptr<const Reference>> reference = make_reference(sample, data_, *machine_.pool, stop);
    if (!reference) return std::move(reference).error();
    Result<std::unique_ptr<MeasuredJob>> job = machine_.bench_of(step.backend).prepare(std::move(*reference));
    if (!job) return std::move(job).error();
    std::vector<std::unique_ptr<MeasuredJob>> jobs;
    jobs.push_back(std::move(*job));
    ClassMeter meter(std::move(jobs), pace_, interrupted_);
    const Result<ClassMeter::Checked> checked = meter.check(policies);
    if (!checked) return checked.error();
    if (!checked->cannot_run.empty()) return make_error(Status::Unsupported, checked->cannot_run);
    if (!checked->wrong.empty()) {
        result_.wrong.push_back(step.id + ": " + checked->wrong);
        reporter_.note("WRONG RESULT, a bug: " + result_.wrong.back());
    }
    Result<void> ready = meter.calibrate(tuning::PolicySet());
    if (!ready) return std::move(ready).error();
    const double left = seconds - std::chrono::duration<double>(Clock::now() - begin).count();
    const double affordable = left / std::max(2 * meter.sample_seconds(), 1e-9);
    const auto pairs = static_cast<unsigned>(std::clamp<double>(affordable, kMinPairs, kMaxPairs));
    Result<std::vector<Duel>> duels = meter.duel(policies, tuning::PolicySet(), pairs);
    if (!duels) return std::move(duels).error();
    return std::optional<Duel>(duels->front());
}

}  // namespace tegu::tune
