// SPDX-License-Identifier: Apache-2.0
// Which ranges a histogram takes: those whose edges increase strictly. The check is compared with all edges
// of random ranges of every magnitude.
#include <cmath>
#include <limits>
#include <random>

#include "kernels/histogram/bin_range.h"
#include "tests/kernels/counting/counting_run.h"

namespace tegu::test {
namespace {

using kernels::usable_bin_range;

constexpr double kLeast = std::numeric_limits<double>::denorm_min();
constexpr double kMax = std::numeric_limits<double>::max();

double step_of(double lo, double hi, std::uint32_t bins) {
    return (hi - lo) / static_cast<double>(bins);
}

// Every edge, one by one, as docs/numerics.md defines them.
bool increases(double lo, double hi, std::uint32_t bins) {
    const volatile double step = step_of(lo, hi, bins);
    double before = lo;
    for (std::uint32_t i = 1; i <= bins; ++i) {
        const volatile double above_lo = i * step;
        const double edge = i == bins ? hi : lo + above_lo;
        if (!(before < edge)) return false;
        before = edge;
    }
    return true;
}

// Of more than 4096 bins a step of two numbers at the larger end is needed besides.
bool allowed(double lo, double hi, std::uint32_t bins) {
    const double largest = std::fmax(std::fabs(lo), std::fabs(hi));
    const double spacing = largest - std::nextafter(largest, 0.0);
    return increases(lo, hi, bins) && (bins <= 4096 || step_of(lo, hi, bins) >= 2 * spacing);
}

void expect_rule(double lo, double hi, std::uint32_t bins) {
    const Result<kernels::BinRange> range = usable_bin_range(lo, hi, bins, "the range");
    EXPECT_EQ(range.ok(), allowed(lo, hi, bins)) << lo << " to " << hi << ", " << bins << " bins";
    if (!range.ok()) {
        EXPECT_EQ(range.error().status, Status::BadRange);
        EXPECT_EQ(range.error().field, "range");
        EXPECT_EQ(range.error().allowed,
                  bins <= 4096 ? "wide enough for strictly increasing edges in f64"
                               : "wide enough for bins of two f64 numbers each at its larger end");
        EXPECT_NE(range.error().message.find(" " + std::to_string(bins) + " bins"), std::string::npos);
    }
}

TEST(HistogramRange, SubnormalStepsMustNotPassTheUpperEdge) {
    EXPECT_FALSE(usable_bin_range(0, 6 * kLeast, 4, "the range").ok());   // edges 0, 2, 4, 6, 6
    EXPECT_FALSE(usable_bin_range(0, 13 * kLeast, 8, "the range").ok());  // edges .., 12, 14, 13
    EXPECT_TRUE(usable_bin_range(0, 8 * kLeast, 4, "the range").ok());
    EXPECT_TRUE(usable_bin_range(0, 7 * kLeast, 4, "the range").ok());  // edges 0, 2, 4, 6, 7
    for (std::uint32_t bins = 1; bins <= 40; ++bins)
        for (int width = 1; width <= 200; ++width)
            for (const int lo : {-100, -7, 0, 5}) expect_rule(lo * kLeast, (lo + width) * kLeast, bins);
    for (const std::uint32_t bins : {5000u, 1u << 19, 1u << 20})
        for (const double factor : {0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 1000.5, 600000.5})
            expect_rule(0, std::round(bins * factor) * kLeast, bins);
}

TEST(HistogramRange, NarrowStepsOfEveryMagnitude) {
    std::mt19937_64 random(11);
    const std::uint32_t bin_counts[] = {1, 2, 3, 7, 10, 100, 1000, 4095, 4096, 4097, 5000};
    for (int turn = 0; turn < 20000; ++turn) {
        const std::uint32_t bins = bin_counts[random() % std::size(bin_counts)];
        const int exponent = static_cast<int>(random() % 2090) - 1070;
        // Around powers of two.
        double lo = std::ldexp(1 + static_cast<double>(random() % 3) * 0.5, exponent);
        if (lo > kMax / 4) lo = kMax / 4;
        const double spacing = std::nextafter(lo, kMax) - lo;
        lo -= static_cast<double>(random() % 3 == 0 ? random() % (2 * bins) : random() % 3) * spacing;
        double hi =
            lo + static_cast<double>(random() % (5 * bins) + 1) * spacing * (random() % 2 == 0 ? 1 : 0.5);
        if (random() % 2 == 0) {
            std::swap(lo, hi);
            lo = -lo;
            hi = -hi;
        }
        if (lo < hi) expect_rule(lo, hi, bins);
    }
}

TEST(HistogramRange, WideOnesReachTheEndsOfF64) {
    for (const std::uint32_t bins : {1u, 3u, 4097u, 1u << 20}) {
        expect_rule(0, kMax, bins);
        expect_rule(-kMax, 0, bins);
        expect_rule(-kMax / 2, kMax / 2, bins);
        expect_rule(0, 1, bins);
        expect_rule(-kLeast, 1, bins);
        EXPECT_TRUE(usable_bin_range(0, kMax, bins, "the range").ok());
    }
}

HistogramParams four_bins(bool given) {
    HistogramParams params;
    params.bins = 4;
    params.has_range = given;
    params.hi = given ? 6 * kLeast : 0;
    return params;
}

void expect_refused(const Error& error, const std::string& message) {
    EXPECT_EQ(error.status, Status::BadRange);
    EXPECT_EQ(error.field, "range");
    EXPECT_EQ(error.message, message);
}

// Alone and as a part: a range that was given is refused by the plan, one of the elements by the run.
TEST(HistogramRange, IsRefusedInPlanAndRun) {
    const std::vector<double> x = {0, 6 * kLeast, 3 * kLeast, 0, 6 * kLeast, kLeast};
    const std::string found = ", 0 to 2.96439387504748e-323, is too narrow for 4 bins";
    for (const ElementType type : {ElementType::U8, ElementType::F32, ElementType::F64}) {
        const Job given = counting_job(type, Axis::Whole, 1, x.size(), four_bins(true));
        expect_refused(kernels::plan_job(given).error(), "the range" + found);
        const Job part = counting_job(type, Axis::Rows, 2, 3, FusedParams{{four_bins(true)}});
        expect_refused(kernels::plan_job(part).error(), "histogram: the range" + found);
    }
    const Job whole = counting_job(ElementType::F64, Axis::Whole, 1, x.size(), four_bins(false));
    expect_refused(run_counting(whole, x.data()).report.error(), "the range of the elements" + found);
    const Job rows = counting_job(ElementType::F64, Axis::Rows, 2, 3, FusedParams{{four_bins(false)}});
    expect_refused(run_counting(rows, x.data()).report.error(),
                   "histogram: the range of the elements" + found + " in row 0");
}

}  // namespace
}  // namespace tegu::test
