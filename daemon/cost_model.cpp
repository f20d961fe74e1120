// SPDX-License-Identifier: Apache-2.0
#include "daemon/cost_model.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tegu::daemon {
namespace {

constexpr double kLongestNs = 9e18;  // fits 63 bits

double ratio(std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
}

}  // namespace

void CostAccuracy::add(double ratio) {
    const double octaves = std::log2(ratio);
    const double steps = std::min(std::abs(octaves) * kSteps, double{kSteps * kTop});
    ++counts_[static_cast<std::size_t>(steps)];
    sum_log2_ += octaves;
    if (++jobs_ < kMost) return;
    const auto before = static_cast<double>(jobs_);
    jobs_ = 0;
    for (std::uint32_t& count : counts_) jobs_ += count /= 2;
    sum_log2_ *= static_cast<double>(jobs_) / before;
}

CostAccuracy& CostAccuracy::operator+=(const CostAccuracy& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    jobs_ += other.jobs_;
    sum_log2_ += other.sum_log2_;
    return *this;
}

double CostAccuracy::bias() const {
    return jobs_ == 0 ? 1 : std::exp2(sum_log2_ / static_cast<double>(jobs_));
}

double CostAccuracy::error(double share) const {
    const double wanted = share * static_cast<double>(jobs_);
    double seen = 0;
    for (std::size_t i = 0; i < counts_.size() && jobs_ > 0; ++i) {
        seen += counts_[i];
        if (seen >= wanted) return std::exp2((static_cast<double>(i) + 0.5) / kSteps) - 1;
    }
    return 0;
}

CostModel::CostModel(unsigned threads) {
    assert(threads >= 1);
    for (auto& places : corrections_)
        for (const Place place : {Place::Executor, Place::Gpu})
            places[static_cast<std::size_t>(place)].factor = std::max(1.0 / threads, kLeast);
}

std::uint64_t CostModel::predict_ns(Operation operation, Place place, std::uint64_t plan_ns) const {
    const double ns = static_cast<double>(plan_ns) * correction(operation, place);
    return static_cast<std::uint64_t>(std::min(std::max(ns, 1.0), kLongestNs));
}

double CostModel::correction(Operation operation, Place place) const {
    return corrections_[index_of(operation)][static_cast<std::size_t>(place)].factor;
}

// The mean over the planned time at first, then a moving one.
void CostModel::Correction::move_to(double ratio, double plan_ns) {
    ratio = std::min(std::max(ratio, factor / kMaxStep), factor * kMaxStep);
    seen_ns += plan_ns;
    const double moving = kWeight * std::min(1.0, plan_ns / kLongNs);
    const double weight = std::max(moving, std::min(kFirstWeight, plan_ns / seen_ns));
    factor = std::min(std::max(factor + weight * (ratio - factor), kLeast), kMost);
}

void CostModel::learn(const MeasuredJob& job) {
    if (job.cold || std::max(job.plan_ns, job.predicted_ns) < kLeastNs) return;
    CostRecord& record = records_[index_of(job.operation)];
    const double predicted = static_cast<double>(job.predicted_ns) * 1e-9;
    const double measured = static_cast<double>(job.measured_ns) * 1e-9;
    ++record.jobs;
    record.predicted_seconds += predicted;
    record.measured_seconds += measured;
    record.wrong_seconds += std::abs(measured - predicted);
    record.accuracy.add(ratio(std::max<std::uint64_t>(job.measured_ns, 1), job.predicted_ns));

    const auto plan_ns = static_cast<double>(job.plan_ns);
    const double wall = ratio(job.measured_ns, job.plan_ns);
    at(job.operation, job.place).move_to(wall, plan_ns);
    if (job.place != Place::Executor) return;
    Correction& alone = at(job.operation, Place::Inline);
    const double most = wall * job.threads;
    if (job.threads == 1 || most < alone.factor) alone.move_to(most, plan_ns);
}

void CostModel::learn_overrun(Operation operation, std::uint64_t plan_ns, std::uint64_t spent_ns) {
    Correction& alone = at(operation, Place::Inline);
    const double least = ratio(spent_ns, plan_ns);
    if (least > alone.factor) alone.move_to(least, kLongNs);
}

}  // namespace tegu::daemon
