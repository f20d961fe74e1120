// SPDX-License-Identifier: Apache-2.0
// dot of floats against the scalar reference, bit for bit, and the error bounds of docs/numerics.md against
// exact products; rows, strides, odd addresses, threads.
#include "tests/kernels/dot/reference.h"
#include "tests/kernels/dot/run.h"
#include "tests/kernels/execution/exact.h"

namespace tegu::test {
namespace {

using kernels::ThreadPool;

constexpr unsigned kSeed = 20240602;

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
        for (std::uint64_t n : kDotSizes)
            for (bool skip : {false, true}) {
                SCOPED_TRACE("seed " + std::to_string(kSeed) + " pattern " + std::to_string(p) + " n " +
                             std::to_string(n) + (skip ? " skip_nans" : ""));
                const std::vector<T> x = data_of<T>(static_cast<Pattern>(p), n, random);
                const std::vector<T> y =
                    data_of<T>(p % 2 ? Pattern::Finite : static_cast<Pattern>(p), n, random);
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
    const std::uint64_t shapes[][4] = {{1, 1, 1, 1},          {3, 1, 2, 1},
                                       {300, 17, 19, 17},     {40, 1024, 1030, 1024},
                                       {5, 3000, 3001, 3007}, {3, 16400, 16401, 16400}};
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
                    const std::vector<T> p(x.begin() + begin, x.begin() + end),
                        q(y.begin() + begin, y.begin() + end);
                    ASSERT_EQ(bits_of(got[r]), bits_of(DotReference<T>(p, q, true).dot())) << "row " << r;
                }
                job.axis = Axis::Whole;
                const JobResult whole = run_elementwise(job, {a.view(), b.view()}, threads);
                ASSERT_TRUE(whole.report.ok());
                ASSERT_EQ(bits_of(whole.template values<double>()[0]),
                          bits_of(DotReference<T>(x, y, true).dot()));
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
    EXPECT_LE((Exact(got) - sum).abs().approximate(),
              bound_of<T>(x.size(), magnitudes.approximate()) * 1.0001L);
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
        // exponents from half of the way to the smallest downwards, so products are about the smallest
        const auto element = [&] {
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
        const Half x{static_cast<std::uint16_t>(random() & 0xfbff)},
            y{static_cast<std::uint16_t>(random() & 0xfbff)};
        EXPECT_EQ(run_dot<Half>({x}, {y}).values<double>()[0], as_double(x) * as_double(y));
    }
}

}  // namespace
}  // namespace tegu::test
