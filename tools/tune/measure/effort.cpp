// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/effort.h"

#include <chrono>
#include <cstdio>

namespace tegu::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMinRuns = 40;          // of each job of a class: few candidates, few comparisons
constexpr double kGpuRunShare = 0.05;    // of the CPU's time that a GPU takes, at a guess that is rather low
constexpr double kFillSeconds = 3e-9;    // for an element, on one thread
constexpr double kCopySeconds = 0.4e-9;  // for a byte, to a device
constexpr unsigned kMaxCostRuns = 31;
constexpr unsigned kSlowTries = 3;

double predicted_seconds(const Job& job, unsigned threads) {
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    return plan ? static_cast<double>(plan->predicted_ns) * 1e-9 / threads : 0;
}

double fill_seconds(const Job& job, unsigned threads) {
    return static_cast<double>(job.rows) * static_cast<double>(job.cols) * kFillSeconds / threads;
}

double copy_seconds(const Job& job, TuningBackend backend) {
    const double bytes = static_cast<double>(job.rows) * static_cast<double>(job.cols) *
                         static_cast<double>(element_bytes(job.type));
    return backend == TuningBackend::Cuda ? bytes * kCopySeconds : 0;
}

double run_seconds(const Job& job, TuningBackend backend, unsigned threads) {
    return predicted_seconds(job, threads) * (backend == TuningBackend::Cuda ? kGpuRunShare : 1);
}

}  // namespace

double min_seconds(const WorkStep& step, unsigned cpu_threads) {
    double seconds = 0;
    if (step.cost != nullptr) {  // the first point alone: the others come as time allows
        const Job& job = step.cost->points.front().job;
        return fill_seconds(job, cpu_threads) + copy_seconds(job, step.backend) +
               kMinCostRuns * run_seconds(job, step.backend, step.cost->threads == 1 ? 1 : cpu_threads);
    }
    for (const SampleJob& sample : step.tune->samples)
        seconds += fill_seconds(sample.job, cpu_threads) + copy_seconds(sample.job, step.backend) +
                   predicted_seconds(sample.job, cpu_threads) +
                   kMinRuns * run_seconds(sample.job, step.backend, cpu_threads);
    return seconds;
}

Result<double> wall_us(MeasuredJob& job, const tuning::PolicySet& policies, Pace& pace, double seconds,
                       const std::atomic<bool>& interrupted) {
    const kernels::StopToken stop(&interrupted, Clock::time_point::max());
    const Result<RunTime> warm = job.run(policies, stop);
    if (!warm) return warm.error();
    std::string why;
    (void)pace.slowed_by();
    for (unsigned tries = 0; tries < kSlowTries; ++tries) {
        const Clock::time_point begin = Clock::now();
        std::vector<double> samples;
        while (samples.size() < kMaxCostRuns) {
            const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
            if (samples.size() >= kMinCostRuns && spent > seconds) break;
            const Result<RunTime> time = job.run(policies, stop);
            if (!time) return time.error();
            samples.push_back(time->wall_us);
        }
        why = pace.slowed_by();
        if (why.empty()) return median(std::move(samples));
        if (!pace.recover(why)) break;
        (void)pace.slowed_by();
    }
    if (interrupted) return make_error(Status::Cancelled, "interrupted");
    return make_error(Status::Busy, "the board is slowed down all the time: " + why);
}

std::string seconds_text(double seconds) {
    char text[32];
    if (seconds >= 90)
        std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
    else
        std::snprintf(text, sizeof text, seconds < 2 ? "%.2g s" : "%.0f s", seconds);
    return text;
}

}  // namespace tegu::tune
