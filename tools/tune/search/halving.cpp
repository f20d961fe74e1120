// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/search/halving.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tegu::tune {
namespace {

struct Round {
    std::vector<std::size_t> ranked;      // best first
    std::vector<std::size_t> unmeasured;  // in the order in which they came
};

Round run_round(const std::vector<std::size_t>& candidates, unsigned samples, const Score& score,
                const Stop& stop) {
    Round round;
    std::vector<std::pair<double, std::size_t>> scores;
    bool stopped = false;
    for (const std::size_t candidate : candidates) {
        stopped = stopped || stop();
        if (stopped) {
            round.unmeasured.push_back(candidate);
            continue;
        }
        const std::optional<double> value = score(candidate, samples);
        if (value) scores.emplace_back(*value, candidate);
    }
    std::stable_sort(scores.begin(), scores.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& scored : scores) round.ranked.push_back(scored.second);
    return round;
}

}  // namespace

std::vector<std::size_t> halve(std::size_t candidates, const Halving& options, const Score& score,
                               const Stop& stop) {
    const std::size_t keep = std::max<std::size_t>(1, options.keep);
    std::vector<std::size_t> left(candidates);
    std::iota(left.begin(), left.end(), std::size_t{0});
    unsigned samples = options.first_samples;
    for (bool first = true;; first = false, samples *= 2) {
        Round round = run_round(left, samples, score, stop);
        const bool stopped = !round.unmeasured.empty();
        left = std::move(round.ranked);
        if (stopped && !first) left.insert(left.end(), round.unmeasured.begin(), round.unmeasured.end());
        if (!stopped && left.size() > keep) left.resize(std::max(keep, (left.size() + 1) / 2));
        if (stopped || left.size() <= keep) break;
    }
    if (left.size() > keep) left.resize(keep);
    return left;
}

}  // namespace tegu::tune
