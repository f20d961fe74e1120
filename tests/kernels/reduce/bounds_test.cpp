// SPDX-License-Identifier: Apache-2.0
// The error bounds of docs/numerics.md against exact arithmetic, on data chosen to be hard: large means,
// cancellation, scales that do not mix, subnormals, values next to overflow. And that the statistics of
// integers are the nearest f64 to the exact rational.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "tests/kernels/execution/exact.h"
#include "tests/kernels/reduce/reference.h"
#include "tests/kernels/reduce/run.h"

namespace tegu::test {
namespace {

constexpr unsigned kSeed = 20240502;

struct Totals {  // exact
    Exact sum, l1, squares;
    std::uint64_t n = 0;

    // n * (sum of squared deviations)
    Exact scaled_m2() const { return Exact::integer(n) * squares - sum * sum; }
};

template <class T>
Totals totals_of(const std::vector<T>& x) {
    Totals t;
    for (T element : x) {
        const Exact v(static_cast<double>(widened(element)));
        t.sum = t.sum + v;
        t.l1 = t.l1 + v.abs();
        t.squares = t.squares + v * v;
        ++t.n;
    }
    return t;
}

template <class T>
struct Bounds {
    static constexpr bool kNarrow = !std::is_same<T, double>::value;
    static constexpr long double u64 = 0x1p-53L;
    static constexpr long double u = kNarrow ? 0x1p-24L : 0x1p-53L;
    long double h;

    explicit Bounds(std::uint64_t n) {
        const std::uint64_t chunks = (n + 16383) / 16384;
        int height = 0;
        while ((std::uint64_t{1} << height) < chunks) ++height;
        h = height;
    }
    long double sum(long double l1) const {
        return (kNarrow ? 9.01L * u + (10 + h) * u64 : (20 + h) * u64) * l1;
    }
    long double tree() const { return 4 * std::pow(10 + h, 1.5L) * u64; }
    long double underflow(std::uint64_t n) const {
        return kNarrow ? 0 : static_cast<long double>(n) * 0x1p-1060L;
    }
    long double m2(long double m2, long double squares, std::uint64_t n) const {
        const long double e = kNarrow ? 0x1p-60L : 16 * std::pow(10 + h, 3.0L) * u64 * u64;
        return 40 * u * m2 + tree() * std::sqrt(m2 * squares) + e * squares + underflow(n);
    }
    long double l2(long double l2, std::uint64_t n) const {
        return (kNarrow ? 27 * u : 30 * u64 + tree()) * l2 + std::sqrt(underflow(n));
    }
};

template <class T>
void expect_within_bounds(const std::vector<T>& x) {
    const Totals exact = totals_of(x);
    const Bounds<T> bounds(exact.n);
    const auto n = static_cast<long double>(exact.n);
    const ReduceResult got =
        run_reduce_job(reduce_job(ElementTypeOf<T>::value, x.size(), kAllStatistics), x.data());
    ASSERT_TRUE(got.report.ok());
    const auto check = [](const char* what, const Exact& error, long double bound) {
        EXPECT_LE(error.abs().approximate(), bound * 1.0001L) << what;
    };
    const double sum = got.at<double>(Statistic::Sum);
    const double mean = got.at<double>(Statistic::Mean);
    const double l1 = got.at<double>(Statistic::L1);
    const double l2 = got.at<double>(Statistic::L2);
    const double var = got.at<double>(Statistic::Var);
    for (double value : {sum, mean, l1, l2, var}) ASSERT_TRUE(std::isfinite(value));
    const long double x1 = exact.l1.approximate();
    const Exact count = Exact::integer(exact.n);
    check("sum", Exact(sum) - exact.sum, bounds.sum(x1));
    check("l1", Exact(l1) - exact.l1, bounds.sum(x1));
    check("mean", Exact(mean) * count - exact.sum,
          bounds.sum(x1) + n * (0x1p-53L * std::fabs(mean) + 0x1p-1075L));
    // var * n^2 against n * sum(x^2) - sum(x)^2
    const Exact scaled = exact.scaled_m2();
    const long double m2 = scaled.approximate() / n;
    const long double q2 = exact.squares.approximate();
    check("var", Exact(var) * count * count - scaled,
          n * (bounds.m2(m2, q2, exact.n) + n * 2 * 0x1p-53L * var));
    EXPECT_EQ(got.at<double>(Statistic::Std), std::sqrt(var));
    // (l2 + b)^2 >= sum of squares >= (l2 - b)^2, b the bound
    const auto b = static_cast<double>(bounds.l2(std::sqrt(q2), exact.n) * 1.0001L);
    const Exact high = Exact(l2) + Exact(b);
    EXPECT_FALSE(high * high < exact.squares) << "l2 too small";
    if (l2 > b) {
        const Exact low = Exact(l2) - Exact(b);
        EXPECT_FALSE(exact.squares < low * low) << "l2 too large";
    }
}

template <class T>
T narrow(double v) {
    if constexpr (std::is_same<T, Half>::value)
        return float_to_half(static_cast<float>(v));
    else
        return static_cast<T>(v);
}

struct Recipe {
    const char* name;
    std::function<double(double g, std::uint64_t i)> value;  // g: a standard normal number
};

// Scales of a type: its largest finite value, its smallest positive one, and a mean at which a spread of 1 is
// just resolved.
struct Scales {
    double largest, smallest, mean, high, low;
};

std::vector<Recipe> recipes(const Scales& s) {
    return {
        {"zero mean", [](double g, std::uint64_t) { return g; }},
        {"large mean", [s](double g, std::uint64_t) { return s.mean + g; }},
        {"large mean, little spread", [s](double g, std::uint64_t) { return 100 * s.mean + g; }},
        {"one off the mean", [s](double, std::uint64_t i) { return s.mean + (i == 77 ? 1 : 0); }},
        {"trend", [](double g, std::uint64_t i) { return static_cast<double>(i) / 100 + g; }},
        {"cancelling pairs", [s](double g, std::uint64_t i) { return (i % 2 ? 1 : -1) * s.high + g; }},
        {"cancelling halves", [s](double g, std::uint64_t i) { return (i / 512 % 2 ? 1 : -1) * s.mean + g; }},
        {"mixed scales", [s](double g, std::uint64_t i) { return i % 3 == 0 ? s.high * g : s.low * g; }},
        {"one giant", [s](double g, std::uint64_t i) { return i == 3 ? s.high : s.low * g; }},
        {"subnormal", [s](double g, std::uint64_t) { return std::round(50 * g) * s.smallest; }},
        {"tiny spread about zero", [s](double g, std::uint64_t) { return s.low * g; }},
        {"next to overflow", [s](double, std::uint64_t i) { return s.largest * (i % 4 == 0 ? 0.5 : 0.999); }},
        {"alternating at overflow",
         [s](double, std::uint64_t i) { return s.largest * (i % 2 ? -0.9 : 0.9); }},
        {"constant", [](double, std::uint64_t) { return 0.1; }},
    };
}

template <class T>
void run_recipes(const Scales& scales) {
    std::mt19937_64 random(kSeed);
    std::normal_distribution<double> normal;
    for (const Recipe& recipe : recipes(scales))
        for (std::uint64_t n : {1, 2, 3, 100, 1024, 1500, 20000}) {
            SCOPED_TRACE(std::string(recipe.name) + ", n " + std::to_string(n) + ", seed " +
                         std::to_string(kSeed));
            std::vector<T> x;
            for (std::uint64_t i = 0; i < n; ++i) x.push_back(narrow<T>(recipe.value(normal(random), i)));
            expect_within_bounds(x);
            if (testing::Test::HasFailure()) return;
        }
}

TEST(ReduceBounds, Float32) {
    run_recipes<float>({3.4e38, 0x1p-149, 1e5, 1e30, 1e-30});
}
TEST(ReduceBounds, Float16) {
    run_recipes<Half>({65504, 0x1p-24, 300, 1e4, 1e-4});
}
// Squares of sums of f64 overflow from 2^512 on; the document promises the bounds below 2^511.
TEST(ReduceBounds, Float64) {
    run_recipes<double>({0x1p496, 0x1p-1074, 1e13, 1e100, 1e-100});
}

// The sum alone keeps its bound up to the end of the type.
TEST(ReduceBounds, Float64SumOfHugeAndTiny) {
    std::vector<double> x;
    for (int i = 0; i < 3000; ++i) x.push_back(i % 2 ? 1e304 * i : -1e304 * (i + 1));
    x.push_back(0x1p-1074);
    Totals exact;
    for (double v : x) {
        exact.sum = exact.sum + Exact(v);
        exact.l1 = exact.l1 + Exact(v).abs();
    }
    const ReduceResult got =
        run_reduce_job(reduce_job(ElementType::F64, x.size(), set_of({Statistic::Sum})), x.data());
    const Exact error = Exact(got.at<double>(Statistic::Sum)) - exact.sum;
    EXPECT_LE(error.abs().approximate(), Bounds<double>(x.size()).sum(exact.l1.approximate()));
}

// Where squares of f64 overflow, the answer is infinite and not NaN.
TEST(ReduceBounds, Float64SquaresThatOverflowGiveInfinity) {
    std::vector<double> x(3000, 1e200);
    x[5] = -1e200;
    const ReduceResult got = run_reduce_job(
        reduce_job(ElementType::F64, x.size(), set_of({Statistic::Var, Statistic::Std, Statistic::L2})),
        x.data());
    for (Statistic s : {Statistic::Var, Statistic::Std, Statistic::L2})
        EXPECT_EQ(got.at<double>(s), std::numeric_limits<double>::infinity());
}

// Infinities are equal to their own mean: a lane of nothing else must not pass for one without spread.
template <class T>
void expect_nan_of_infinities() {
    const T inf = std::numeric_limits<T>::infinity();
    for (const std::size_t n : {1, 3, 1024, 5000})
        for (const std::size_t others : {std::size_t{0}, n - 1}) {
            std::vector<T> x(n, inf);
            for (std::size_t i = 0; i < others; ++i) x[n - 1 - i] = 1;
            const ReduceResult got =
                run_reduce_job(reduce_job(ElementTypeOf<T>::value, n,
                                          set_of({Statistic::Var, Statistic::Std, Statistic::L2})),
                               x.data());
            EXPECT_TRUE(std::isnan(got.template at<double>(Statistic::Var))) << n << " " << others;
            EXPECT_TRUE(std::isnan(got.template at<double>(Statistic::Std))) << n << " " << others;
            EXPECT_EQ(got.template at<double>(Statistic::L2), std::numeric_limits<double>::infinity());
        }
}
TEST(ReduceBounds, VarianceOfInfinitiesIsNan) {
    expect_nan_of_infinities<float>();
    expect_nan_of_infinities<double>();
}

// --- integers

// `got` is the f64 nearest to numerator / denominator: twice the error is at most the gap to either
// neighbour, ties to even.
void expect_nearest(double got, const Exact& numerator, const Exact& denominator, const char* what) {
    ASSERT_TRUE(std::isfinite(got)) << what;
    const Exact twice_error = (Exact(got) * denominator - numerator) * Exact(2.0);
    const double up = std::nextafter(got, std::numeric_limits<double>::infinity());
    const double down = std::nextafter(got, -std::numeric_limits<double>::infinity());
    const Exact gap_up = (Exact(up) - Exact(got)) * denominator;
    const Exact gap_down = (Exact(got) - Exact(down)) * denominator;
    // error > 0: the result is above the quotient, so the lower neighbour is the rival
    EXPECT_FALSE(gap_down < twice_error) << what;
    EXPECT_FALSE(gap_up < -twice_error) << what;
    std::uint64_t bits;
    std::memcpy(&bits, &got, sizeof bits);
    const bool tie = (gap_down - twice_error).is_zero() || (gap_up + twice_error).is_zero();
    EXPECT_TRUE(!tie || bits % 2 == 0) << what << ": a tie goes to even";
}

template <class T>
Exact exact_integer(T value) {
    const bool negative = value < T(0);
    const auto bits = static_cast<std::uint64_t>(value);
    const Exact magnitude = Exact::integer(negative ? 0 - bits : bits);
    return negative ? -magnitude : magnitude;
}

template <class T>
void expect_integers_nearest(const std::vector<T>& x, std::uint32_t ddof) {
    Exact sum, squares;
    for (T v : x) {
        sum = sum + exact_integer(v);
        squares = squares + exact_integer(v) * exact_integer(v);
    }
    const StatisticSet set = set_of({Statistic::Mean, Statistic::Var, Statistic::Std, Statistic::L2});
    const ReduceResult got =
        run_reduce_job(reduce_job(ElementTypeOf<T>::value, x.size(), set, false, ddof), x.data());
    ASSERT_TRUE(got.report.ok());
    const Exact n = Exact::integer(x.size());
    expect_nearest(got.at<double>(Statistic::Mean), sum, n, "mean");
    if (x.size() > ddof)
        expect_nearest(got.at<double>(Statistic::Var), n * squares - sum * sum,
                       n * Exact::integer(x.size() - ddof), "var");
    else
        EXPECT_TRUE(std::isnan(got.at<double>(Statistic::Var)));
    const double var = got.at<double>(Statistic::Var);
    if (!std::isnan(var)) {
        EXPECT_EQ(got.at<double>(Statistic::Std), std::sqrt(var));
    }
    // l2 is the square root of some f64, and that f64 is the nearest to the sum of squares
    const double l2 = got.at<double>(Statistic::L2);
    const auto nearest_squares = static_cast<double>(squares.approximate());
    bool found = false;
    for (double candidate :
         {std::nextafter(nearest_squares, 0.0), nearest_squares, std::nextafter(nearest_squares, 1e300)})
        if (std::sqrt(candidate) == l2) {
            const Exact off = (Exact(candidate) - squares).abs() * Exact(2.0);
            const double gap = std::nextafter(candidate, std::numeric_limits<double>::infinity()) - candidate;
            found = found || !(Exact(gap) < off);
        }
    EXPECT_TRUE(found) << "l2";
}

template <class T>
class ReduceIntegerRounding : public testing::Test {};
using IntegerTypes = testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                                    std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(ReduceIntegerRounding, IntegerTypes);

TYPED_TEST(ReduceIntegerRounding, MeanVarianceAndNormAreTheNearest) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed + 1);
    for (int trial = 0; trial < 200; ++trial) {
        const std::uint64_t n = trial < 20 ? static_cast<std::uint64_t>(trial) + 1 : 1 + random() % 3000;
        const auto shift = static_cast<unsigned>(random() % (8 * sizeof(T)));
        const auto offset = static_cast<T>(random());
        std::vector<T> x;
        for (std::uint64_t i = 0; i < n; ++i) {
            const T any = static_cast<T>(random());
            switch (trial % 4) {
                case 0: x.push_back(any); break;
                case 1: x.push_back(static_cast<T>(any >> shift)); break;
                case 2:
                    x.push_back(any % 2 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min());
                    break;
                // a large mean, a small spread
                default: x.push_back(static_cast<T>(offset ^ (any & 3))); break;
            }
        }
        SCOPED_TRACE("seed " + std::to_string(kSeed + 1) + " trial " + std::to_string(trial) + " n " +
                     std::to_string(n));
        expect_integers_nearest(x, trial % 2);
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace tegu::test
