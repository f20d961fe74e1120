// SPDX-License-Identifier: Apache-2.0
// add against exact sums: every type, sizes around every boundary, strides, odd addresses, in place, threads,
// what does not fit.
#include <cmath>

#include "tests/kernels/execution/elementwise_run.h"
#include "tests/kernels/execution/every_type.h"
#include "tests/kernels/execution/exact.h"

namespace tegu::test {
namespace {

using kernels::InputView;
using kernels::StopToken;
using kernels::ThreadPool;

constexpr unsigned kSeed = 20240601;
const std::uint64_t kSizes[] = {1, 2, 15, 16, 17, 63, 64, 65, 255, 1000, 4095, 4097, 16385, 131073, 300001};

template <class T>
Job add_job(std::uint64_t rows, std::uint64_t cols) {
    return job_of<T>(rows, cols, Axis::Whole, AddParams{});
}

// Neither neighbour of `got` is nearer to a + b. The largest value has the same distance to both sides.
bool is_nearest_sum(double got, double a, double b) {
    const Exact twice_error = (Exact(got) - (Exact(a) + Exact(b))) * Exact(2.0);
    const Exact down = Exact(got) - Exact(std::nextafter(got, -std::numeric_limits<double>::max()));
    const Exact up = Exact(std::nextafter(got, std::numeric_limits<double>::max())) - Exact(got);
    return !((down.is_zero() ? up : down) < twice_error) && !((up.is_zero() ? down : up) < -twice_error);
}

// Bits of x + y. A sum that is zero without both being -0 is +0; f64 sums are checked by their neighbours.
template <class T>
std::uint64_t expected_sum(T x, T y) {
    if constexpr (!kFloat<T>) {
        return bits_of(static_cast<T>(static_cast<Int128>(x) + y));
    } else {
        const double a = as_double(x), b = as_double(y);
        const volatile double sum = a + b;
        if (std::isnan(sum)) return FloatBits<T>::kNan;
        if (std::isinf(sum) || sum == 0) return bits_of(float_element<T>(sum));
        if constexpr (std::is_same<T, Half>::value) {
            return nearest_half(sum);
        } else {
            if (std::is_same<T, double>::value) {
                EXPECT_TRUE(is_nearest_sum(sum, a, b));
            }
            return bits_of(static_cast<T>(sum));  // 53 digits are enough to round twice to f32
        }
    }
}

template <class T>
void expect_sums(const std::vector<T>& x, const std::vector<T>& y, const std::vector<T>& got) {
    ASSERT_EQ(got.size(), x.size());
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        // Exact arithmetic is slow: a pair that is the one before has its sum.
        if (i == 0 || bits_of(x[i]) != bits_of(x[i - 1]) || bits_of(y[i]) != bits_of(y[i - 1]))
            expected = expected_sum(x[i], y[i]);
        ASSERT_EQ(bits_of(got[i]), expected)
            << "index " << i << ": " << std::hex << bits_of(x[i]) << " + " << bits_of(y[i]);
    }
}

// Pairs whose sums fit the type.
template <class T>
void make_pairs(std::uint64_t n, std::mt19937_64& random, std::vector<T>* x, std::vector<T>* y) {
    *x = any_elements<T>(n, random);
    *y = any_elements<T>(n, random);
    if constexpr (!kFloat<T>)
        for (std::size_t i = 0; i < n; ++i) {
            const Int128 sum = static_cast<Int128>((*x)[i]) + (*y)[i];
            if (sum == static_cast<T>(sum)) continue;
            // unsigned: the largest sum there is; signed: the other sign, which always fits
            (*y)[i] = static_cast<T>(T(-1) > T(0) ? std::numeric_limits<T>::max() - (*x)[i] : -1 - (*y)[i]);
        }
}

template <class T>
class AddTyped : public testing::Test {};
TYPED_TEST_SUITE(AddTyped, EveryType);

TYPED_TEST(AddTyped, EverySizeIsExact) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed);
    ThreadPool two(2);
    ThreadPool seven(7);
    for (std::uint64_t n : kSizes) {
        if (sizeof(T) > 1 && n > 200000) continue;  // bytes alone need that many to go to several threads
        SCOPED_TRACE("seed " + std::to_string(kSeed) + " n " + std::to_string(n));
        std::vector<T> x, y;
        make_pairs(std::is_same<T, double>::value && n > 1000 ? 1000 : n, random, &x, &y);
        x.resize(n, x[0]);
        y.resize(n, y[0]);
        std::vector<std::uint64_t> bits;
        for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &two, &seven}) {
            const JobResult got =
                run_elementwise(add_job<T>(1, n), {dense_view(x, n), dense_view(y, n)}, pool);
            ASSERT_TRUE(got.report.ok()) << got.report.error().message;
            EXPECT_EQ(got.report->filled_columns, std::vector<std::uint64_t>{n});
            if (pool == nullptr)
                expect_sums(x, y, got.template values<T>());
            else
                EXPECT_EQ(got.arrays[0], bits);
            if (testing::Test::HasFailure()) return;
            bits = got.arrays[0];
        }
    }
}

TYPED_TEST(AddTyped, StridesAndOddAddresses) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed + 1);
    ThreadPool pool(3);
    const std::uint64_t shapes[][4] = {{1, 7, 7, 7},      {5, 1, 3, 1},           {9, 3, 3, 4},
                                       {300, 17, 19, 17}, {20, 1024, 1024, 1027}, {3, 40000, 40001, 40007}};
    for (const auto& shape : shapes)
        for (std::size_t offset : {0, 1, 3}) {
            const std::uint64_t rows = shape[0], cols = shape[1];
            SCOPED_TRACE("rows " + std::to_string(rows) + " cols " + std::to_string(cols) + " offset " +
                         std::to_string(offset) + " seed " + std::to_string(kSeed + 1));
            std::vector<T> x, y;
            make_pairs(std::is_same<T, double>::value ? 500 : rows * cols, random, &x, &y);
            x.resize(rows * cols, x[0]);
            y.resize(rows * cols, y[0]);
            // what stands in the gaps must not be added: it would not fit
            const T filler = kFloat<T> ? T{} : std::numeric_limits<T>::max();
            const StridedArray<T> a(x, rows, cols, shape[2], offset, filler);
            const StridedArray<T> b(y, rows, cols, shape[3], 2 * offset + 1, filler);
            for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
                const JobResult got = run_elementwise(add_job<T>(rows, cols), {a.view(), b.view()}, threads);
                ASSERT_TRUE(got.report.ok()) << got.report.error().message;
                expect_sums(x, y, got.template values<T>());
                if (testing::Test::HasFailure()) return;
            }
        }
}

TYPED_TEST(AddTyped, InPlaceOfEitherInputAndOfBoth) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed + 2);
    ThreadPool pool(2);
    for (std::uint64_t n : {1, 100, 4097, 140001}) {
        std::vector<T> x, y;
        make_pairs(n, random, &x, &y);
        const std::vector<T> want =
            run_elementwise(add_job<T>(1, n), {dense_view(x, n), dense_view(y, n)}).template values<T>();
        for (bool first : {true, false}) {
            std::vector<T> a = x, b = y;
            const JobResult got = run_elementwise(add_job<T>(1, n), {dense_view(a, n), dense_view(b, n)},
                                                  &pool, {}, first ? a.data() : b.data());
            ASSERT_TRUE(got.report.ok());
            EXPECT_TRUE(got.plan.in_place);
            EXPECT_EQ(0, std::memcmp(want.data(), first ? a.data() : b.data(), n * sizeof(T)));
        }
        std::vector<T> both = x;
        if (!kFloat<T>)
            for (T& v : both) v = from_bits<T>(bits_of(v) / 4 % 32);
        const std::vector<T> before = both;
        const InputView view = dense_view(both, n);
        ASSERT_TRUE(run_elementwise(add_job<T>(1, n), {view, view}, &pool, {}, both.data()).report.ok());
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(bits_of(both[i]), expected_sum(before[i], before[i]));
    }
}

TYPED_TEST(AddTyped, NothingGivesNothing) {
    using T = TypeParam;
    for (auto shape : {std::pair<int, int>{0, 0}, {0, 5}, {5, 0}}) {
        const Job job =
            add_job<T>(static_cast<std::uint64_t>(shape.first), static_cast<std::uint64_t>(shape.second));
        const JobResult got =
            run_elementwise(job, {InputView{nullptr, job.cols}, InputView{nullptr, job.cols}});
        ASSERT_TRUE(got.report.ok());
        EXPECT_EQ(got.arrays[0][0], 0xa5a5a5a5a5a5a5a5u) << "nothing is written";
    }
}

TEST(AddFloat16, EveryHalfWithHardOnes) {
    std::vector<Half> others = hard_floats<Half>();
    std::mt19937_64 random(kSeed + 3);
    for (int i = 0; i < 4; ++i) others.push_back(Half{static_cast<std::uint16_t>(random())});
    std::vector<Half> x(65536), y(65536);
    for (unsigned i = 0; i < 65536; ++i) x[i].bits = static_cast<std::uint16_t>(i);
    for (Half other : others) {
        y.assign(65536, other);
        const JobResult got =
            run_elementwise(add_job<Half>(1, 65536), {dense_view(x, 65536), dense_view(y, 65536)});
        ASSERT_TRUE(got.report.ok());
        expect_sums(x, y, got.values<Half>());
        if (testing::Test::HasFailure()) return;
    }
}

TEST(AddFloat32, EveryPairOfHardValues) {
    const std::vector<float> hard = hard_floats<float>();
    std::vector<float> x, y;
    for (float a : hard)
        for (float b : hard) {
            x.push_back(a);
            y.push_back(b);
        }
    expect_sums(
        x, y,
        run_elementwise(add_job<float>(1, x.size()), {dense_view(x, x.size()), dense_view(y, y.size())})
            .values<float>());
}

// --- what does not fit

template <class T>
class AddOverflow : public testing::Test {};
using IntegerTypes = testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                                    std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(AddOverflow, IntegerTypes);

std::string digits_of(Int128 value) {
    std::string digits;
    for (Int128 rest = value < 0 ? -value : value; rest != 0; rest /= 10)
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    return (value < 0 ? "-" : "") + (digits.empty() ? "0" : digits);
}

TYPED_TEST(AddOverflow, NamesTheFirstIndexAndTheSum) {
    using T = TypeParam;
    constexpr T kMax = std::numeric_limits<T>::max();
    constexpr T kMin = std::numeric_limits<T>::min();
    ThreadPool pool(7);
    for (std::uint64_t n : {1, 65, 5000, 140000})
        for (std::uint64_t at : {std::uint64_t{0}, n / 2, n - 1})
            for (bool low : {false, true}) {
                if (low && kMin == 0) continue;
                std::vector<T> x(n, T(1)), y(n, T(1));
                x[at] = low ? kMin : kMax;
                y[at] = low ? kMin : T(1);
                x[n - 1] = at == n - 1 ? x[at] : kMax;  // a later one that does not fit either
                for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool})
                    for (bool in_place : {false, true}) {
                        std::vector<T> a = x;
                        const JobResult got =
                            run_elementwise(add_job<T>(1, n), {dense_view(a, n), dense_view(y, n)}, threads,
                                            {}, in_place ? a.data() : nullptr);
                        ASSERT_FALSE(got.report.ok());
                        const Error& error = got.report.error();
                        EXPECT_EQ(error.status, Status::Overflow);
                        EXPECT_EQ(error.field, "values");
                        EXPECT_EQ(error.allowed, digits_of(kMin) + ".." + digits_of(kMax));
                        EXPECT_EQ(error.message, "the sum at index " + std::to_string(at) + " is " +
                                                     digits_of(static_cast<Int128>(x[at]) + y[at]) +
                                                     " and does not fit " +
                                                     std::string(element_word(ElementTypeOf<T>::value)));
                        if (testing::Test::HasFailure()) return;
                    }
            }
}

TYPED_TEST(AddOverflow, TheEndsOfTheTypeFit) {
    using T = TypeParam;
    constexpr T kMax = std::numeric_limits<T>::max();
    constexpr T kMin = std::numeric_limits<T>::min();
    const std::vector<T> x = {kMax, T(kMax - 1), kMin, T(kMin + 1), kMax, T(kMax / 2)};
    const std::vector<T> y = {T(0), T(1), T(0), T(T(-1) < T(0) ? -1 : 0), kMin, T(kMax / 2 + 1)};
    const JobResult got =
        run_elementwise(add_job<T>(1, x.size()), {dense_view(x, x.size()), dense_view(y, y.size())});
    ASSERT_TRUE(got.report.ok()) << got.report.error().message;
    expect_sums(x, y, got.template values<T>());
}

TEST(AddOverflow, TheIndexCountsLogicalElements) {
    const std::vector<std::uint8_t> x(30, 200), y = [] {
        std::vector<std::uint8_t> v(30, 1);
        v[17] = 100;
        return v;
    }();
    const StridedArray<std::uint8_t> a(x, 5, 6, 11, 0), b(y, 5, 6, 6, 0);
    const JobResult got = run_elementwise(add_job<std::uint8_t>(5, 6), {a.view(), b.view()});
    ASSERT_FALSE(got.report.ok());
    EXPECT_EQ(got.report.error().message, "the sum at index 17 is 300 and does not fit u8");
}

// --- plan, stop, size

TEST(AddPlan, OneArrayOfTheTypeOfTheInputs) {
    const Result<kernels::JobPlan> plan = kernels::plan_job(add_job<std::int16_t>(7, 100));
    ASSERT_TRUE(plan.ok());
    ASSERT_EQ(plan->outputs.size(), 1u);
    EXPECT_EQ(plan->outputs[0].role, ArrayRole::Values);
    EXPECT_EQ(plan->outputs[0].type, ElementType::I16);
    EXPECT_EQ(plan->outputs[0].rows, 7u);
    EXPECT_EQ(plan->outputs[0].cols, 100u);
    EXPECT_EQ(plan->bytes_read, 2800u);
    EXPECT_EQ(plan->bytes_written, 1400u);
    EXPECT_EQ(plan->scratch_bytes, 0u);
    EXPECT_TRUE(plan->in_place);
    EXPECT_GT(kernels::plan_job(add_job<std::int16_t>(1 << 20, 1 << 20))->predicted_ns, plan->predicted_ns);
}

TEST(AddPlan, RefusesSingleRows) {
    const Job job = job_of<float>(3, 4, Axis::Rows, AddParams{});
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().status, Status::BadRequest);
    EXPECT_EQ(plan.error().field, "axis");
    EXPECT_EQ(plan.error().allowed, "0 (whole)");
}

// 2^31 elements and a few more; what stands behind 2^31 is in the last window of the memory, which the others
// do not share.
TEST(AddHuge, BeyondTwoToThe31) {
    const std::uint64_t n = (std::uint64_t{1} << 31) + 1000;
    const RepeatedMemory x(n), y(n), out(n);
    if (!x.ok() || !y.ok() || !out.ok()) GTEST_SKIP() << "no memory for windows";
    x.fill(1);
    y.fill(2);
    x.data()[n - 5] = std::byte{200};
    const std::vector<InputView> inputs = {InputView{x.data(), n}, InputView{y.data(), n}};
    ThreadPool pool(2);
#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // there the overflow must do, which comes as far
    const JobResult got = run_elementwise(add_job<std::uint8_t>(1, n), inputs, &pool, {}, out.data());
    ASSERT_TRUE(got.report.ok());
    EXPECT_EQ(out.data()[0], std::byte{3});
    EXPECT_EQ(out.data()[n - 5], std::byte{202});
    EXPECT_EQ(out.data()[n - 1], std::byte{3});
    EXPECT_EQ(out.data()[n], std::byte{0}) << "nothing is written behind the end";
#endif
    y.data()[n - 5] = std::byte{100};
    const JobResult wrong = run_elementwise(add_job<std::uint8_t>(1, n), inputs, &pool, {}, out.data());
    ASSERT_FALSE(wrong.report.ok());
    EXPECT_EQ(wrong.report.error().message, "the sum at index 2147484643 is 300 and does not fit u8");
    // a deadline in the middle ends it
    const StopToken late(nullptr, StopToken::Clock::now() + std::chrono::milliseconds(2));
    const JobResult stopped = run_elementwise(add_job<std::uint8_t>(1, n), inputs, &pool, late, out.data());
    ASSERT_FALSE(stopped.report.ok());
    EXPECT_EQ(stopped.report.error().status, Status::DeadlineExceeded);
}

TEST(AddStop, CancelAndDeadlineEndTheRun) {
    const std::vector<float> x(100'000, 1.0f);
    std::atomic<bool> cancelled{true};
    const StopToken cancel(&cancelled, StopToken::Clock::time_point::max());
    const StopToken late(nullptr, StopToken::Clock::now() - std::chrono::seconds(1));
    ThreadPool pool(3);
    const std::vector<InputView> inputs = {dense_view(x, x.size()), dense_view(x, x.size())};
    for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
        EXPECT_EQ(run_elementwise(add_job<float>(1, x.size()), inputs, threads, cancel).report.error().status,
                  Status::Cancelled);
        EXPECT_EQ(run_elementwise(add_job<float>(1, x.size()), inputs, threads, late).report.error().status,
                  Status::DeadlineExceeded);
    }
}

TEST(AddReport, SaysHowItRan) {
    const std::vector<float> x(5'000'000, 1.0f);
    std::vector<float> y = x;
    ThreadPool pool(3);
    const Job job = add_job<float>(1, x.size());
    const std::vector<InputView> inputs = {dense_view(x, x.size()), dense_view(y, y.size())};
    const std::string isa = std::string("cpu ") + kernels::cpu_isa();
    EXPECT_EQ(run_elementwise(job, inputs).report->policy.text(), isa + " threads=1 store=streaming");
    EXPECT_EQ(run_elementwise(job, inputs, &pool).report->policy.text(), isa + " threads=3 store=streaming");
    EXPECT_EQ(run_elementwise(job, inputs, &pool, {}, y.data()).report->policy.text(), isa + " threads=3");
    EXPECT_EQ(run_elementwise(add_job<float>(1, 10), inputs, &pool).report->policy.text(),
              isa + " threads=1");
}

}  // namespace
}  // namespace tegu::test
