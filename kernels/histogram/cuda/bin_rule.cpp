// SPDX-License-Identifier: Apache-2.0
// The estimate of a bin must be off by less than half a bin, including the rounding of the edges. Where f32
// cannot guarantee that, the kernels search for each element's bin.
#include "kernels/histogram/cuda/bin_rule.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tegu::cuda {
namespace {

constexpr double kLargestFloat = std::numeric_limits<float>::max();

// Whether a bin is far wider than the spacing of f64: edges are then off by less than 1/16 of a bin.
bool is_wide(const BinRule& rule) {
    const double largest = std::fmax(std::fabs(rule.lo), std::fabs(rule.hi));
    const double spacing = std::nextafter(largest, std::numeric_limits<double>::infinity()) - largest;
    return rule.step >= 32 * spacing && rule.step > 1e-290;
}

// Allows five roundings to f32 of numbers up to bins + |offset|: conversion or difference, inv, product,
// offset, sum.
bool is_precise(const BinRule& rule) {
    return std::fabs(rule.inv) >= std::numeric_limits<float>::min() &&
           std::fabs(rule.inv) <= std::numeric_limits<float>::max() &&
           5 * 0x1p-24 * (rule.bins + std::fabs(static_cast<double>(rule.offset))) < 0.36;
}

// Returns whether (v - low) * inv is exact for an f32 v: the product of a number and a power of two.
bool is_exact(const BinRule& rule) {
    int exponent;
    return rule.lo == 0 && std::frexp(rule.inv64, &exponent) == 0.5 &&
           static_cast<double>(rule.inv) == rule.inv64;
}

// `exact`: the estimate is the bin.
BinGuess guess_of(const BinRule& rule, bool exact) {
    constexpr unsigned kFractionBits = 23, kRare = 10;  // near an edge: at most one element of 2^10
    unsigned log = 0;
    while (log < kFractionBits && (1u << log) < rule.bins) ++log;
    const double whole = std::ldexp(1.0, static_cast<int>(log)), offset = static_cast<double>(rule.offset);
    const double largest = std::fmax(std::fabs(rule.lo), std::fabs(rule.hi));
    const double spacing = std::nextafter(largest, std::numeric_limits<double>::infinity()) - largest;
    // Roundings of difference, inv, offset, magic, and the truncated sum, then those of the edges. Below bin
    // 0 the lower bits count double.
    const double off =
        4 * 0x1p-24 * (whole + rule.bins + std::fabs(offset)) + 4 * spacing / rule.step + 0x1p-50 * rule.bins;
    BinGuess guess{};
    if (log >= kFractionBits || (!exact && (log >= kFractionBits - kRare || !(off < 0.25)))) return guess;
    const unsigned shift = kFractionBits - log;
    guess.magic = static_cast<float>(offset + whole);
    guess.mask = (1u << shift) - 1;
    if (!exact) {
        guess.near = 2 * static_cast<std::uint32_t>(std::ceil(std::ldexp(off, static_cast<int>(shift)))) + 1;
        guess.limit = 2 * guess.near + 1;
    }
    if (guess.limit > guess.mask >> kRare) return BinGuess{};
    const float first = static_cast<float>(whole);
    std::uint32_t bits;
    std::memcpy(&bits, &first, sizeof bits);
    guess.base = bits >> shift;
    guess.shift = shift;
    return guess;
}

// Where the sum of all errors is less than 2^-18 of a bin, far below the margin.
BinRefined refined_of(const BinRule& rule) {
    const double largest = std::fmax(std::fabs(rule.lo), std::fabs(rule.hi));
    BinRefined refined{};
    refined.usable = rule.bins <= (1u << 20) && rule.step >= 0x1p-28 * largest && rule.step >= 0x1p-70 &&
                     largest <= 0x1p100;
    if (!refined.usable) return refined;
    refined.rest = static_cast<float>(static_cast<double>(rule.low) - rule.lo);
    refined.step_high = static_cast<float>(rule.step);
    refined.step_low = static_cast<float>(rule.step - static_cast<double>(refined.step_high));
    refined.middle = static_cast<float>(rule.step / 2);
    refined.sure = static_cast<float>(rule.step * (0.5 - 0x1p-14));
    return refined;
}

// Sets low, inv and offset for (v - low) * inv + offset. Differences of elements in the range do not
// overflow.
void set_float_estimate(BinRule* rule) {
    rule->low = static_cast<float>(rule->lo);
    rule->offset = static_cast<float>((static_cast<double>(rule->low) - rule->lo) * rule->inv64);
    const bool fits = std::fabs(rule->lo) < kLargestFloat / 2 && rule->hi - rule->lo < kLargestFloat / 2;
    rule->search = rule->search || !fits || !is_precise(*rule);
    if (!rule->search) rule->guess = guess_of(*rule, is_exact(*rule));
    if (!rule->search) rule->refined = refined_of(*rule);
    rule->lower = static_cast<float>(rule->lo);
    if (static_cast<double>(rule->lower) < rule->lo)
        rule->lower = std::nextafter(rule->lower, std::numeric_limits<float>::infinity());
    rule->upper = static_cast<float>(rule->hi);
    if (static_cast<double>(rule->upper) > rule->hi)
        rule->upper = std::nextafter(rule->upper, -std::numeric_limits<float>::infinity());
}

// Values of an integer type as offsets from its smallest value.
class Counted {
  public:
    explicit Counted(ElementType type)
        : bits_(static_cast<int>(8 * element_bytes(type))), signed_(is_signed_integer(type)) {}
    double smallest() const { return signed_ ? -std::ldexp(1.0, bits_ - 1) : 0.0; }
    double limit() const { return std::ldexp(1.0, signed_ ? bits_ - 1 : bits_); }  // largest value + 1
    std::uint64_t sign() const { return signed_ ? std::uint64_t{1} << (bits_ - 1) : 0; }
    std::uint64_t last() const { return ~std::uint64_t{0} >> (64 - bits_); }
    // REQUIRES: a whole number of the type.
    std::uint64_t of(double whole) const {
        return signed_ ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) + sign()
                       : static_cast<std::uint64_t>(whole);
    }

  private:
    int bits_;
    bool signed_;
};

// Returns whether an element of the type can be in bin i > 0.
bool is_reached(const BinRule& rule, const Counted& counted, std::uint32_t i) {
    const double edge = std::ceil(rule.lo + static_cast<double>(i) * rule.step);
    if (!(edge < counted.limit())) return false;
    return edge <= rule.start || counted.of(edge) - rule.first <= rule.span;
}

void set_integers(const Counted& counted, BinRule* rule) {
    rule->sign = counted.sign();
    const double first = std::fmax(std::ceil(rule->lo), counted.smallest());
    const double last = std::floor(rule->hi);
    rule->empty = first >= counted.limit() || last < first;
    rule->top = 0;
    if (rule->empty) return;
    rule->start = first;
    rule->first = counted.of(first);
    rule->span = (last >= counted.limit() ? counted.last() : counted.of(last)) - rule->first;
    rule->offset = static_cast<float>((first - rule->lo) * rule->inv64);
    rule->search = rule->search || !is_precise(*rule);
    constexpr std::uint64_t kExactInFloat = 1 << 24;
    if (!rule->search) rule->guess = guess_of(*rule, is_exact(*rule) && rule->span <= kExactInFloat);
    std::uint32_t reached = 0, beyond = rule->bins;
    while (beyond - reached > 1) {
        const std::uint32_t middle = reached + (beyond - reached) / 2;
        (is_reached(*rule, counted, middle) ? reached : beyond) = middle;
    }
    rule->top = reached;
}

}  // namespace

BinRule bin_rule(ElementType type, const kernels::BinRange& range, std::uint32_t bins) {
    BinRule rule{};
    rule.lo = range.lo;
    rule.hi = range.hi;
    rule.step = (range.hi - range.lo) / static_cast<double>(bins);
    rule.inv64 = static_cast<double>(bins) / (range.hi - range.lo);
    rule.inv = static_cast<float>(rule.inv64);
    rule.bins = bins;
    rule.top = bins - 1;
    rule.search = !is_wide(rule);
    if (type == ElementType::F16 || type == ElementType::F32) set_float_estimate(&rule);
    if (type == ElementType::F64 && !rule.search && is_precise(rule)) rule.guess = guess_of(rule, false);
    if (!is_float(type)) set_integers(Counted(type), &rule);
    return rule;
}

}  // namespace tegu::cuda
