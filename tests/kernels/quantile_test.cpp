// SPDX-License-Identifier: Apache-2.0
// Quantiles against a sort and numpy's formulas written out: every element type, pattern, method of quantile and size at which the
// way of computing changes, on one thread and on several; then NaN, shapes, refusals, stopping, and input that changes under the run.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "kernels/operation.h"
#include "kernels/thread_pool.h"
#include "tests/kernels/topk_reference.h"

namespace tegu::kernels {
namespace {

using test::Pattern;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kLarge = 90000;
#else
constexpr std::size_t kLarge = 200000;
#endif

const std::vector<QuantileMethod> kMethods = {QuantileMethod::Linear, QuantileMethod::Lower, QuantileMethod::Higher,
                                              QuantileMethod::Nearest, QuantileMethod::Midpoint};

Job quantile_job(ElementType type, Axis axis, std::uint64_t rows, std::uint64_t cols, std::vector<double> q,
                 QuantileMethod method = QuantileMethod::Linear, bool skip_nans = false) {
    QuantileParams params;
    params.q = std::move(q);
    params.method = method;
    params.skip_nans = skip_nans;
    Job job;
    job.type = type;
    job.axis = axis;
    job.rows = rows;
    job.cols = cols;
    job.params = params;
    return job;
}

const QuantileParams& params_of(const Job& job) {
    return *std::get_if<QuantileParams>(&job.params);
}

bool interpolates(QuantileMethod method) {
    return method == QuantileMethod::Linear || method == QuantileMethod::Midpoint;
}

template <class T>
bool is_nan(T value) {
    if constexpr (test::kIsFloat<T>) return std::isnan(test::number_of(value));
    return false;
}

template <class T>
double to_f64(T value) {
    return static_cast<double>(test::number_of(value));
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

// What numpy.quantile does with sorted elements, value by value.
template <class T>
double interpolated(const std::vector<T>& sorted, double q, QuantileMethod method) {
    const auto last = static_cast<double>(sorted.size() - 1);
    double at = last * q;
    if (method == QuantileMethod::Midpoint) at = 0.5 * (std::floor(at) + std::ceil(at));
    const std::size_t below = at >= last ? sorted.size() - 1 : static_cast<std::size_t>(std::floor(at));
    const std::size_t above = at >= last ? below : below + 1;
    double weight = at >= last ? at + 1 : at - std::floor(at);
    if (method == QuantileMethod::Midpoint) weight = std::fmod(at, 1) == 0 ? 0 : 0.5;
    const double a = to_f64(sorted[below]);
    const double b = to_f64(sorted[above]);
    const double difference = b - a;
    return test::canonical(weight >= 0.5 ? b - difference * (1 - weight) : a + difference * weight);
}

template <class T>
T taken(const std::vector<T>& sorted, double q, QuantileMethod method) {
    const double at = static_cast<double>(sorted.size() - 1) * q;
    const double place = method == QuantileMethod::Lower    ? std::floor(at)
                         : method == QuantileMethod::Higher ? std::ceil(at)
                                                            : std::nearbyint(at);
    return test::canonical(sorted[static_cast<std::size_t>(place)]);
}

template <class T>
T canonical_nan() {
    T value{};
    if constexpr (test::kIsFloat<T>) {
        const std::uint64_t bits = sizeof(T) == 2 ? 0x7e00u : sizeof(T) == 4 ? 0x7fc00000u : 0x7ff8000000000000u;
        std::memcpy(&value, &bits, sizeof value);
    }
    return value;
}

// The bytes that the quantiles of one sequence must have.
template <class T>
std::vector<std::byte> expected(std::vector<T> elements, const QuantileParams& params) {
    const auto nans = std::partition(elements.begin(), elements.end(), [](T value) { return !is_nan(value); });
    const bool none = nans == elements.begin() || (nans != elements.end() && !params.skip_nans);
    elements.erase(nans, elements.end());
    std::sort(elements.begin(), elements.end(), [](T a, T b) { return test::number_of(a) < test::number_of(b); });
    std::vector<std::byte> bytes;
    for (const double q : params.q) {
        const std::vector<std::byte> one =
            interpolates(params.method)
                ? bytes_of(none ? canonical_nan<double>() : interpolated(elements, q, params.method))
                : bytes_of(none ? canonical_nan<T>() : taken(elements, q, params.method));
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

struct Outcome {
    Result<RunReport> report = make_error(Status::Internal, "not run");
    JobPlan plan;
    std::vector<std::byte> quantiles;
};

Outcome run_bytes(const Job& job, const std::byte* data, std::uint64_t stride, ThreadPool* pool,
                  const StopToken& stop = {}) {
    Outcome outcome;
    Result<JobPlan> plan = plan_job(job);
    if (!plan) {
        outcome.report = plan.error();
        return outcome;
    }
    outcome.plan = *plan;
    outcome.quantiles.assign(array_bytes(plan->outputs[0]), std::byte{0xab});
    const OutputView output{outcome.quantiles.data()};
    const InputView input{data, stride};
    outcome.report = run_job(job, Span<const InputView>(&input, 1), Span<const OutputView>(&output, 1), pool, stop);
    return outcome;
}

// Lays rows out with gaps and at an odd address; the gaps hold what would change the result if it were read.
template <class T>
Outcome run_elements(const Job& job, const std::vector<T>& elements, ThreadPool* pool, std::uint64_t gap = 0,
                     std::size_t offset = 0) {
    const std::uint64_t stride = job.cols + gap;
    std::vector<std::byte> memory(offset + job.rows * stride * sizeof(T) + sizeof(T), std::byte{0x7f});
    for (std::uint64_t row = 0; row < job.rows; ++row)
        std::memcpy(memory.data() + offset + row * stride * sizeof(T), elements.data() + row * job.cols,
                    job.cols * sizeof(T));
    return run_bytes(job, memory.data() + offset, stride, pool);
}

ThreadPool& pool_of(unsigned threads) {
    static ThreadPool two(2);
    static ThreadPool seven(7);
    return threads == 2 ? two : seven;
}

template <class T>
class QuantileTest : public ::testing::Test {};

struct Names {
    template <class T>
    static std::string GetName(int) {
        return std::string(element_word(ElementTypeOf<T>::value));
    }
};
using Types = ::testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                               std::uint64_t, std::int64_t, Half, float, double>;
TYPED_TEST_SUITE(QuantileTest, Types, Names);

std::vector<double> many(std::size_t count) {
    std::vector<double> q;
    for (std::size_t i = 0; i < count; ++i)
        q.push_back(static_cast<double>(i * 37 % count) / static_cast<double>(count - 1));
    return q;
}

// The same job on one, two and seven threads.
template <class T>
void check(const Job& job, const std::vector<T>& elements, const std::string& what) {
    SCOPED_TRACE(what + " method " + std::to_string(static_cast<int>(params_of(job).method)) +
                 (params_of(job).skip_nans ? " skip_nans" : ""));
    const std::vector<std::byte> want = expected(elements, params_of(job));
    for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &pool_of(2), &pool_of(7)}) {
        const Outcome outcome = run_elements(job, elements, pool);
        ASSERT_TRUE(outcome.report.ok()) << outcome.report.error().message;
        ASSERT_EQ(outcome.quantiles, want)
            << (pool == nullptr ? 1 : pool->threads()) << " threads, " << outcome.report->policy;
    }
}

template <class T>
void check_sizes(const std::vector<std::size_t>& sizes, const std::vector<std::vector<double>>& qs,
                 const std::vector<QuantileMethod>& methods, std::uint64_t seed) {
    for (int pattern = 0; pattern < static_cast<int>(Pattern::Count); ++pattern)
        for (const std::size_t n : sizes) {
            const std::vector<T> elements = test::make_elements<T>(static_cast<Pattern>(pattern), n, seed + n);
            for (const std::vector<double>& q : qs)
                for (const QuantileMethod method : methods)
                    for (const bool skip_nans : {false, true}) {
                        check(quantile_job(ElementTypeOf<T>::value, Axis::Whole, 1, n, q, method, skip_nans), elements,
                              "pattern " + std::to_string(pattern) + " n " + std::to_string(n) + " quantiles " +
                                  std::to_string(q.size()) + " seed " + std::to_string(seed + n));
                        if (::testing::Test::HasFatalFailure()) return;
                    }
        }
}

TYPED_TEST(QuantileTest, SmallSizesMatchASort) {
    check_sizes<TypeParam>({1, 2, 3, 31, 64, 65, 257, 1025}, {{0.5}, {1, 0, 0.25, 0.5, 0.5, 0.999}, many(30)}, kMethods,
                           100);
}

TYPED_TEST(QuantileTest, SizesWhereTheMethodChanges) {
    check_sizes<TypeParam>({8193, 16385, 32769}, {{0.5}, {0, 0.31, 1}}, {QuantileMethod::Linear}, 200);
}

TYPED_TEST(QuantileTest, LargeSizesMatchASort) {
    check_sizes<TypeParam>({kLarge}, {{0.5, 0.001, 0.9999}}, {QuantileMethod::Midpoint}, 300);
}

TYPED_TEST(QuantileTest, ManyQuantilesOfALargeSequence) {
    using T = TypeParam;
    for (const Pattern pattern : {Pattern::Random, Pattern::Specials, Pattern::FewValues, Pattern::Sawtooth}) {
        const std::vector<T> elements = test::make_elements<T>(pattern, kLarge, 7);
        check(quantile_job(ElementTypeOf<T>::value, Axis::Whole, 1, kLarge, many(kMaxQuantiles), QuantileMethod::Linear,
                           true),
              elements, "pattern " + std::to_string(static_cast<int>(pattern)));
        if (this->HasFatalFailure()) return;
    }
}

// The sample looks at few places: elements that stand nowhere else are what it must not be believed about.
TEST(Quantile, RareValuesThatASampleMisses) {
    const std::size_t n = 400000;
    for (const std::size_t rare : {0u, 1u, 50u, 5000u}) {
        std::vector<double> elements(n);
        for (std::size_t i = 0; i < n; ++i)
            elements[i] =
                i >= n / 2 && i < n / 2 + rare ? -1.0 - static_cast<double>(i) : static_cast<double>(i % 1000);
        for (const double q : {0.0, 1e-6, static_cast<double>(rare) / static_cast<double>(n - 1), 0.5, 1.0})
            check(quantile_job(ElementType::F64, Axis::Whole, 1, n, {q}), elements,
                  std::to_string(rare) + " rare values, q " + std::to_string(q));
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(Quantile, NansOfEveryShare) {
    const std::size_t n = 100000;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t nans : {std::size_t{1}, std::size_t{10}, n / 10, n / 2, n - 3, n - 1, n}) {
        std::vector<float> elements = test::make_elements<float>(Pattern::Random, n, nans);
        for (std::size_t i = 0; i < nans; ++i) elements[i * 7919 % n] = i % 2 == 0 ? nan : -nan;
        for (const QuantileMethod method : kMethods)
            for (const bool skip_nans : {false, true}) {
                check(quantile_job(ElementType::F32, Axis::Whole, 1, n, {0, 0.5, 0.9, 1}, method, skip_nans), elements,
                      std::to_string(nans) + " NaN");
                if (::testing::Test::HasFatalFailure()) return;
            }
    }
}

TYPED_TEST(QuantileTest, RowsAndStrides) {
    using T = TypeParam;
    for (const std::uint64_t cols : {1u, 7u, 128u, 9000u, 20000u}) {
        const std::uint64_t rows = cols > 1000 ? 4 : 40;
        const std::vector<T> elements = test::make_elements<T>(Pattern::Specials, rows * cols, cols);
        for (const std::uint64_t gap : {0u, 3u})
            for (const bool skip_nans : {false, true}) {
                const Job by_rows = quantile_job(ElementTypeOf<T>::value, Axis::Rows, rows, cols, {0.1, 0.5},
                                                 QuantileMethod::Linear, skip_nans);
                std::vector<std::byte> want;
                for (std::uint64_t row = 0; row < rows; ++row) {
                    const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(row * cols);
                    const std::vector<std::byte> one =
                        expected(std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(cols)), params_of(by_rows));
                    want.insert(want.end(), one.begin(), one.end());
                }
                EXPECT_EQ(run_elements(by_rows, elements, &pool_of(2), gap, 1).quantiles, want) << cols;
                EXPECT_EQ(run_elements(by_rows, elements, nullptr, gap, 0).quantiles, want) << cols;
                const Job whole = quantile_job(ElementTypeOf<T>::value, Axis::Whole, rows, cols, {0.1, 0.5},
                                               QuantileMethod::Higher, skip_nans);
                EXPECT_EQ(run_elements(whole, elements, &pool_of(7), gap, 1).quantiles,
                          expected(elements, params_of(whole)))
                    << cols;
            }
    }
}

TEST(Quantile, LongRowsShareTheThreads) {
    const std::uint64_t cols = 140000;
    const std::vector<float> elements = test::make_elements<float>(Pattern::Random, 3 * cols, 5);
    const Job job = quantile_job(ElementType::F32, Axis::Rows, 3, cols, {0.5});
    const Outcome outcome = run_elements(job, elements, &pool_of(2), 1);
    ASSERT_TRUE(outcome.report.ok());
    for (std::uint64_t row = 0; row < 3; ++row) {
        const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(row * cols);
        const std::vector<std::byte> want =
            expected(std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(cols)), params_of(job));
        EXPECT_EQ(std::memcmp(outcome.quantiles.data() + row * 8, want.data(), 8), 0) << row;
    }
}

TEST(Quantile, OnePassOverLargeData) {
    const std::vector<std::int32_t> elements = test::make_elements<std::int32_t>(Pattern::Random, 1000000, 9);
    const Outcome outcome = run_elements(
        quantile_job(ElementType::I32, Axis::Whole, 1, elements.size(), {0.25, 0.5, 0.75}), elements, &pool_of(2));
    ASSERT_TRUE(outcome.report.ok());
    EXPECT_NE(outcome.report->policy.find("brackets"), std::string::npos) << outcome.report->policy;
    EXPECT_NE(outcome.report->policy.find("passes=1"), std::string::npos) << outcome.report->policy;
}

TEST(Quantile, PlanNamesTheArray) {
    const Result<JobPlan> plan = plan_job(quantile_job(ElementType::I16, Axis::Rows, 4, 100, {0.5, 0.25, 0.75}));
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
    EXPECT_EQ(
        plan_job(quantile_job(ElementType::I16, Axis::Whole, 4, 100, {0.5}, QuantileMethod::Nearest))->outputs[0].type,
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
    EXPECT_EQ(plan_job(quantile_job(ElementType::F32, Axis::Rows, 3, 0, {0.5})).error().status, Status::EmptyInput);
    EXPECT_EQ(plan_job(quantile_job(ElementType::F32, Axis::Whole, 0, 3, {0.5})).error().status, Status::EmptyInput);
    EXPECT_EQ(plan_job(quantile_job(ElementType::F32, Axis::Whole, 0, 0, {0.5})).error().field, "rows");
    EXPECT_EQ(plan_job(quantile_job(ElementType::F32, Axis::Rows, 3, 0, {0.5})).error().field, "cols");
    const Job nothing = quantile_job(ElementType::F32, Axis::Rows, 0, 0, {0.5, 1});
    const Result<JobPlan> plan = plan_job(nothing);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->outputs[0].rows, 0u);
    EXPECT_EQ(plan->outputs[0].cols, 2u);
    const InputView none;
    const OutputView out;
    EXPECT_TRUE(run_job(nothing, Span<const InputView>(&none, 1), Span<const OutputView>(&out, 1), nullptr, StopToken()).ok());
    EXPECT_EQ(plan_job(quantile_job(ElementType::U8, Axis::Rows, std::uint64_t{1} << 60, 1, {0.5, 0.5, 0.5, 0.5}))
                  .error()
                  .status,
              Status::TooLarge);
}

TEST(Quantile, NoRowsGiveAnEmptyArray) {
    const Outcome outcome = run_bytes(quantile_job(ElementType::F64, Axis::Rows, 0, 10, {0.5}), nullptr, 10, nullptr);
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
            const Outcome outcome = run_bytes(quantile_job(ElementType::F32, axis, 1024, 1024, many(count + 1)), data,
                                              1024, &pool_of(2), stop);
            ASSERT_FALSE(outcome.report.ok());
            EXPECT_EQ(outcome.report.error().status, Status::Cancelled);
        }
    const StopToken late(nullptr, StopToken::Clock::now() - std::chrono::seconds(1));
    EXPECT_EQ(run_bytes(quantile_job(ElementType::F16, Axis::Whole, 1, 1u << 20, {0.5}), data, 1u << 20, nullptr, late)
                  .report.error()
                  .status,
              Status::DeadlineExceeded);
}

// Another process may write into the input while the job reads it. The result is undefined, the run stays in bounds.
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
            for (const ElementType type : {ElementType::U32, ElementType::F32, ElementType::U16, ElementType::F64}) {
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
