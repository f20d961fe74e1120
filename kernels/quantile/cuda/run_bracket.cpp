// SPDX-License-Identifier: Apache-2.0
// The way for one statistic of a long segment: search between two cuts from a sample.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/quantile/cuda/run.h"
#include "kernels/selection/cuda/cut.h"

namespace tegu::cuda {
namespace {

using kernels::quantile::Pair;

// Ranks around a statistic in the sample: five standard deviations on both sides, plus the slack of the
// search for a cut.
struct Bounds {
    SampleRanks low;  // rank 0: from the first pair
    SampleRanks high;
    std::uint64_t capacity;  // of the list of keys in between
};

Bounds bounds_of(std::uint64_t rank, std::uint64_t n, std::uint64_t sample) {
    const double part = static_cast<double>(sample) / static_cast<double>(n);
    const double middle = part * static_cast<double>(rank);
    const double sigma = std::sqrt(middle * (1 - middle / static_cast<double>(sample))) + 1;
    const double slack = std::floor(sigma / 2) + 1;
    const double low = std::floor(middle - 5 * sigma - slack),
                 high = std::ceil(middle + 2 * part + 5 * sigma);
    Bounds bounds{};
    if (low >= 1) bounds.low = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low + slack)};
    bounds.high = {std::min(static_cast<std::uint64_t>(high), sample),
                   std::min(static_cast<std::uint64_t>(high + slack), sample)};
    const double max = (high - low + slack + 6 * std::sqrt(high - low + slack) + 6) / part;
    bounds.capacity = max < static_cast<double>(n) ? static_cast<std::uint64_t>(max) : n;
    return bounds;
}

LaunchStatus launch_search(QuantileRun* run, const SampleCuts& cuts, const Bracket& bracket,
                           std::uint64_t rank) {
    const KeySegments& in = run->in;
    const auto filter = [&](std::uint64_t begin, std::uint64_t some) {
        return launch_bracket_filter(in, ElementRange{begin, begin + some}, bracket, run->config);
    };
    LaunchStatus status = launch_sample_cuts(in, cuts, run->context.config(run->context.policies.selection));
    if (status == 0) status = in_pieces(run->pieces(), in.n, 1, filter);
    if (status == 0) status = launch_bracket_narrow(in.width, bracket, rank, run->config);
    return status;
}

}  // namespace

Result<void> find_by_bracket(QuantileRun* run) {
    const KeySegments& in = run->in;
    const std::uint64_t sample = sample_size(in.n, in.width, run->context.policies.selection);
    const std::uint64_t rank = run->rank_of(run->params.q[0], 0);
    const Bounds bounds = bounds_of(rank, in.n, sample);
    ArrayTaker arrays(run->context);
    auto* const memory = arrays.take_zeroed<BracketMemory>(1);
    auto* const list = arrays.take<std::byte>(bounds.capacity * in.width);
    if (!arrays.done()) return arrays.done();
    const Bracket bracket{memory, bounds.low.rank == 0, list, bounds.capacity};
    const SampleCuts cuts{sample, bracket.from_below ? SampleRanks{1, 1} : bounds.low, bounds.high,
                          memory->states};
    Result<void> done = run->pace.check(launch_search(run, cuts, bracket, rank), "quantile between cuts");
    BracketMemory found{};
    if (done) done = run->context.workspace->read(&found, memory, offsetof(BracketMemory, bins));
    if (!done) return done;
    const BracketTarget& own = found.targets[0];
    const BracketTarget& next = rank + 1 < in.n ? found.targets[1] : own;
    if (run->has_statistics(found.nans) && (found.nans != 0 || own.found == 0 || next.found == 0))
        return find_by_counts(run);
    run->method = "bracket";
    const Pair pair{own.low, next.low};
    std::vector<std::byte> results(run->result_bytes);
    run->finish(found.nans, &pair, results.data());
    return run->write(results, 0);
}

}  // namespace tegu::cuda
