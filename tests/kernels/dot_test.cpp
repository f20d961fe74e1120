// SPDX-License-Identifier: Apache-2.0
// dot against the scalar reference, bit for bit, and the error bounds of docs/numerics.md against exact products; integers against
// exact sums of any length; rows, strides, odd addresses, threads, what does not fit, stopping.
#include "tests/kernels/dot_reference.h"
#include "tests/kernels/exact.h"

namespace tegu::test {
namespace {

using kernels::InputView;
using kernels::StopToken;
using kernels::ThreadPool;

constexpr unsigned kSeed = 20240602;
const std::uint64_t kSizes[] = {1, 2, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 5000, 16383, 16384, 16385, 100001};

template <class T>
Job dot_job(std::uint64_t n, bool skip_nans = false) {
    return job_of<T>(1, n, Axis::Whole, DotParams{skip_nans});
}

template <class T>
JobResult run_dot(const std::vector<T>& x, const std::vector<T>& y, bool skip_nans = false,
                  ThreadPool* pool = nullptr) {
    return run_elementwise(dot_job<T>(x.size(), skip_nans), {dense_view(x, x.size()), dense_view(y, y.size())}, pool);
}

// --- floats ---------------------------------------------------------------------------------------------------------------

template <class T>
class DotFloat : public testing::Test {};
using FloatTypes = testing::Types<Half, float, double>;
TYPED_TEST_SUITE(DotFloat, FloatTypes);

enum class Pattern { Finite, Any, Large, Tiny, SomeNan, AllNan, Count };

template <class T>
std::vector<T> data_of(Pattern pattern, std::uint64_t n, std::mt19937_64& random) {
    using F = FloatBits<T>;
    std::vector<T> x = pattern == Pattern::Any ? any_elements<T>(n, random) : finite_elements<T>(n, random);
    const std::uint64_t one = std::uint64_t{1} << F::kDigits;
    for (T& v : x) {
        const std::uint64_t sign = bits_of(v) & F::kSign;
        const std::uint64_t fraction = random() % one;
        switch (pattern) {
            case Pattern::Large: v = from_bits<T>(sign | (F::kInfinity - one) | fraction); break;
            case Pattern::Tiny: v = from_bits<T>(sign | (F::kInfinity / 4 + fraction)); break;
            case Pattern::SomeNan:
                if (random() % 100 == 0) v = from_bits<T>(sign | F::kNan | (fraction / 2));
                break;
            case Pattern::AllNan: v = from_bits<T>(sign | F::kNan); break;
            default: break;
        }
    }
    return x;
}

TYPED_TEST(DotFloat, EveryPatternAndSizeMatchesTheReference) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed);
    ThreadPool two(2);
    ThreadPool seven(7);
    for (int p = 0; p < static_cast<int>(Pattern::Count); ++p)
        for (std::uint64_t n : kSizes)
            for (bool skip : {false, true}) {
                SCOPED_TRACE("seed " + std::to_string(kSeed) + " pattern " + std::to_string(p) + " n " +
                             std::to_string(n) + (skip ? " skip_nans" : ""));
                const std::vector<T> x = data_of<T>(static_cast<Pattern>(p), n, random);
                const std::vector<T> y = data_of<T>(p % 2 ? Pattern::Finite : static_cast<Pattern>(p), n, random);
                const double want = DotReference<T>(x, y, skip).dot();
                for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &two, &seven}) {
                    const JobResult got = run_dot(x, y, skip, pool);
                    ASSERT_TRUE(got.report.ok()) << got.report.error().message;
                    EXPECT_EQ(bits_of(got.template values<double>()[0]), bits_of(want));
                    if (testing::Test::HasFailure()) return;
                }
            }
}

TYPED_TEST(DotFloat, RowsStridesAndOddAddressesMatchTheReference) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed + 1);
    ThreadPool pool(3);
    const std::uint64_t shapes[][4] = {{1, 1, 1, 1},           {3, 1, 2, 1},          {300, 17, 19, 17},
                                       {40, 1024, 1030, 1024}, {5, 3000, 3001, 3007}, {3, 16400, 16401, 16400}};
    for (const auto& shape : shapes)
        for (std::size_t offset : {0, 1, 3}) {
            const std::uint64_t rows = shape[0], cols = shape[1];
            SCOPED_TRACE("rows " + std::to_string(rows) + " cols " + std::to_string(cols) + " offset " +
                         std::to_string(offset) + " seed " + std::to_string(kSeed + 1));
            const std::vector<T> x = data_of<T>(Pattern::SomeNan, rows * cols, random);
            const std::vector<T> y = data_of<T>(Pattern::Finite, rows * cols, random);
            const T nan = from_bits<T>(FloatBits<T>::kNan);
            const StridedArray<T> a(x, rows, cols, shape[2], offset, nan);
            const StridedArray<T> b(y, rows, cols, shape[3], 2 * offset + 1, nan);
            for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
                Job job = job_of<T>(rows, cols, Axis::Rows, DotParams{true});
                const JobResult by_row = run_elementwise(job, {a.view(), b.view()}, threads);
                ASSERT_TRUE(by_row.report.ok());
                const std::vector<double> got = by_row.template values<double>();
                for (std::uint64_t r = 0; r < rows; ++r) {
                    const auto begin = static_cast<std::ptrdiff_t>(r * cols),
                               end = static_cast<std::ptrdiff_t>((r + 1) * cols);
                    const std::vector<T> p(x.begin() + begin, x.begin() + end), q(y.begin() + begin, y.begin() + end);
                    ASSERT_EQ(bits_of(got[r]), bits_of(DotReference<T>(p, q, true).dot())) << "row " << r;
                }
                job.axis = Axis::Whole;
                const JobResult whole = run_elementwise(job, {a.view(), b.view()}, threads);
                ASSERT_TRUE(whole.report.ok());
                ASSERT_EQ(bits_of(whole.template values<double>()[0]), bits_of(DotReference<T>(x, y, true).dot()));
            }
        }
}

TYPED_TEST(DotFloat, ANanInOneOfThemDecides) {
    using T = TypeParam;
    const T nan = from_bits<T>(FloatBits<T>::kSign | FloatBits<T>::kNan | 1);
    const T inf = from_bits<T>(FloatBits<T>::kInfinity);
    const T two = float_element<T>(2), zero{};
    const std::uint64_t canonical = FloatBits<double>::kNan;
    const auto dot = [](const std::vector<T>& x, const std::vector<T>& y, bool skip) {
        return bits_of(run_dot(x, y, skip).template values<double>()[0]);
    };
    EXPECT_EQ(dot({two, nan}, {two, two}, false), canonical);
    EXPECT_EQ(dot({two, two}, {two, nan}, false), canonical);
    EXPECT_EQ(dot({two, nan}, {two, two}, true), bits_of(4.0));
    EXPECT_EQ(dot({two, two}, {two, nan}, true), bits_of(4.0));
    EXPECT_EQ(dot({nan}, {nan}, true), bits_of(0.0));
    EXPECT_EQ(dot({inf, two}, {zero, two}, true), canonical) << "inf * 0 is no NaN of the input";
    EXPECT_EQ(dot({inf, nan}, {two, two}, true), FloatBits<double>::kInfinity);
    EXPECT_EQ(dot({zero}, {from_bits<T>(FloatBits<T>::kSign)}, false), bits_of(0.0)) << "a zero is +0";
}

// --- error bounds ---------------------------------------------------------------------------------------------------------

template <class T>
long double bound_of(std::uint64_t n, long double magnitudes) {
    constexpr long double u32 = 0x1p-24L, u64 = 0x1p-53L;
    int height = 0;
    while ((std::uint64_t{16384} << height) < n) ++height;
    const auto h = static_cast<long double>(height), count = static_cast<long double>(n);
    if (std::is_same<T, double>::value) return (21 + h) * u64 * magnitudes + 1.01L * count * 0x1p-1075L;
    if (std::is_same<T, Half>::value) return (9.01L * u32 + (10 + h) * u64) * magnitudes;
    return (10.01L * u32 + (10 + h) * u64) * magnitudes + 1.01L * count * 0x1p-150L;
}

template <class T>
void expect_within_bound(const std::vector<T>& x, const std::vector<T>& y) {
    Exact sum, magnitudes;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Exact product = Exact(as_double(x[i])) * Exact(as_double(y[i]));
        sum = sum + product;
        magnitudes = magnitudes + product.abs();
    }
    const double got = run_dot(x, y).template values<double>()[0];
    ASSERT_TRUE(std::isfinite(got));
    EXPECT_LE((Exact(got) - sum).abs().approximate(), bound_of<T>(x.size(), magnitudes.approximate()) * 1.0001L);
}

// Pairs of products that cancel but for their last digits, a factor of 2^scale apart, in random order.
template <class T>
void cancelling(std::uint64_t n, int scale, std::mt19937_64& random, std::vector<T>* x, std::vector<T>* y) {
    std::uniform_real_distribution<double> digits(1, 2);
    std::uniform_int_distribution<int> exponent(-scale, scale);
    for (std::uint64_t i = 0; i < n; ++i) {
        const bool second = i % 2 != 0;
        const double size = std::ldexp(digits(random), exponent(random));
        x->push_back(second ? (*x)[i - 1] : float_element<T>(size));
        y->push_back(second ? float_element<T>(-as_double((*y)[i - 1]) * (1 + 0x1p-9 * digits(random)))
                            : float_element<T>(std::ldexp(digits(random), exponent(random))));
    }
    std::shuffle(x->begin(), x->end(), std::mt19937_64(kSeed));
    std::shuffle(y->begin(), y->end(), std::mt19937_64(kSeed));
}

TYPED_TEST(DotFloat, IllConditionedSumsKeepTheirBound) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed + 2);
    const int largest = std::is_same<T, Half>::value ? 12 : std::is_same<T, float>::value ? 120 : 480;
    for (std::uint64_t n : {2, 100, 1024, 5000, 40000})
        for (int scale : {0, 3, largest}) {
            SCOPED_TRACE("seed " + std::to_string(kSeed + 2) + " n " + std::to_string(n) + " scale " +
                         std::to_string(scale));
            std::vector<T> x, y;
            cancelling(n, scale, random, &x, &y);
            expect_within_bound(x, y);
            if (testing::Test::HasFailure()) return;
        }
}

// Products that are subnormal, or vanish, in the arithmetic of the leaf.
TYPED_TEST(DotFloat, ProductsThatUnderflowKeepTheirBound) {
    using T = TypeParam;
    using F = FloatBits<T>;
    std::mt19937_64 random(kSeed + 3);
    for (std::uint64_t n : {1, 33, 1024, 20000}) {
        SCOPED_TRACE("seed " + std::to_string(kSeed + 3) + " n " + std::to_string(n));
        std::vector<T> x, y;
        const std::uint64_t span = std::uint64_t{sizeof(T) == 2 ? 7u : 13u} << F::kDigits;
        const auto element =
            [&] {  // exponents from half of the way to the smallest downwards, so products are about the smallest
                return from_bits<T>((random() & F::kSign) | (F::kInfinity / 4 - random() % span));
            };
        for (std::uint64_t i = 0; i < n; ++i) {
            x.push_back(element());
            y.push_back(element());
        }
        expect_within_bound(x, y);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(DotFloat32, FiniteDataNeverOverflows) {
    const std::vector<float> x(5000, std::numeric_limits<float>::max());
    const double max = static_cast<double>(std::numeric_limits<float>::max());
    EXPECT_EQ(run_dot(x, x).values<double>()[0], 5000 * (max * max));
    std::vector<float> y = x;
    for (std::size_t i = 0; i < y.size(); i += 2) y[i] = -y[i];
    EXPECT_EQ(bits_of(run_dot(x, y).values<double>()[0]), bits_of(0.0));
}

TEST(DotFloat16, ShortProductsAreExact) {
    std::mt19937_64 random(kSeed + 4);
    for (int trial = 0; trial < 1000; ++trial) {
        const Half x{static_cast<std::uint16_t>(random() & 0xfbff)}, y{static_cast<std::uint16_t>(random() & 0xfbff)};
        EXPECT_EQ(run_dot<Half>({x}, {y}).values<double>()[0], as_double(x) * as_double(y));
    }
}

// --- integers -------------------------------------------------------------------------------------------------------------

template <class T>
class DotInteger : public testing::Test {};
using IntegerTypes = testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                                    std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(DotInteger, IntegerTypes);

template <class T>
Exact exact_integer(T value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return value < T(0) ? -Exact::integer(0 - bits) : Exact::integer(bits);
}

enum class Values { Any, Small, AllMax, AllMin, Extremes };

template <class T>
std::vector<T> integers(Values values, std::uint64_t n, std::mt19937_64& random) {
    std::vector<T> x;
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t bits = random();
        switch (values) {
            case Values::Any: x.push_back(static_cast<T>(bits)); break;
            case Values::Small: x.push_back(static_cast<T>(static_cast<int>(bits % 9) - (T(-1) < T(0) ? 4 : 0))); break;
            case Values::AllMax: x.push_back(std::numeric_limits<T>::max()); break;
            case Values::AllMin: x.push_back(std::numeric_limits<T>::min()); break;
            case Values::Extremes:
                x.push_back(bits % 2 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min());
                break;
        }
    }
    return x;
}

// The result is the exact sum, or the sum does not fit and the error says so.
template <class T>
void expect_exact(const Exact& sum, const JobResult& got) {
    using Reply = std::conditional_t<(T(-1) < T(0)), std::int64_t, std::uint64_t>;
    const bool fits = !(sum < exact_integer(std::numeric_limits<Reply>::min())) &&
                      !(exact_integer(std::numeric_limits<Reply>::max()) < sum);
    ASSERT_EQ(got.report.ok(), fits);
    if (fits) {
        EXPECT_TRUE((exact_integer(got.values<Reply>()[0]) - sum).is_zero());
    } else {
        EXPECT_EQ(got.report.error().status, Status::Overflow);
        EXPECT_EQ(got.report.error().field, "dot");
    }
}

TYPED_TEST(DotInteger, EveryPatternAndSizeIsExactOrRefused) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed + 5);
    ThreadPool two(2);
    ThreadPool seven(7);
    for (Values values : {Values::Any, Values::Small, Values::AllMax, Values::AllMin, Values::Extremes})
        for (std::uint64_t n : kSizes) {
            SCOPED_TRACE("seed " + std::to_string(kSeed + 5) + " values " + std::to_string(static_cast<int>(values)) +
                         " n " + std::to_string(n));
            const std::vector<T> x = integers<T>(values, n, random);
            const std::vector<T> y = integers<T>(n % 2 ? values : Values::Small, n, random);
            Exact sum;
            for (std::size_t i = 0; i < n; ++i) sum = sum + exact_integer(x[i]) * exact_integer(y[i]);
            for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &two, &seven}) {
                expect_exact<T>(sum, run_dot(x, y, true, pool));
                if (testing::Test::HasFailure()) return;
            }
        }
}

TYPED_TEST(DotInteger, RowsStridesAndOddAddressesAreExact) {
    using T = TypeParam;
    using Reply = std::conditional_t<(T(-1) < T(0)), std::int64_t, std::uint64_t>;
    std::mt19937_64 random(kSeed + 6);
    ThreadPool pool(3);
    const std::uint64_t shapes[][4] = {
        {1, 1, 1, 1}, {9, 3, 4, 3}, {300, 17, 19, 18}, {20, 1024, 1027, 1024}, {3, 16400, 16401, 16403}};
    for (const auto& shape : shapes)
        for (std::size_t offset : {0, 1, 5}) {
            const std::uint64_t rows = shape[0], cols = shape[1];
            const std::vector<T> x = integers<T>(sizeof(T) < 4 ? Values::Any : Values::Small, rows * cols, random);
            const std::vector<T> y = integers<T>(Values::Small, rows * cols, random);
            const StridedArray<T> a(x, rows, cols, shape[2], offset, T(77)),
                b(y, rows, cols, shape[3], 3 * offset, T(77));
            std::vector<Reply> want(rows);
            Reply total = 0;
            for (std::uint64_t i = 0; i < rows * cols; ++i) {
                const Reply product = static_cast<Reply>(x[i]) * static_cast<Reply>(y[i]);
                want[i / cols] += product;
                total += product;
            }
            for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
                Job job = job_of<T>(rows, cols, Axis::Rows, DotParams{});
                EXPECT_EQ(run_elementwise(job, {a.view(), b.view()}, threads).template values<Reply>(), want);
                job.axis = Axis::Whole;
                EXPECT_EQ(run_elementwise(job, {a.view(), b.view()}, threads).template values<Reply>()[0], total);
            }
            if (testing::Test::HasFailure()) return;
        }
}

TEST(DotOverflow, NamesTheValueAndTheFirstRow) {
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    const JobResult low = run_dot<std::int64_t>({kMin, kMin, 5}, {kMin, kMin, -1});
    ASSERT_FALSE(low.report.ok());
    EXPECT_EQ(low.report.error().status, Status::Overflow);
    EXPECT_EQ(low.report.error().field, "dot");
    EXPECT_EQ(low.report.error().allowed, "-2^63..2^63-1");
    EXPECT_EQ(low.report.error().message, "dot is 170141183460469231731687303715884105723 and does not fit i64");
    const JobResult negative = run_dot<std::int64_t>({kMin, kMin, kMin}, {2, 2, 2});
    EXPECT_EQ(negative.report.error().message, "dot is -55340232221128654848 and does not fit i64");
    const JobResult high = run_dot<std::uint64_t>({kMax, kMax, kMax}, {kMax, kMax, kMax});
    EXPECT_EQ(high.report.error().allowed, "0..2^64-1");
    EXPECT_EQ(high.report.error().message, "dot is 1020847100762815390279443357853047324675 and does not fit u64");
    // what overflows on the way but not in the end is exact
    EXPECT_EQ(run_dot<std::int64_t>({kMin, kMin, kMin, kMin}, {kMin, kMin, kMin, kMin}).report.ok(), false);
    EXPECT_EQ(run_dot<std::int64_t>({kMin, kMin, 7}, {kMin + 1, -(kMin + 1), 3}).values<std::int64_t>()[0], 21);
    EXPECT_EQ(run_dot<std::int64_t>({kMin}, {1}).values<std::int64_t>()[0], kMin);
    EXPECT_EQ(run_dot<std::uint64_t>({kMax / 5, kMax / 5}, {4, 1}).values<std::uint64_t>()[0], kMax);

    std::vector<std::uint64_t> x(4000 * 2, 1);
    for (std::size_t r : {1234u, 3999u}) x[2 * r] = kMax;
    ThreadPool pool(4);
    for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
        const Job job = job_of<std::uint64_t>(4000, 2, Axis::Rows, DotParams{});
        const std::vector<std::uint64_t> ones(x.size(), 1);
        const JobResult by_row = run_elementwise(job, {dense_view(x, 2), dense_view(ones, 2)}, threads);
        ASSERT_FALSE(by_row.report.ok());
        EXPECT_EQ(by_row.report.error().message, "dot is 18446744073709551616 and does not fit u64 in row 1234");
    }
}

// --- plan, empty, stop, size ----------------------------------------------------------------------------------------------

TEST(DotPlan, TellsTypeAndShapeOfTheReply) {
    const auto type_of = [](ElementType type) {
        Job job = dot_job<float>(3);
        job.type = type;
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        EXPECT_TRUE(plan.ok());
        return plan->outputs[0].type;
    };
    for (ElementType type : {ElementType::U8, ElementType::U16, ElementType::U32, ElementType::U64})
        EXPECT_EQ(type_of(type), ElementType::U64);
    for (ElementType type : {ElementType::I8, ElementType::I16, ElementType::I32, ElementType::I64})
        EXPECT_EQ(type_of(type), ElementType::I64);
    for (ElementType type : {ElementType::F16, ElementType::F32, ElementType::F64})
        EXPECT_EQ(type_of(type), ElementType::F64);

    const Result<kernels::JobPlan> rows = kernels::plan_job(job_of<float>(7, 100, Axis::Rows, DotParams{}));
    ASSERT_TRUE(rows.ok());
    ASSERT_EQ(rows->outputs.size(), 1u);
    EXPECT_EQ(rows->outputs[0].role, ArrayRole::Dot);
    EXPECT_EQ(rows->outputs[0].rows, 7u);
    EXPECT_EQ(rows->outputs[0].cols, 1u);
    EXPECT_EQ(rows->bytes_read, 5600u);
    EXPECT_EQ(rows->bytes_written, 56u);
    EXPECT_FALSE(rows->in_place);
    const Result<kernels::JobPlan> huge = kernels::plan_job(dot_job<float>(std::uint64_t{1} << 55));
    ASSERT_TRUE(huge.ok());
    EXPECT_LT(huge->scratch_bytes, std::uint64_t{1} << 20);
    EXPECT_GT(huge->predicted_ns, rows->predicted_ns);
    const Result<kernels::JobPlan> tall =
        kernels::plan_job(job_of<std::uint8_t>(std::uint64_t{1} << 60, 0, Axis::Rows, DotParams{}));
    ASSERT_FALSE(tall.ok());
    EXPECT_EQ(tall.error().status, Status::TooLarge);
    EXPECT_EQ(tall.error().field, "rows");
}

TEST(DotEmpty, IsZero) {
    const InputView none{nullptr, 0};
    EXPECT_EQ(bits_of(run_elementwise(dot_job<float>(0), {none, none}).values<double>()[0]), bits_of(0.0));
    EXPECT_EQ(run_elementwise(dot_job<std::int8_t>(0), {none, none}).values<std::int64_t>()[0], 0);
    const JobResult rows = run_elementwise(job_of<float>(3, 0, Axis::Rows, DotParams{}), {none, none});
    EXPECT_EQ(rows.values<double>(), std::vector<double>(3, 0.0));
    const JobResult no_rows =
        run_elementwise(job_of<float>(0, 5, Axis::Rows, DotParams{}), {InputView{nullptr, 5}, InputView{nullptr, 5}});
    ASSERT_TRUE(no_rows.report.ok());
    EXPECT_EQ(no_rows.arrays[0][0], 0xa5a5a5a5a5a5a5a5u) << "nothing is written";
}

TEST(DotStop, CancelAndDeadlineEndTheRun) {
    const std::vector<float> x(1'200'000, 1.0f);
    std::atomic<bool> cancelled{true};
    const StopToken cancel(&cancelled, StopToken::Clock::time_point::max());
    const StopToken late(nullptr, StopToken::Clock::now() - std::chrono::seconds(1));
    ThreadPool pool(3);
    for (const auto& shape : {std::pair<std::uint64_t, std::uint64_t>{1, 1200000}, {1200, 1000}, {4, 300000}}) {
        const Job job =
            job_of<float>(shape.first, shape.second, shape.first == 1 ? Axis::Whole : Axis::Rows, DotParams{});
        const std::vector<InputView> inputs = {dense_view(x, shape.second), dense_view(x, shape.second)};
        for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
            EXPECT_EQ(run_elementwise(job, inputs, threads, cancel).report.error().status, Status::Cancelled);
            EXPECT_EQ(run_elementwise(job, inputs, threads, late).report.error().status, Status::DeadlineExceeded);
        }
    }
}

// 2^32 elements and a few more, and a deadline in the middle of them.
TEST(DotHuge, BeyondTwoToThe32) {
    const std::uint64_t n = (std::uint64_t{1} << 32) + 1000;
    const RepeatedMemory x(n), y(n);
    if (!x.ok() || !y.ok()) GTEST_SKIP() << "no memory for windows";
    x.fill(1);
    y.fill(3);
    x.data()[n - 1] = std::byte{200};
    x.data()[n] = std::byte{99};  // behind the end
    const std::vector<InputView> inputs = {InputView{x.data(), n}, InputView{y.data(), n}};
    ThreadPool pool(2);
    const JobResult got = run_elementwise(dot_job<std::uint8_t>(n), inputs, &pool);
    ASSERT_TRUE(got.report.ok());
    EXPECT_EQ(got.values<std::uint64_t>()[0], 3 * (n - 1) + 600);
    for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
        const StopToken late(nullptr, StopToken::Clock::now() + std::chrono::milliseconds(2));
        const JobResult stopped = run_elementwise(dot_job<std::uint8_t>(n), inputs, threads, late);
        ASSERT_FALSE(stopped.report.ok());
        EXPECT_EQ(stopped.report.error().status, Status::DeadlineExceeded);
    }
}

TEST(DotReport, SaysHowItRan) {
    const std::vector<float> x(500'000, 1.0f);
    ThreadPool pool(3);
    const std::string isa = std::string("cpu ") + kernels::cpu_isa();
    EXPECT_EQ(run_dot(x, x).report->policy, isa + " threads=1 tile=1024");
    EXPECT_EQ(run_dot(x, x, false, &pool).report->policy, isa + " threads=3 tile=1024");
    EXPECT_EQ(run_dot(x, x).report->filled_columns, std::vector<std::uint64_t>{1});
}

}  // namespace
}  // namespace tegu::test
