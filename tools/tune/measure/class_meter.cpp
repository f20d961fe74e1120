// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/class_meter.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tegu::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSampleUs = 200;       // that a sample takes at least
constexpr unsigned kMaxRuns = 16;       // of a sample
constexpr double kFirstLimitUs = 60e6;  // of a run before anything is known
constexpr double kMinLimitUs = 2e6;     // of a run
// a policy slower than this factor of the default is not measured
constexpr double kSlowerThanDefault = 50;
constexpr unsigned kTries = 4;  // of a measurement, if the board is slow again and again

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

bool ends_class(const Error& error) {
    return error.status == Status::Cancelled || error.status == Status::DeviceLost ||
           error.status == Status::Busy;
}

ClassMeter::ClassMeter(std::vector<std::unique_ptr<MeasuredJob>> jobs, Pace& pace,
                       const std::atomic<bool>& interrupted)
    : jobs_(std::move(jobs)),
      pace_(pace),
      interrupted_(interrupted),
      runs_(jobs_.size(), 1),
      limit_us_(jobs_.size(), kFirstLimitUs) {}

kernels::StopToken ClassMeter::stop_token(std::size_t job) const {
    const auto limit = std::chrono::microseconds(static_cast<std::int64_t>(limit_us_[job]));
    return kernels::StopToken(&interrupted_, Clock::now() + limit);
}

Result<ClassMeter::Checked> ClassMeter::check(const tuning::PolicySet& policies) {
    const Clock::time_point begin = Clock::now();
    Checked checked;
    for (std::size_t job = 0; job < jobs_.size() && checked.ok(); ++job) {
        Result<std::string> differs = jobs_[job]->check(policies, stop_token(job));
        if (differs)
            checked.wrong = std::move(*differs);
        else if (ends_class(differs.error()))
            return std::move(differs).error();
        else
            checked.cannot_run = differs.error().message;
    }
    check_seconds_ = seconds_since(begin);
    return checked;
}

Result<double> ClassMeter::one_sample(std::size_t job, const tuning::PolicySet& policies) {
    double sum = 0;
    for (unsigned run = 0; run < runs_[job]; ++run) {
        const Result<RunTime> time = jobs_[job]->run(policies, stop_token(job));
        if (!time) return time.error();
        sum += time->us;
    }
    return sum / runs_[job];
}

Result<void> ClassMeter::calibrate(const tuning::PolicySet& policies) {
    sample_seconds_ = 0;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
        runs_[job] = 1;
        double min = kFirstLimitUs;
        for (int i = 0; i < 3; ++i) {
            const Result<double> us = one_sample(job, policies);
            if (!us) return us.error();
            min = std::min(min, *us);
        }
        runs_[job] = min >= kSampleUs
                         ? 1
                         : static_cast<unsigned>(std::min<double>(kMaxRuns, std::ceil(kSampleUs / min)));
        limit_us_[job] = std::max(kMinLimitUs, kSlowerThanDefault * min);
        const Clock::time_point begin = Clock::now();
        const Result<double> us = one_sample(job, policies);
        if (!us) return us.error();
        sample_seconds_ += seconds_since(begin);
    }
    return {};
}

template <class Measure>
Result<void> ClassMeter::at_full_speed(Measure measure) {
    std::string why;
    (void)pace_.slowed_by();  // earlier throttling does not count
    for (unsigned tries = 0; tries < kTries; ++tries) {
        Result<void> measured = measure();
        if (!measured) return measured;
        why = pace_.slowed_by();
        if (why.empty()) return {};
        if (!pace_.recover(why)) break;
        (void)pace_.slowed_by();
    }
    if (interrupted_) return make_error(Status::Cancelled, "interrupted");
    return make_error(Status::Busy, "the board is slowed down all the time: " + why);
}

Result<void> ClassMeter::sample(const tuning::PolicySet& policies, unsigned count, Samples* samples) {
    Samples taken;
    Result<void> measured = at_full_speed([&]() -> Result<void> {
        taken.assign(jobs_.size(), {});
        for (unsigned i = 0; i < count; ++i)
            for (std::size_t job = 0; job < jobs_.size(); ++job) {
                const Result<double> us = one_sample(job, policies);
                if (!us) return us.error();
                taken[job].push_back(*us);
            }
        return {};
    });
    if (!measured) return measured;
    samples->resize(jobs_.size());
    for (std::size_t job = 0; job < jobs_.size(); ++job)
        (*samples)[job].insert((*samples)[job].end(), taken[job].begin(), taken[job].end());
    return {};
}

Result<std::vector<Duel>> ClassMeter::duel(const tuning::PolicySet& tuned, const tuning::PolicySet& initial,
                                           unsigned pairs) {
    Samples samples[2];
    Result<void> measured = at_full_speed([&]() -> Result<void> {
        samples[0].assign(jobs_.size(), {});
        samples[1].assign(jobs_.size(), {});
        for (unsigned pair = 0; pair < pairs; ++pair)
            for (std::size_t job = 0; job < jobs_.size(); ++job)
                for (unsigned turn = 0; turn < 2; ++turn) {
                    const unsigned which = (pair + turn) % 2;  // each is first as often as the other
                    const Result<double> us = one_sample(job, which == 0 ? tuned : initial);
                    if (!us) return us.error();
                    samples[which][job].push_back(*us);
                }
        return {};
    });
    if (!measured) return std::move(measured).error();
    std::vector<Duel> duels;
    for (std::size_t job = 0; job < jobs_.size(); ++job)
        duels.push_back({timing_of(samples[0][job]), timing_of(samples[1][job])});
    return duels;
}

}  // namespace tegu::tune
