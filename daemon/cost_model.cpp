// SPDX-License-Identifier: Apache-2.0
#include "daemon/cost_model.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tegu::daemon {
namespace {

constexpr double kLongestNs = 9e18;  // fits 63 bits
constexpr unsigned kMostThreads = 4096;

double ratio(std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
}

}  // namespace

CostModel::CostModel(unsigned threads) : threads_(threads) {
    assert(threads >= 1);
    for (auto& places : corrections_)
        places[static_cast<std::size_t>(Place::Executor)].factor = std::max(1.0 / threads, kLeast);
}

std::uint64_t CostModel::predict_ns(Operation operation, Place place, std::uint64_t plan_ns) const {
    const double ns = static_cast<double>(plan_ns) * correction(operation, place);
    return static_cast<std::uint64_t>(std::min(std::max(ns, 1.0), kLongestNs));
}

double CostModel::correction(Operation operation, Place place) const {
    return corrections_[index_of(operation)][static_cast<std::size_t>(place)].factor;
}

// The mean of the first few, then a moving one. The start counts as one sample.
void CostModel::Correction::move_to(double ratio) {
    ratio = std::min(std::max(ratio, factor / kMaxStep), factor * kMaxStep);
    const double weight = std::max(kWeight, 1.0 / static_cast<double>(++samples + 1));
    factor = std::min(std::max(factor + weight * (ratio - factor), kLeast), kMost);
}

void CostModel::learn(Operation operation, Place place, unsigned threads, std::uint64_t plan_ns,
                      std::uint64_t predicted_ns, std::uint64_t measured_ns) {
    CostRecord& record = records_[index_of(operation)];
    ++record.jobs;
    record.predicted_seconds += static_cast<double>(predicted_ns) * 1e-9;
    record.measured_seconds += static_cast<double>(measured_ns) * 1e-9;
    record.error_sum += std::min(std::abs(ratio(measured_ns, predicted_ns) - 1), kMaxError);

    const double measured = ratio(measured_ns, plan_ns);
    at(operation, place).move_to(measured);
    if (place == Place::Inline) return;
    Correction& alone = at(operation, Place::Inline);
    const double most = measured * (threads == 0 ? threads_ : threads);
    if (threads == 1 || most < alone.factor) alone.move_to(most);
}

void CostModel::learn_overrun(Operation operation, std::uint64_t plan_ns, std::uint64_t spent_ns) {
    Correction& alone = at(operation, Place::Inline);
    const double least = ratio(spent_ns, plan_ns);
    if (least > alone.factor) alone.move_to(least);
}

unsigned threads_of_policy(std::string_view policy) {
    constexpr std::string_view kWord = " threads=";
    const std::size_t found = policy.find(kWord);
    if (found == std::string_view::npos) return 0;
    unsigned threads = 0;
    for (const char c : policy.substr(found + kWord.size())) {
        if (c < '0' || c > '9') break;
        threads = std::min(threads * 10 + static_cast<unsigned>(c - '0'), kMostThreads);
    }
    return threads;
}

}  // namespace tegu::daemon
