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
