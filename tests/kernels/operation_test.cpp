// SPDX-License-Identifier: Apache-2.0
// The door to the kernels: shapes that no buffer can have are refused for every operation, and every
// operation of the list answers.
#include "kernels/operation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "kernels/execution/cpu/isa.h"
#include "kernels/execution/cpu/thread_pool.h"

namespace tegu::kernels {
namespace {

// A valid job of each operation of the list.
std::vector<Job> a_job_of_each() {
    std::vector<Job> jobs;
    const auto add = [&](JobParams params) {
        Job job;
        job.type = ElementType::F32;
        job.rows = 64;
        job.cols = 64;
        job.params = params;
        jobs.push_back(job);
    };
    ReduceParams reduce;
    reduce.statistics = kAllStatistics;
    add(reduce);
    TopkParams topk;
    topk.k = 3;
    add(topk);
    add(EntropyMapParams{});
    add(AddParams{});
    add(DotParams{});
    add(RowscaleParams{});
    QuantileParams quantile;
    quantile.q = {0.5};
    add(quantile);
    add(HistogramParams{});
    add(EntropyParams{});
    add(FusedParams{{reduce, HistogramParams{}}});
    return jobs;
}

// The ranges of base/operations/ are those of the plans.
template <class Params>
struct Borders {
    template <class T>
    void operator()(const Number<Params, T>& number) const {
        expect(number, number.min, true);
        if (number.min > 0) expect(number, number.min - 1, false);
        if (number.max == std::numeric_limits<T>::max()) return;
        expect(number, number.max, true);
        expect(number, number.max + 1, false);
    }
    void operator()(const List<Params, double>& list) const {
        Job changed = job;
        std::vector<double>& numbers = std::get<Params>(changed.params).*list.member;
        numbers.assign(list.max, 0.5);
        EXPECT_TRUE(plan_job(changed).ok()) << list.name;
        numbers.assign(list.max + 1, 0.5);
        EXPECT_FALSE(plan_job(changed).ok()) << list.name;
    }
    template <class Other>
    void operator()(const Other&) const {}
    template <class T>
    void expect(const Number<Params, T>& number, std::uint64_t value, bool allowed) const {
        Job changed = job;
        std::get<Params>(changed.params).*number.member = static_cast<T>(value);
        EXPECT_EQ(plan_job(changed).ok(), allowed) << number.name << " = " << value;
    }

    const Job& job;
};

TEST(PlanJob, TakesTheRangesThatAreDescribed) {
    for (const Job& job : a_job_of_each())
        std::visit(
            [&](const auto& params) {
                using Params = std::decay_t<decltype(params)>;
                for_each_parameter<Params>(Borders<Params>{job});
            },
            job.params);
}

TEST(PlanJob, EveryOperationOfTheListPlansAndRuns) {
    const std::vector<Job> jobs = a_job_of_each();
    ASSERT_EQ(jobs.size(), operation_infos().size());
    std::vector<float> data(64 * 64);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>((i * 37) % 101);
    for (const Job& job : jobs) {
        const OperationInfo& info = info_of(operation_of(job));
        const Result<JobPlan> plan = plan_job(job);
        ASSERT_TRUE(plan.ok()) << info.stem << ": " << plan.error().message;
        ASSERT_FALSE(plan->outputs.empty());
        EXPECT_GE(plan->bytes_read, 64u * 64 * 4) << info.stem;
        EXPECT_GT(plan->predicted_ns, 0u) << info.stem;
        std::vector<std::vector<std::uint64_t>> storage;
        std::vector<OutputView> outputs;
        std::uint64_t written = 0;
        for (const ArraySpec& spec : plan->outputs) {
            written += array_bytes(spec);
            storage.emplace_back(array_bytes(spec) / 8 + 1);
            outputs.push_back(OutputView{reinterpret_cast<std::byte*>(storage.back().data())});
        }
        EXPECT_EQ(plan->bytes_written, written) << info.stem;
        const std::vector<InputView> inputs(static_cast<std::size_t>(info.inputs),
                                            {reinterpret_cast<const std::byte*>(data.data()), 64});
        const Result<RunReport> report =
            run_job(job, Span<const InputView>(inputs.data(), inputs.size()), outputs, nullptr, StopToken());
        ASSERT_TRUE(report.ok()) << info.stem << ": " << report.error().message;
        EXPECT_EQ(report->policy.find("backend"), "cpu");
        EXPECT_EQ(report->threads, 1u) << info.stem;
        EXPECT_EQ(report->filled_columns.size(), plan->outputs.size()) << info.stem;
    }
}

TEST(RunJob, ReportsTheThreadsThatThePolicyNames) {
    ThreadPool pool(3);
    const std::vector<float> data(4'000'000, 1.5f);
    const auto reported = [&](const Job& job) -> RunReport {
        const OperationInfo& info = info_of(operation_of(job));
        const JobPlan plan = plan_job(job).value();
        std::vector<std::vector<std::uint64_t>> storage;
        std::vector<OutputView> outputs;
        for (const ArraySpec& spec : plan.outputs) {
            storage.emplace_back(array_bytes(spec) / 8 + 1);
            outputs.push_back(OutputView{reinterpret_cast<std::byte*>(storage.back().data())});
        }
        const InputView view{reinterpret_cast<const std::byte*>(data.data()), job.cols};
        const InputView inputs[] = {view, view};
        return run_job(job, plan, Span<const InputView>(inputs, static_cast<std::size_t>(info.inputs)),
                       outputs, CpuContext{&pool, CpuPolicies()}, StopToken())
            .value();
    };
    for (Job job : a_job_of_each())
        for (const Axis axis : {Axis::Whole, Axis::Rows})
            for (const std::uint64_t extent : {std::uint64_t{8}, std::uint64_t{2000}}) {
                const Operation operation = operation_of(job);
                if (axis == Axis::Rows && (operation == Operation::Add || operation == Operation::EntropyMap))
                    continue;
                job.axis = axis;
                job.rows = job.cols = extent;
                const RunReport report = reported(job);
                EXPECT_EQ(report.threads, extent == 8 ? 1u : 3u) << report.policy.text();
                const std::string words =
                    "cpu " + std::string(cpu_isa()) + " threads=" + std::to_string(report.threads);
                EXPECT_EQ(report.policy.text().find(words), 0u) << report.policy.text();
            }
}

TEST(PlanJob, RefusesShapesThatOverflow) {
    const std::uint64_t sizes[][2] = {
        {std::uint64_t{1} << 32, std::uint64_t{1} << 32},  // rows * cols wraps to 0
        {std::uint64_t{1} << 31, std::uint64_t{1} << 32},  // times 4 bytes it does
        {1, std::uint64_t{1} << 61},                       // 2^63 bytes
        {~std::uint64_t{0}, ~std::uint64_t{0}},
    };
    for (Job job : a_job_of_each())
        for (const auto& size : sizes) {
            job.rows = size[0];
            job.cols = size[1];
            const Result<JobPlan> plan = plan_job(job);
            ASSERT_FALSE(plan.ok());
            EXPECT_EQ(plan.error().status, Status::BadRange);
            EXPECT_EQ(plan.error().field, "rows");
            EXPECT_FALSE(plan.error().allowed.empty());
        }
}

// The product is 0, so each extent must be bounded by itself: lengths of rows are divisors and factors
// further in.
TEST(PlanJob, RefusesExtentsThatOverflowBesideNone) {
    for (Job job : a_job_of_each())
        for (const ElementType type : {ElementType::U8, ElementType::F32, ElementType::F64})
            for (const std::uint64_t less : {1u, 32u, 64u, 4096u})
                for (const std::uint64_t top :
                     {std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{1} << 61})
                    for (const bool no_rows : {true, false}) {
                        job.type = type;
                        job.axis = Axis::Rows;
                        job.rows = no_rows ? 0 : top - less;
                        job.cols = no_rows ? top - less : 0;
                        const Result<JobPlan> plan = plan_job(job);
                        if (plan.ok()) {  // small enough: no rows or no columns is something that can run
                            EXPECT_LE(no_rows ? job.cols * element_bytes(type) : job.rows,
                                      std::uint64_t{1} << 62);
                            if (!no_rows || plan->scratch_bytes > (1u << 26)) continue;
                            const InputView none[] = {{nullptr, job.cols}, {nullptr, job.cols}};
                            const std::vector<OutputView> outputs(plan->outputs.size());
                            const auto inputs = static_cast<std::size_t>(info_of(operation_of(job)).inputs);
                            EXPECT_TRUE(run_job(job, Span<const InputView>(none, inputs), outputs, nullptr,
                                                StopToken())
                                            .ok());
                            continue;
                        }
                        EXPECT_FALSE(plan.error().field.empty());
                    }
}

TEST(PlanJob, RefusesTypesAndAxesOutsideTheLists) {
    for (Job job : a_job_of_each()) {
        for (int number : {0, 12, 255}) {
            job.type = static_cast<ElementType>(number);
            const Result<JobPlan> plan = plan_job(job);
            ASSERT_FALSE(plan.ok());
            EXPECT_EQ(plan.error().status, Status::Unsupported);
            EXPECT_EQ(plan.error().field, "type");
        }
        job.type = ElementType::F32;
        job.axis = static_cast<Axis>(2);
        const Result<JobPlan> plan = plan_job(job);
        ASSERT_FALSE(plan.ok());
        EXPECT_EQ(plan.error().status, Status::BadRange);
        EXPECT_EQ(plan.error().field, "axis");
    }
}

TEST(StopToken, SaysWhy) {
    EXPECT_FALSE(StopToken().stop_requested());
    std::atomic<bool> cancelled{false};
    const StopToken cancel(&cancelled, StopToken::Clock::time_point::max());
    EXPECT_FALSE(cancel.stop_requested());
    cancelled = true;
    ASSERT_TRUE(cancel.stop_requested());
    EXPECT_EQ(cancel.error().status, Status::Cancelled);
    const StopToken late(nullptr, StopToken::Clock::now());
    ASSERT_TRUE(late.stop_requested());
    EXPECT_EQ(late.error().status, Status::DeadlineExceeded);
    const StopToken early(nullptr, StopToken::Clock::now() + std::chrono::hours(1));
    EXPECT_FALSE(early.stop_requested());
    // a cancel counts before the clock
    EXPECT_EQ(StopToken(&cancelled, StopToken::Clock::now()).error().status, Status::Cancelled);
}

TEST(StopToken, EachLookBeats) {
    Heartbeat heart;
    std::atomic<bool> cancelled{false};
    const StopToken stop(&cancelled, StopToken::Clock::time_point::max(), &heart);
    EXPECT_FALSE(heart.take());
    EXPECT_FALSE(stop.stop_requested());
    EXPECT_TRUE(heart.take());
    cancelled = true;
    EXPECT_TRUE(stop.stop_requested());
    EXPECT_TRUE(heart.take());
}

TEST(CpuIsa, HasAWordOfTheList) {
    const std::string word = cpu_isa();
    EXPECT_TRUE(word == "sse2" || word == "avx2" || word == "avx512" || word == "neon" || word == "scalar")
        << word;
}

#if defined(__x86_64__)
TEST(CpuIsa, TheEnvironmentCanOnlyLowerIt) {
    const char* wish = std::getenv("TEGU_CPU_ISA");
    const std::string word = wish != nullptr ? wish : "";
    EXPECT_TRUE(word != "sse2" || detected_cpu_isa() == CpuIsa::Sse2);
    EXPECT_TRUE(word != "avx2" || detected_cpu_isa() != CpuIsa::Avx512);
}
#endif

}  // namespace
}  // namespace tegu::kernels
