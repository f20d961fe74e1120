// SPDX-License-Identifier: Apache-2.0
// The way for few quantiles of a long segment: search each in a range of keys from a sample.
#include <algorithm>
#include <cmath>

#include "kernels/quantile/cuda/run.h"
#include "kernels/selection/cuda/cut.h"

namespace tegu::cuda {
namespace {

constexpr std::uint32_t kNearKeys = 32768;

// Almost certainly enough entries for the keys inside the ranges: half more than expected. Of a small sigma
// the ends may lie farther out (bracket_cuts.cu).
std::uint64_t list_capacity(const QuantileRun& run, std::uint32_t sample) {
    double keys = 0;  // of the sample
    for (const double q : run.params.q)
        keys += 2 * (kCutSigmas + 1) * (std::sqrt(sample * q * (1 - q)) + 2) + 16 * kCutSigmas;
    const double max = 1.5 * keys * static_cast<double>(run.in.n) / sample;
    const auto limit = std::min<std::uint64_t>(run.in.n, std::uint64_t{1} << 31);
    return max < static_cast<double>(limit) ? static_cast<std::uint64_t>(max) : limit;
}

LaunchStatus launch_search(QuantileRun* run, const QuantileOutput& output, const Bracket& bracket,
                           std::uint32_t* status) {
    const KeySegments& in = run->in;
    LaunchStatus done = launch_bracket_cuts(in, output, bracket, run->config);
    if (done == 0)
        done = in_pieces(run->pieces(), in.n, 1, [&](std::uint64_t begin, std::uint64_t some) {
            return launch_bracket_filter(in, ElementRange{begin, begin + some}, output, bracket, run->config);
        });
    return done == 0 ? launch_bracket_finish(in, output, bracket, status, run->config) : done;
}

}  // namespace

Result<void> find_by_bracket(QuantileRun* run) {
    const std::size_t quantiles = run->params.q.size();
    const std::uint32_t sample =
        bracket_sample(run->in.n, 2 * run->context.policies.selection.sample, run->config);
    QuantileOutput output{};
    Result<void> done = run->prepare(&output);
    if (!done) return done;
    ArrayTaker arrays(run->context);
    Bracket bracket{arrays.take<BracketMemory>(1),
                    arrays.take<std::byte>(std::uint64_t{sample} * run->in.width),
                    sample,
                    nullptr,
                    list_capacity(*run, sample),
                    nullptr,
                    kNearKeys};
    bracket.list = arrays.take<std::byte>(bracket.capacity * run->in.width);
    bracket.near = arrays.take<std::byte>(quantiles * kNearKeys * run->in.width);
    auto* const shown = arrays.take_shown<std::uint32_t>(quantiles);
    std::uint32_t* const status = shown != nullptr ? shown : arrays.take<std::uint32_t>(quantiles);
    if (!arrays.done()) return arrays.done();
    done = run->pace.check(launch_search(run, output, bracket, status), "quantile between cuts");
    std::uint32_t written[kBracketQuantiles] = {};
    if (done && shown == nullptr)
        done = run->context.workspace->read(written, status, quantiles * sizeof *status);
    if (done && shown != nullptr) done = run->context.workspace->synchronize();
    if (!done) return done;
    if (shown != nullptr) std::copy_n(shown, quantiles, written);
    if (std::count(written, written + quantiles, 1u) != static_cast<std::ptrdiff_t>(quantiles))
        return find_by_counts(run);
    run->method = "bracket";
    return {};
}

}  // namespace tegu::cuda
