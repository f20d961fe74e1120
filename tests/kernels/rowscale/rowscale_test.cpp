// SPDX-License-Identifier: Apache-2.0
// rowscale against one division at a time: every float type, widths around every boundary, hard values,
// strides, odd addresses, in place, threads, rows that are too long for a cache, stopping.
#include <algorithm>
#include <cmath>

#include "tests/kernels/execution/elementwise_run.h"
#include "tests/kernels/execution/exact.h"

namespace tegu::test {
namespace {

using kernels::InputView;
using kernels::StopToken;
using kernels::ThreadPool;

constexpr unsigned kSeed = 20240603;

template <class T>
Job rowscale_job(std::uint64_t rows, std::uint64_t cols, Axis axis = Axis::Rows, bool skip_nans = false) {
    return job_of<T>(rows, cols, axis, RowscaleParams{skip_nans});
}

template <class T>
T canonical(T x) {
    return std::isnan(as_double(x)) ? from_bits<T>(FloatBits<T>::kNan) : x;
}

// What docs/numerics.md says of one segment.
template <class T>
struct Scaled {
    T scale{};
    std::vector<T> values;

    Scaled(const std::vector<T>& x, bool skip_nans) {
        using A = std::conditional_t<std::is_same<T, double>::value, double, float>;
        for (T v : x) {
            const double magnitude = std::fabs(as_double(v));
            if (std::isnan(magnitude) && skip_nans) continue;
            if (std::isnan(magnitude) || magnitude > as_double(scale)) scale = float_element<T>(magnitude);
            if (std::isnan(magnitude)) break;
        }
        scale = canonical(scale);
        for (T v : x) {
            const auto quotient = static_cast<A>(as_double(v)) / static_cast<A>(as_double(scale));
            values.push_back(
                canonical(as_double(scale) == 0 ? v : float_element<T>(static_cast<double>(quotient))));
        }
    }
};

template <class T>
void expect_bits(const std::vector<T>& want, const T* got, const char* what) {
    for (std::size_t i = 0; i < want.size(); ++i)
        ASSERT_EQ(bits_of(got[i]), bits_of(want[i]))
            << what << " at " << i << std::hex << ": " << bits_of(got[i]);
}

// Compares values and scales of a run with the reference, row by row or as one.
template <class T>
void expect_scaled(const Job& job, const std::vector<T>& x, const T* values, const std::vector<T>& scales) {
    const bool skip = std::get_if<RowscaleParams>(&job.params)->skip_nans;
    const std::uint64_t width = job.axis == Axis::Rows ? job.cols : x.size();
    for (std::size_t r = 0; r < scales.size(); ++r) {
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(r * width);
        const Scaled<T> want(std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(width)), skip);
        ASSERT_EQ(bits_of(scales[r]), bits_of(want.scale)) << "scale of row " << r;
        expect_bits(want.values, values + r * width, "value");
        if (testing::Test::HasFailure()) return;
    }
}

template <class T>
class RowscaleFloat : public testing::Test {};
using FloatTypes = testing::Types<Half, float, double>;
TYPED_TEST_SUITE(RowscaleFloat, FloatTypes);

TYPED_TEST(RowscaleFloat, EveryWidthMatchesTheReference) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed);
    ThreadPool two(2);
    ThreadPool seven(7);
    for (std::uint64_t cols : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 127, 128, 129, 1000, 4097, 70001})
        for (bool skip : {false, true}) {
            const std::uint64_t rows = std::max<std::uint64_t>(3, 20000 / cols);
            SCOPED_TRACE("seed " + std::to_string(kSeed) + " cols " + std::to_string(cols) +
                         (skip ? " skip_nans" : ""));
            std::vector<T> x = finite_elements<T>(rows * cols, random);
            const std::vector<T> hard = hard_floats<T>();
            // a hard value in some rows, rows of zeros, rows of hard values
            for (std::uint64_t r = 0; r < rows; ++r)
                for (std::uint64_t c = 0; c < cols; ++c) {
                    T& v = x[r * cols + c];
                    if (r % 5 == 1 && c == r % cols) v = hard[random() % hard.size()];
                    if (r % 5 == 2) v = hard[random() % 2];
                    if (r % 5 == 3) v = hard[random() % 8];  // zeros and subnormals
                    if (r % 35 == 4) v = hard[random() % hard.size()];
                }
            for (Axis axis : {Axis::Rows, Axis::Whole}) {
                const Job job = rowscale_job<T>(rows, cols, axis, skip);
                for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &two, &seven}) {
                    const JobResult got = run_elementwise(job, {dense_view(x, cols)}, pool);
                    ASSERT_TRUE(got.report.ok()) << got.report.error().message;
                    EXPECT_EQ(got.report->filled_columns, (std::vector<std::uint64_t>{cols, 1}));
                    expect_scaled(job, x, got.template values<T>().data(), got.template values<T>(1));
                    std::vector<T> y = x;
                    const JobResult in_place =
                        run_elementwise(job, {dense_view(y, cols)}, pool, {}, y.data());
                    ASSERT_TRUE(in_place.report.ok());
                    EXPECT_EQ(in_place.arrays[1], got.arrays[1]);
                    EXPECT_EQ(0, std::memcmp(y.data(), got.arrays[0].data(), y.size() * sizeof(T)));
                    if (testing::Test::HasFailure()) return;
                }
            }
        }
}

TYPED_TEST(RowscaleFloat, StridesAndOddAddresses) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed + 1);
    ThreadPool pool(3);
    const std::uint64_t shapes[][3] = {
        {1, 1, 1}, {3, 1, 2}, {300, 17, 19}, {40, 1024, 1030}, {3, 140001, 140003}};
    for (const auto& shape : shapes)
        for (std::size_t offset : {0, 1, 3}) {
            const std::uint64_t rows = shape[0], cols = shape[1];
            SCOPED_TRACE("rows " + std::to_string(rows) + " cols " + std::to_string(cols) + " offset " +
                         std::to_string(offset) + " seed " + std::to_string(kSeed + 1));
            const std::vector<T> x = finite_elements<T>(rows * cols, random);
            const StridedArray<T> a(x, rows, cols, shape[2], offset, from_bits<T>(FloatBits<T>::kNan));
            for (Axis axis : {Axis::Rows, Axis::Whole})
                for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
                    const Job job = rowscale_job<T>(rows, cols, axis);
                    const JobResult got = run_elementwise(job, {a.view()}, threads);
                    ASSERT_TRUE(got.report.ok());
                    expect_scaled(job, x, got.template values<T>().data(), got.template values<T>(1));
                    if (testing::Test::HasFailure()) return;
                }
        }
}

TYPED_TEST(RowscaleFloat, SpecialRows) {
    using T = TypeParam;
    using F = FloatBits<T>;
    const auto run = [](const std::vector<T>& x, bool skip) {
        const JobResult got =
            run_elementwise(rowscale_job<T>(1, x.size(), Axis::Rows, skip), {dense_view(x, x.size())});
        std::vector<std::uint64_t> bits = {bits_of(got.template values<T>(1)[0])};
        for (T v : got.template values<T>()) bits.push_back(bits_of(v));
        return bits;
    };
    using Bits = std::vector<std::uint64_t>;
    const T one = float_element<T>(1), two = float_element<T>(-2), zero{},
            minus_zero = from_bits<T>(F::kSign);
    const T inf = from_bits<T>(F::kInfinity), nan = from_bits<T>(F::kSign | F::kInfinity | 1),
            tiny = from_bits<T>(1);
    const std::uint64_t half = bits_of(float_element<T>(0.5)), minus_one = bits_of(float_element<T>(-1));
    EXPECT_EQ(run({one, two}, false), (Bits{bits_of(float_element<T>(2)), half, minus_one}));
    EXPECT_EQ(run({zero, minus_zero}, false), (Bits{0, 0, F::kSign})) << "zeros stay as they are";
    EXPECT_EQ(run({one, nan}, false), (Bits{F::kNan, F::kNan, F::kNan}));
    EXPECT_EQ(run({one, nan, two}, true), (Bits{bits_of(float_element<T>(2)), half, F::kNan, minus_one}));
    EXPECT_EQ(run({nan, nan}, true), (Bits{0, F::kNan, F::kNan}));
    EXPECT_EQ(run({nan, minus_zero}, true), (Bits{0, F::kNan, F::kSign}));
    EXPECT_EQ(run({one, inf, two}, false), (Bits{F::kInfinity, 0, F::kNan, F::kSign}))
        << "IEEE: inf / inf is NaN";
    EXPECT_EQ(run({inf, nan}, false), (Bits{F::kNan, F::kNan, F::kNan})) << "NaN is above infinity";
    EXPECT_EQ(run({tiny, zero}, false), (Bits{1, bits_of(one), 0})) << "a subnormal scale";
}

TEST(RowscaleFloat64, QuotientsAreTheNearest) {
    std::mt19937_64 random(kSeed + 2);
    const std::vector<double> x = finite_elements<double>(2000, random);
    const JobResult got = run_elementwise(rowscale_job<double>(1, x.size()), {dense_view(x, x.size())});
    const Exact scale(got.values<double>(1)[0]);
    const std::vector<double> y = got.values<double>();
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Exact twice_error = (Exact(y[i]) * scale - Exact(x[i])).abs() * Exact(2.0);
        EXPECT_FALSE((Exact(std::fabs(y[i])) - Exact(std::nextafter(std::fabs(y[i]), 0.0))) * scale <
                     twice_error)
            << i;
        EXPECT_LE(std::fabs(y[i]), 1);
    }
}

// f64 holds quotients of halves well enough to find the nearest half: rounding to f32 on the way does no
// harm.
TEST(RowscaleFloat16, QuotientsAreTheNearest) {
    std::mt19937_64 random(kSeed + 5);
    for (int trial = 0; trial < 12; ++trial) {
        const auto top = static_cast<std::uint16_t>(trial == 0   ? 1
                                                    : trial == 1 ? 0x7bff
                                                                 : 1 + random() % 0x7bff);
        std::vector<Half> x;
        for (unsigned bits = 1; bits <= top; ++bits)
            x.push_back(Half{static_cast<std::uint16_t>(bits | (bits % 3 == 0 ? 0x8000u : 0u))});
        const JobResult got = run_elementwise(rowscale_job<Half>(1, x.size()), {dense_view(x, x.size())});
        ASSERT_EQ(got.values<Half>(1)[0].bits, top);
        const std::vector<Half> y = got.values<Half>();
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double quotient = as_double(x[i]) / as_double(Half{top});
            ASSERT_EQ(y[i].bits & 0x7fffu, nearest_half(std::fabs(quotient))) << x[i].bits << " / " << top;
            ASSERT_EQ(y[i].bits >> 15, x[i].bits >> 15);
        }
    }
}

// Long rows are cut; one and several threads, and rows with gaps, find the same.
TEST(RowscaleFloat32, RowsThatAreCutAgree) {
    std::mt19937_64 random(kSeed + 3);
    const std::uint64_t rows = 2, cols = 1'100'003;
    std::vector<float> x = finite_elements<float>(rows * cols, random);
    x[cols - 1] = -50;
    x[cols] = 70;
    ThreadPool pool(2);
    for (Axis axis : {Axis::Rows, Axis::Whole})
        for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
            const JobResult got =
                run_elementwise(rowscale_job<float>(rows, cols, axis), {dense_view(x, cols)}, threads);
            ASSERT_TRUE(got.report.ok());
            const std::vector<float> want =
                axis == Axis::Rows ? std::vector<float>{50, 70} : std::vector<float>{70};
            EXPECT_EQ(got.values<float>(1), want);
            const std::vector<float> y = got.values<float>();
            for (std::uint64_t i = 0; i < y.size(); ++i)
                ASSERT_EQ(y[i], x[i] / want[axis == Axis::Rows ? i / cols : 0]);
        }
}

// Large outputs go past the caches.
TEST(RowscaleFloat32, LargeOutputsAgree) {
    std::mt19937_64 random(kSeed + 4);
    for (std::uint64_t cols : {128, 37, 5000001}) {
        const std::uint64_t rows = 5000001 / cols;
        std::vector<float> x = finite_elements<float>(rows * cols, random);
        const JobResult got = run_elementwise(rowscale_job<float>(rows, cols), {dense_view(x, cols)});
        ASSERT_TRUE(got.report.ok());
        EXPECT_EQ(got.report->policy.find("store"), "streaming");
        ASSERT_TRUE(
            run_elementwise(rowscale_job<float>(rows, cols), {dense_view(x, cols)}, nullptr, {}, x.data())
                .report.ok());
        EXPECT_EQ(0, std::memcmp(x.data(), got.arrays[0].data(), x.size() * sizeof(float)));
    }
}

TEST(RowscaleEmpty, HasScalesOfZero) {
    const JobResult whole = run_elementwise(rowscale_job<float>(0, 5, Axis::Whole), {InputView{nullptr, 5}});
    ASSERT_TRUE(whole.report.ok());
    EXPECT_EQ(whole.plan.outputs[0].rows * whole.plan.outputs[0].cols, 0u);
    EXPECT_EQ(whole.values<float>(1), std::vector<float>{0});
    const JobResult no_cols = run_elementwise(rowscale_job<double>(3, 0), {InputView{nullptr, 0}});
    ASSERT_TRUE(no_cols.report.ok());
    EXPECT_EQ(no_cols.values<double>(1), (std::vector<double>{0, 0, 0}));
    const JobResult no_rows = run_elementwise(rowscale_job<float>(0, 5), {InputView{nullptr, 5}});
    ASSERT_TRUE(no_rows.report.ok());
    EXPECT_EQ(no_rows.plan.outputs[1].rows, 0u);
    EXPECT_EQ(no_rows.arrays[1][0], 0xa5a5a5a5a5a5a5a5u) << "nothing is written";
}

TEST(RowscalePlan, FloatsOnly) {
    for (ElementType type : {ElementType::U8, ElementType::I8, ElementType::U16, ElementType::I16,
                             ElementType::U32, ElementType::I32, ElementType::U64, ElementType::I64}) {
        Job job = rowscale_job<float>(3, 4);
        job.type = type;
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        ASSERT_FALSE(plan.ok());
        EXPECT_EQ(plan.error().status, Status::Unsupported);
        EXPECT_EQ(plan.error().field, "type");
        EXPECT_EQ(plan.error().allowed, "f16, f32, f64");
    }
    const Result<kernels::JobPlan> plan = kernels::plan_job(rowscale_job<Half>(7, 100));
    ASSERT_TRUE(plan.ok());
    ASSERT_EQ(plan->outputs.size(), 2u);
    EXPECT_EQ(plan->outputs[0].role, ArrayRole::Values);
    EXPECT_EQ(plan->outputs[0].type, ElementType::F16);
    EXPECT_EQ(plan->outputs[1].role, ArrayRole::Scales);
    EXPECT_EQ(plan->outputs[1].rows, 7u);
    EXPECT_EQ(plan->outputs[1].cols, 1u);
    EXPECT_EQ(plan->bytes_read, 1400u);
    EXPECT_EQ(plan->bytes_written, 1414u);
    EXPECT_EQ(plan->scratch_bytes, 0u);
    EXPECT_TRUE(plan->in_place);
    const Result<kernels::JobPlan> tall = kernels::plan_job(rowscale_job<float>(std::uint64_t{1} << 57, 0));
    ASSERT_FALSE(tall.ok());
    EXPECT_EQ(tall.error().status, Status::TooLarge);
    EXPECT_EQ(tall.error().field, "rows");
}

TEST(RowscaleStop, CancelAndDeadlineEndTheRun) {
    const std::vector<float> x(2'400'000, 1.0f);
    std::atomic<bool> cancelled{true};
    const StopToken cancel(&cancelled, StopToken::Clock::time_point::max());
    const StopToken late(nullptr, StopToken::Clock::now() - std::chrono::seconds(1));
    ThreadPool pool(3);
    for (const auto& shape : {std::pair<std::uint64_t, std::uint64_t>{1, 2400000}, {2400, 1000}, {4, 600000}})
        for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
            const Job job = rowscale_job<float>(shape.first, shape.second);
            const std::vector<InputView> inputs = {dense_view(x, shape.second)};
            EXPECT_EQ(run_elementwise(job, inputs, threads, cancel).report.error().status, Status::Cancelled);
            EXPECT_EQ(run_elementwise(job, inputs, threads, late).report.error().status,
                      Status::DeadlineExceeded);
        }
}

// One row of 2^31 elements and a few more, and deadlines in the middle of it and of as many short rows.
TEST(RowscaleHuge, BeyondTwoToThe31) {
    const std::uint64_t n = (std::uint64_t{1} << 31) + 1024;
    const RepeatedMemory x(n * sizeof(Half)), out(n * sizeof(Half));
    if (!x.ok() || !out.ok()) GTEST_SKIP() << "no memory for windows";
    x.fill(0x3c);  // 1.059
    const auto set = [&](std::uint64_t i, double v) {
        const Half h = float_element<Half>(v);
        std::memcpy(x.data() + i * sizeof h, &h, sizeof h);
    };
    const auto get = [&](std::uint64_t i) {
        return as_double(from_bits<Half>(static_cast<std::uint64_t>(out.data()[2 * i]) +
                                         (static_cast<std::uint64_t>(out.data()[2 * i + 1]) << 8)));
    };
    set(n - 3, -2);
    set(n - 2, 1);
    set(n, 9);  // behind the end
    ThreadPool pool(2);
    const JobResult got =
        run_elementwise(rowscale_job<Half>(1, n), {InputView{x.data(), n}}, &pool, {}, out.data());
    ASSERT_TRUE(got.report.ok());
    EXPECT_EQ(as_double(got.values<Half>(1)[0]), 2);
    EXPECT_EQ(get(n - 3), -1);
    EXPECT_EQ(get(n - 2), 0.5);
    EXPECT_EQ(get(n), 0) << "nothing is written behind the end";
    for (std::uint64_t cols : {n, std::uint64_t{1024}})
        for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
            const StopToken late(nullptr, StopToken::Clock::now() + std::chrono::milliseconds(2));
            const JobResult stopped = run_elementwise(rowscale_job<Half>(n / cols, cols),
                                                      {InputView{x.data(), cols}}, threads, late, out.data());
            ASSERT_FALSE(stopped.report.ok());
            EXPECT_EQ(stopped.report.error().status, Status::DeadlineExceeded);
        }
}

TEST(RowscaleReport, SaysHowItRan) {
    const std::vector<float> x(100'000, 1.0f);
    ThreadPool pool(3);
    const std::string isa = std::string("cpu ") + kernels::cpu_isa();
    const Job job = rowscale_job<float>(100, 1000);
    EXPECT_EQ(run_elementwise(job, {dense_view(x, 1000)}).report->policy.text(), isa + " threads=1");
    EXPECT_EQ(run_elementwise(job, {dense_view(x, 1000)}, &pool).report->policy.text(), isa + " threads=3");
}

}  // namespace
}  // namespace tegu::test
