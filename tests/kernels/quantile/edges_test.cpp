// SPDX-License-Identifier: Apache-2.0
// Quantiles at their edges: what they cost, refusals, stopping, the error of interpolation, more than 2^31
// elements, and input that changes under the run.
#include <atomic>
#include <cmath>
#include <thread>

#include "tests/kernels/execution/exact.h"
#include "tests/kernels/execution/repeated_memory.h"
#include "tests/kernels/quantile/run.h"

namespace tegu::kernels {
namespace {

using test::Pattern;

TEST(Quantile, OnePassOverLargeData) {
    const std::vector<std::int32_t> elements = test::make_elements<std::int32_t>(Pattern::Random, 1000000, 9);
    const Outcome outcome =
        run_elements(quantile_job(ElementType::I32, Axis::Whole, 1, elements.size(), {0.25, 0.5, 0.75}),
                     elements, &pool_of(2));
    ASSERT_TRUE(outcome.report.ok());
    EXPECT_EQ(outcome.report->policy.find("method"), "brackets");
    EXPECT_EQ(outcome.report->policy.find("passes"), "1");
}

TEST(Quantile, PlanNamesTheArray) {
    const Result<JobPlan> plan =
        plan_job(quantile_job(ElementType::I16, Axis::Rows, 4, 100, {0.5, 0.25, 0.75}));
    ASSERT_TRUE(plan.ok());
    ASSERT_EQ(plan->outputs.size(), 1u);
    EXPECT_EQ(plan->outputs[0].role, ArrayRole::Quantiles);
    EXPECT_EQ(plan->outputs[0].type, ElementType::F64);
    EXPECT_EQ(plan->outputs[0].rows, 4u);
    EXPECT_EQ(plan->outputs[0].cols, 3u);
    EXPECT_EQ(plan->bytes_read, 800u);
    EXPECT_EQ(plan->bytes_written, 96u);
    EXPECT_GT(plan->predicted_ns, 0u);
    EXPECT_FALSE(plan->in_place);
    EXPECT_EQ(plan_job(quantile_job(ElementType::I16, Axis::Whole, 4, 100, {0.5}, QuantileMethod::Nearest))
                  ->outputs[0]
                  .type,
              ElementType::I16);
}

TEST(Quantile, BadParametersAreRefused) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& q : {std::vector<double>{-0.1},
                                         {1.0000001},
                                         {0.5, nan},
                                         {infinity},
                                         {},
                                         std::vector<double>(kMaxQuantiles + 1, 0.5)}) {
        const Result<JobPlan> plan = plan_job(quantile_job(ElementType::F32, Axis::Whole, 1, 10, q));
        ASSERT_FALSE(plan.ok());
        EXPECT_EQ(plan.error().status, Status::BadRange);
        EXPECT_EQ(plan.error().field, "q");
        EXPECT_FALSE(plan.error().allowed.empty());
    }
    const Result<JobPlan> method =
        plan_job(quantile_job(ElementType::F32, Axis::Whole, 1, 10, {0.5}, static_cast<QuantileMethod>(5)));
    ASSERT_FALSE(method.ok());
    EXPECT_EQ(method.error().field, "method");
    EXPECT_EQ(plan_job(quantile_job(ElementType::F32, Axis::Rows, 3, 0, {0.5})).error().status,
              Status::EmptyInput);
    EXPECT_EQ(plan_job(quantile_job(ElementType::F32, Axis::Whole, 0, 3, {0.5})).error().status,
              Status::EmptyInput);
    EXPECT_EQ(plan_job(quantile_job(ElementType::F32, Axis::Whole, 0, 0, {0.5})).error().field, "rows");
    EXPECT_EQ(plan_job(quantile_job(ElementType::F32, Axis::Rows, 3, 0, {0.5})).error().field, "cols");
    const Job nothing = quantile_job(ElementType::F32, Axis::Rows, 0, 0, {0.5, 1});
    const Result<JobPlan> plan = plan_job(nothing);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->outputs[0].rows, 0u);
    EXPECT_EQ(plan->outputs[0].cols, 2u);
    const InputView none;
    const OutputView out;
    EXPECT_TRUE(run_job(nothing, Span<const InputView>(&none, 1), Span<const OutputView>(&out, 1), nullptr,
                        StopToken())
                    .ok());
    EXPECT_EQ(
        plan_job(quantile_job(ElementType::U8, Axis::Rows, std::uint64_t{1} << 60, 1, {0.5, 0.5, 0.5, 0.5}))
            .error()
            .status,
        Status::TooLarge);
}

TEST(Quantile, NoRowsGiveAnEmptyArray) {
    const Outcome outcome =
        run_bytes(quantile_job(ElementType::F64, Axis::Rows, 0, 10, {0.5}), nullptr, 10, nullptr);
    ASSERT_TRUE(outcome.report.ok());
    EXPECT_EQ(outcome.plan.outputs[0].rows, 0u);
    EXPECT_EQ(outcome.plan.scratch_bytes, 0u);
}

TEST(Quantile, ACancelledJobStops) {
    const std::vector<float> elements(1u << 20, 7);
    const std::atomic<bool> cancelled{true};
    const StopToken stop(&cancelled, StopToken::Clock::time_point::max());
    const std::byte* data = reinterpret_cast<const std::byte*>(elements.data());
    for (const Axis axis : {Axis::Whole, Axis::Rows})
        for (const std::size_t count : {1u, 100u}) {
            const Outcome outcome =
                run_bytes(quantile_job(ElementType::F32, axis, 1024, 1024, many(count + 1)), data, 1024,
                          &pool_of(2), stop);
            ASSERT_FALSE(outcome.report.ok());
            EXPECT_EQ(outcome.report.error().status, Status::Cancelled);
        }
    const StopToken late(nullptr, StopToken::Clock::now() - std::chrono::seconds(1));
    EXPECT_EQ(run_bytes(quantile_job(ElementType::F16, Axis::Whole, 1, 1u << 20, {0.5}), data, 1u << 20,
                        nullptr, late)
                  .report.error()
                  .status,
              Status::DeadlineExceeded);
}

// What docs/numerics.md promises of linear against exact arithmetic at the rounded weight: 3 u max(|a|, |b|)
// + u |result|.
TEST(Quantile, LinearStaysWithinItsBoundOfExactArithmetic) {
    const std::uint64_t seed = 20260;
    std::mt19937_64 random(seed);
    std::uint64_t inexact = 0;
    for (int round = 0; round < 4000; ++round) {
        const double scale = std::ldexp(1, static_cast<int>(random() % 120) - 60);
        const auto draw = [&] { return (static_cast<double>(random() >> 11) * 0x1p-52 - 1) * scale; };
        std::vector<double> sorted = {draw(), draw()};
        // cancels
        if (round % 3 == 0) sorted[1] = -sorted[0] * (1 + std::ldexp(1, -static_cast<int>(random() % 53)));
        if (round % 3 == 1) sorted[1] *= 0x1p-40;
        std::sort(sorted.begin(), sorted.end());
        const double q = static_cast<double>(random() >> 11) * 0x1p-53;  // of two elements: the weight itself
        const Outcome outcome =
            run_elements(quantile_job(ElementType::F64, Axis::Whole, 1, 2, {q}), sorted, nullptr);
        ASSERT_TRUE(outcome.report.ok());
        double got = 0;
        std::memcpy(&got, outcome.quantiles.data(), sizeof got);
        using test::Exact;
        const Exact exact = Exact(sorted[0]) + (Exact(sorted[1]) - Exact(sorted[0])) * Exact(q);
        const Exact error = (Exact(got) - exact).abs();
        const Exact bound = Exact(3 * 0x1p-53) * Exact(std::max(std::fabs(sorted[0]), std::fabs(sorted[1]))) +
                            Exact(0x1p-53) * exact.abs();
        ASSERT_FALSE(bound < error) << "round " << round << " seed " << seed << " a " << sorted[0] << " b "
                                    << sorted[1] << " q " << q;
        inexact += error.is_zero() ? 0 : 1;
    }
    EXPECT_GT(inexact, 2000u);  // else the bound was not put to the test
}

// Values 0 to 99 in turn, begun again in each window of memory; the last two elements are larger.
template <class T>
void check_beyond_31_bits() {
    const std::uint64_t n = (std::uint64_t{1} << 31) + 1000;
    const test::RepeatedMemory memory(n * sizeof(T));
    if (!memory.ok()) GTEST_SKIP() << "no memory for windows";
    T* const elements = reinterpret_cast<T*>(memory.data());
    const std::uint64_t window = test::RepeatedMemory::kWindow / sizeof(T);
    const std::uint64_t last = (n - 1) / window * window;  // where the last window begins
    for (std::uint64_t i = 0; i < window; ++i) elements[i] = static_cast<T>(i % 100);
    for (std::uint64_t i = last; i < n; ++i) elements[i] = static_cast<T>((i - last) % 100);
    elements[n - 2] = 110;
    elements[n - 1] = 120;
    std::vector<std::uint64_t> counts(121);
    for (std::uint64_t i = 0; i < window; ++i) counts[static_cast<std::size_t>(elements[i])] += last / window;
    for (std::uint64_t i = last; i < n; ++i) ++counts[static_cast<std::size_t>(elements[i])];

    const auto end = static_cast<double>(n - 1);
    const std::vector<double> q = {0.5, 1 - 1 / end};
    const Outcome outcome =
        run_bytes(quantile_job(ElementTypeOf<T>::value, Axis::Whole, 1, n, q, QuantileMethod::Nearest),
                  memory.data(), n, &pool_of(2));
    ASSERT_TRUE(outcome.report.ok()) << outcome.report.error().message;
    for (std::size_t i = 0; i < q.size(); ++i) {
        const auto place = static_cast<std::uint64_t>(std::nearbyint(q[i] * end));
        std::size_t value = 0;
        for (std::uint64_t before = counts[0]; before <= place; before += counts[value]) ++value;
        T got;
        std::memcpy(&got, outcome.quantiles.data() + i * sizeof(T), sizeof(T));
        EXPECT_EQ(static_cast<std::size_t>(got), value)
            << "q " << q[i] << ", " << outcome.report->policy.text();
    }
}

TEST(QuantileHuge, BeyondTwoToThe31) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "gigabytes take too long under a sanitizer";
#else
    check_beyond_31_bits<std::uint8_t>();
    check_beyond_31_bits<std::int32_t>();
#endif
}

// Another process may write into the input while the job reads it. The result is undefined, the run stays in
// bounds.
TEST(Quantile, InputThatChangesStaysInBounds) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the writer races with the job on purpose";
#endif
    const std::size_t n = 300000;
    std::vector<std::uint32_t> elements = test::make_elements<std::uint32_t>(Pattern::Random, n, 3);
    std::atomic<bool> done{false};
    std::thread writer([&] {
        volatile std::uint32_t* memory = elements.data();
        std::mt19937 random(4);
        while (!done.load()) {
            const std::uint32_t base = random() & 1 ? 0xffffff00u : 0u;
            for (std::size_t i = 0; i < n; i += 3) memory[i] = base + (random() & 0xff);
        }
    });
    const std::byte* data = reinterpret_cast<const std::byte*>(elements.data());
    for (int round = 0; round < 5; ++round)
        for (const std::vector<double>& q : {std::vector<double>{0.5}, {0, 0.3, 0.999}, many(100)})
            for (const ElementType type :
                 {ElementType::U32, ElementType::F32, ElementType::U16, ElementType::F64}) {
                const std::uint64_t count = n * 4 / element_bytes(type);
                EXPECT_TRUE(run_bytes(quantile_job(type, Axis::Whole, 1, count, q,
                                                   kMethods[static_cast<std::size_t>(round)], true),
                                      data, count, &pool_of(2))
                                .report.ok());
            }
    done.store(true);
    writer.join();
}

}  // namespace
}  // namespace tegu::kernels
