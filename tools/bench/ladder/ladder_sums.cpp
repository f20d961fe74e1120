// SPDX-License-Identifier: Apache-2.0
// The steps of the ladder, of f32 and of i32.
#include <numeric>

#include "tools/bench/ladder/ladder_run.h"
#include "tools/field/seeds/add/ladder.h"

namespace tegu::bench {
namespace {

using namespace seeds;

// x holds `values`; the kernels leave partial sums S, which are added as R.
template <class T, class S, class R>
Result<void> climb(LadderRun& run, const std::string& stem, std::uint64_t n, const Rotation& x, R expected) {
    const LadderPolicy policy{run.settings().threads};
    const cuda::DeviceLimits& limits = run.context().limits;
    for (const LadderStepInfo& info : kLadderSteps) {
        const Rotation partials(ladder_blocks(info.step, n, policy, limits) * sizeof(S), 0, 1);
        Rotation ticket(sizeof(std::uint32_t), 0, 1);
        ticket.zero(sizeof(std::uint32_t));
        const auto launch = [&](std::size_t turn) {
            require_cuda(launch_ladder(info.step, as<const T>(x[turn]), n, as<S>(partials[0]),
                                       as<std::uint32_t>(ticket[0]), policy, limits, run.context().stream),
                         "the ladder");
        };
        launch(0);
        const std::vector<S> left = run.download<S>(
            partials[0], static_cast<std::size_t>(ladder_partials(info.step, n, policy, limits)));
        if (std::accumulate(left.begin(), left.end(), R{0}) != expected)
            return wrong_result(stem + info.word);
        run.add(stem + info.word, std::string(info.word) + ". " + info.title, info.change, n,
                n * sizeof(T) + left.size() * sizeof(S), run.timer().time(launch), 1, left.size());
    }
    return {};
}

// Each element is -1, 0 or 1. So every partial sum is a whole number below 2^24 and exact, whatever the order
// of the additions is.
Result<void> sums_of_floats(LadderRun& run, std::uint64_t n) {
    std::vector<float> values = random_values<float>(n);
    for (float& value : values) value = value > 0.25f ? 1.0f : value < -0.25f ? -1.0f : 0.0f;
    const double exact = std::accumulate(values.begin(), values.end(), 0.0);
    Rotation x(4 * n, run.context().limits.l2_bytes);
    x.fill(values.data(), 4 * n);
    const std::string stem = "sum/f32/n=" + std::to_string(n) + "/";
    Result<void> done = climb<float, float, double>(run, stem, n, x, exact);
    if (done)
        run.add_own_reduce(stem, ElementType::F32, cuda::ReduceKind::Sum, {Statistic::Sum}, n, x,
                           "one tree for every machine: the same bits everywhere");
    return done;
}

Result<void> sums_of_integers(LadderRun& run, std::uint64_t n) {
    const std::vector<std::int32_t> values = random_values<std::int32_t>(n);
    Rotation x(4 * n, run.context().limits.l2_bytes);
    x.fill(values.data(), 4 * n);
    const std::string stem = "sum/i32/n=" + std::to_string(n) + "/";
    Result<void> done = climb<std::int32_t, std::int64_t, std::int64_t>(
        run, stem, n, x, std::accumulate(values.begin(), values.end(), std::int64_t{0}));
    if (done)
        run.add_own_reduce(stem, ElementType::I32, cuda::ReduceKind::Sum, {Statistic::Sum}, n, x,
                           "the sums, and the statistics of them");
    return done;
}

}  // namespace

Result<void> run_sums(LadderRun& run) {
    const std::uint64_t quick_max = 1 << 20;
    const std::uint64_t n =
        run.settings().quick && run.settings().elements > quick_max ? quick_max : run.settings().elements;
    const std::string blocks = ", blocks of " + std::to_string(run.settings().threads);
    run.begin_table("Sum of " + std::to_string(n) + " f32" + blocks);
    Result<void> done = sums_of_floats(run, n);
    if (!done) return done;
    run.begin_table("Sum of " + std::to_string(n) + " i32" + blocks);
    return sums_of_integers(run, n);
}

}  // namespace tegu::bench
