// SPDX-License-Identifier: Apache-2.0
// Successive halving: measures all candidates briefly, the better half again with twice the samples, and so
// on. So most of the time is spent on the best candidates. Candidates are numbers; the caller measures them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace tegu::tune {

struct Halving {
    unsigned first_samples = 2;  // of each candidate in the first round
    std::size_t keep = 3;        // rounds end when so many are left, at least 1
};

// The score of a candidate after `samples` more of it; smaller is better. No value: it cannot run or its
// result is wrong, so it is dropped.
using Score = std::function<std::optional<double>(std::size_t candidate, unsigned samples)>;
// Whether to end early: time is up, or a stop was requested. Called before each candidate.
using Stop = std::function<bool()>;

// The candidates that are left, best first; of equal scores the first. If it is stopped within a round, the
// candidates measured in that round come first, then the others in their order before. Candidates that were
// never measured are left out.
std::vector<std::size_t> halve(std::size_t candidates, const Halving& options, const Score& score,
                               const Stop& stop);

}  // namespace tegu::tune
