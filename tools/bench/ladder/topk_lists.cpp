// SPDX-License-Identifier: Apache-2.0
// The kernels of tools/field/seeds/topk beside tegu's: the largest distinct values by a list in every thread,
// and extremes by a tree and atomics.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "kernels/operation_cuda.h"
#include "tools/bench/ladder/ladder_run.h"
#include "tools/field/seeds/topk/topk.h"

namespace tegu::bench {
namespace {

using namespace seeds;

std::uint64_t elements_of(const LadderRun& run) {
    return run.settings().quick ? 100000 : 10000000;
}

// The number of blocks whose threads the device holds at once.
unsigned resident_blocks(const LadderRun& run, unsigned threads) {
    const cuda::DeviceLimits& limits = run.context().limits;
    return limits.multiprocessors * (limits.threads_per_multiprocessor / threads);
}

struct TopkCase {
    unsigned k;
    std::string stem;
    std::string title;  // the beginning of every row
    std::vector<std::int32_t> expected;
};

Result<void> time_lists(LadderRun& run, const TopkCase& with, std::uint64_t n, const Rotation& x,
                        unsigned threads) {
    const ListPolicy policy{threads, resident_blocks(run, threads)};
    const Rotation out(std::uint64_t{4} * with.k, 0, 1),
        lists(std::uint64_t{4} * policy.blocks * with.k, 0, 1);
    const auto launch = [&](std::size_t turn) {
        require_cuda(launch_list_topk(ListMethod::Threshold, with.k, as<const std::int32_t>(x[turn]), n,
                                      as<std::int32_t>(out[0]), as<std::int32_t>(lists[0]), policy,
                                      run.context().stream),
                     "top-k by lists");
    };
    launch(0);
    const std::string name = with.stem + "lists/threads=" + std::to_string(threads);
    if (run.download<std::int32_t>(out[0], with.k) != with.expected) return wrong_result(name);
    const bool first = threads == 256;
    run.add(name, with.title + "a list in every thread, blocks of " + std::to_string(threads),
            first ? "merged in shared memory, and by one block at the end" : "smaller blocks", n, 4 * n,
            run.timer().time(launch), first ? 0 : 1);
    return {};
}

// The whole job, with the host's work between its launches.
Result<void> time_own_topk(LadderRun& run, const TopkCase& with, std::uint64_t n, const Rotation& x,
                           std::size_t over) {
    const Job job{ElementType::I32, Axis::Whole, 1, n, TopkParams{with.k, true, true}};
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) return plan.error();
    std::vector<std::unique_ptr<Rotation>> memory;
    std::vector<kernels::OutputView> outputs;
    for (const ArraySpec& spec : plan->outputs) {
        memory.push_back(std::make_unique<Rotation>(array_bytes(spec), 0, 1));
        outputs.push_back({as<std::byte>((*memory.back())[0])});
    }
    std::optional<Error> error;
    const auto launch = [&](std::size_t turn) {
        const kernels::InputView input{as<const std::byte>(x[turn]), n};
        Result<kernels::RunReport> done =
            cuda::run_job({job, plan->parts, {&input, 1}, outputs, kernels::StopToken()}, run.context());
        if (!done) error = done.error();
    };
    launch(0);
    if (!error && run.download<std::int32_t>(outputs[0].data, with.k) != with.expected)
        return wrong_result(with.stem + "tegu");
    const GpuTime time = error ? GpuTime() : run.timer().time(launch);
    if (error) return *error;
    run.add(with.stem + "tegu", with.title + "tegu's topk",
            "the whole job, with the indices; against blocks of 256", n, 4 * n, time, over);
    return {};
}

Result<void> largest(LadderRun& run, unsigned k, const std::vector<std::int32_t>& descending, std::uint64_t n,
                     const Rotation& x) {
    TopkCase with{k, "topk/i32/n=" + std::to_string(n) + "/k=" + std::to_string(k) + "/",
                  "k = " + std::to_string(k) + ": ", descending};
    with.expected.resize(k, INT32_MIN);
    std::size_t rows = 0;
    for (const unsigned threads : {256u, 128u, 64u, 32u}) {
        Result<void> done = time_lists(run, with, n, x, threads);
        if (!done) return done;
        ++rows;
    }
    return time_own_topk(run, with, n, x, rows);
}

}  // namespace

Result<void> run_extremes(LadderRun& run) {
    const std::uint64_t n = elements_of(run);
    run.begin_table("Minimum and maximum of " + std::to_string(n) + " i32");
    const std::vector<std::int32_t> values = random_values<std::int32_t>(n);
    Rotation x(4 * n, run.context().limits.l2_bytes);
    x.fill(values.data(), 4 * n);
    const std::uint32_t none[] = {extreme_key(INT32_MAX), extreme_key(INT32_MIN)};
    Rotation keys(sizeof none, 0, 1);
    keys.fill(none, sizeof none);
    const ListPolicy policy{256, resident_blocks(run, 256)};
    const auto launch = [&](std::size_t turn) {
        require_cuda(launch_plain_extremes(as<const std::int32_t>(x[turn]), n, as<std::uint32_t>(keys[0]),
                                           policy, run.context().stream),
                     "extremes");
    };
    launch(0);
    const std::string stem = "extremes/i32/n=" + std::to_string(n) + "/";
    const auto expected = std::minmax_element(values.begin(), values.end());
    if (run.download<std::uint32_t>(keys[0], 2) !=
        std::vector<std::uint32_t>{extreme_key(*expected.first), extreme_key(*expected.second)})
        return wrong_result(stem + "atomics");
    run.add(stem + "atomics", "a tree and atomics", "grid stride, 256 threads, one load at a time", n, 4 * n,
            run.timer().time(launch), 0);
    run.add_own_reduce(stem, ElementType::I32, cuda::ReduceKind::Order, {Statistic::Min, Statistic::Max}, n,
                       x, "with the places of both");
    return {};
}

Result<void> run_largest(LadderRun& run) {
    const std::uint64_t n = elements_of(run);
    run.begin_table("The k largest distinct values of " + std::to_string(n) + " i32");
    std::vector<std::int32_t> values = random_values<std::int32_t>(n);
    Rotation x(4 * n, run.context().limits.l2_bytes);
    x.fill(values.data(), 4 * n);
    std::sort(values.begin(), values.end(), std::greater<>());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const unsigned k : {10u, 48u}) {
        Result<void> done = largest(run, k, values, n, x);
        if (!done) return done;
    }
    return {};
}

}  // namespace tegu::bench
