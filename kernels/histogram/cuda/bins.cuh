// SPDX-License-Identifier: Apache-2.0
// Elements to bins in device code: the Mapper of kernels/counting/cuda/count.cuh for each element type.
// Signed integers are counted from their smallest value, so seven types cover eleven.
#pragma once

#include <cmath>

#include "kernels/execution/cuda/element.cuh"
#include "kernels/execution/cuda/grid.cuh"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/histogram/cuda/histogram.h"

namespace tegu {
namespace cuda {

// Edge i as in docs/numerics.md, except the last.
TEGU_DEVICE double edge_at(const BinRule& rule, std::uint32_t i) {
    return rule.lo + static_cast<double>(i) * rule.step;
}

// The integer nearest to a distance, limited to [0, top], top < 2^22; 0 for NaN.
TEGU_DEVICE std::uint32_t nearest_of(float distance, float top) {
    constexpr float kWhole = 8388608.0f;  // 2^23: adjacent floats are integers
    return bit_cast<std::uint32_t>(fminf(fmaxf(distance, 0.0f), top) + kWhole) & 0x7fffffu;
}

// BinValue<T>: the comparison type for elements of T. Registers hold the parts of the rule that every element
// needs.
//
//   Value, of(x)          the element.
//   in(value)             false for NaN and for values above every bin.
//   distance(value)       distance above the lower edge in bins, off by less than half a bin.
//   lower(rule, i)        the smallest Value in bin i or above, i <= rule.top.
//   in_bins(value)        false for NaN and for values outside of all bins.
//   above(value)          the value less rule.low or rule.first, in f32.
template <class T>
// unsigned integers, and signed ones read as unsigned: offsets from rule.first, so that values below it wrap
// to large ones
class BinValue {
  public:
    using Value = typename UnsignedOf<(sizeof(T) < 4 ? 4 : sizeof(T))>::type;
    TEGU_DEVICE bool in_bins(Value value) const { return in(value); }
    TEGU_DEVICE static float above(Value value) { return static_cast<float>(value); }
    TEGU_DEVICE explicit BinValue(const BinRule& rule)
        : first_(static_cast<Value>(rule.first)),
          span_(static_cast<Value>(rule.span)),
          sign_(static_cast<T>(rule.sign)),
          inv_(rule.inv),
          offset_(rule.offset),
          empty_(rule.empty) {}
    TEGU_DEVICE Value of(T x) const {
        return static_cast<Value>(static_cast<Value>(static_cast<T>(x ^ sign_)) - first_);
    }
    TEGU_DEVICE bool in(Value value) const { return !empty_ && value <= span_; }
    TEGU_DEVICE float distance(Value value) const { return static_cast<float>(value) * inv_ + offset_; }
    TEGU_DEVICE static Value lower(const BinRule& rule, std::uint32_t i) {
        if (i == 0) return 0;
        const double edge = ceil(edge_at(rule, i));
        if (!(edge > rule.start)) return 0;
        const std::uint64_t whole = rule.sign != 0
                                        ? static_cast<std::uint64_t>(static_cast<std::int64_t>(edge))
                                        : static_cast<std::uint64_t>(edge);
        return static_cast<Value>(whole + rule.sign - rule.first);
    }

  private:
    Value first_, span_;
    T sign_;
    float inv_, offset_;
    bool empty_;
};

// The smallest f32 that is not below the edge.
TEGU_DEVICE float float_at_or_above(double edge) {
    const float nearest = static_cast<float>(edge);
    if (!(static_cast<double>(nearest) < edge)) return nearest;
    const std::uint32_t bits = bit_cast<std::uint32_t>(nearest);
    return bit_cast<float>(nearest == 0.0f ? 1u : (bits >> 31) != 0 ? bits - 1 : bits + 1);
}

template <>
class BinValue<float> {
  public:
    using Value = float;
    TEGU_DEVICE explicit BinValue(const BinRule& rule)
        : low_(rule.low), inv_(rule.inv), offset_(rule.offset), lower_(rule.lower), upper_(rule.upper) {}
    TEGU_DEVICE float of(float x) const { return x; }
    TEGU_DEVICE float of(Half x) const { return widen(x); }
    TEGU_DEVICE bool in(float value) const { return value <= upper_; }
    TEGU_DEVICE bool in_bins(float value) const { return value >= lower_ && value <= upper_; }
    TEGU_DEVICE float distance(float value) const { return (value - low_) * inv_ + offset_; }
    TEGU_DEVICE float above(float value) const { return value - low_; }
    TEGU_DEVICE static float lower(const BinRule& rule, std::uint32_t i) {
        return float_at_or_above(edge_at(rule, i));
    }

  private:
    float low_, inv_, offset_, lower_, upper_;
};
template <>
class BinValue<Half> : public BinValue<float> {
  public:
    TEGU_DEVICE explicit BinValue(const BinRule& rule) : BinValue<float>(rule) {}
};
template <>
class BinValue<double> {
  public:
    using Value = double;
    TEGU_DEVICE bool in_bins(double value) const { return value >= lo_ && value <= hi_; }
    TEGU_DEVICE float above(double value) const { return static_cast<float>(value - lo_); }
    TEGU_DEVICE explicit BinValue(const BinRule& rule) : lo_(rule.lo), hi_(rule.hi), inv_(rule.inv64) {}
    TEGU_DEVICE double of(double x) const { return x; }
    TEGU_DEVICE bool in(double value) const { return value <= hi_; }
    TEGU_DEVICE float distance(double value) const { return static_cast<float>((value - lo_) * inv_); }
    TEGU_DEVICE static double lower(const BinRule& rule, std::uint32_t i) { return edge_at(rule, i); }

  private:
    double lo_, hi_, inv_;
};

// A fast rule of columns.cuh. The bits of a float in [2^i, 2^(i+1)) hold a bin and the distance from its
// lower edge. Exact: every guess is right.
template <class T, bool Exact>
class GuessedBins {
  public:
    static constexpr unsigned kExtra = 2;
    TEGU_DEVICE GuessedBins(const BinRule& rule, std::uint32_t row_bytes, std::uint32_t column)
        : compare_(rule),
          inv_(rule.inv),
          guess_(rule.guess),
          row_bytes_(row_bytes),
          first_(column - rule.guess.base * row_bytes),
          outside_((rule.bins + 1) * row_bytes + column) {}
    TEGU_DEVICE std::uint32_t offset(T x, bool* sure) const {
        const typename BinValue<T>::Value value = compare_.of(x);
        const bool in = compare_.in_bins(value);
        const std::uint32_t bits =
            bit_cast<std::uint32_t>(multiply_add_truncated(compare_.above(value), inv_, guess_.magic));
        if (!Exact) *sure = *sure && (!in || ((bits + guess_.near) & guess_.mask) >= guess_.limit);
        const std::uint32_t place = (bits >> guess_.shift) * row_bytes_ + first_;
        return in ? place : outside_;
    }

  private:
    BinValue<T> compare_;
    float inv_;
    BinGuess guess_;
    std::uint32_t row_bytes_, first_, outside_;
};

// The same for more bins, of f16 and f32.
template <class T>
class RefinedBins {
  public:
    static constexpr unsigned kExtra = 2;
    TEGU_DEVICE RefinedBins(const BinRule& rule, std::uint32_t row_bytes, std::uint32_t column)
        : low_(rule.low),
          inv_(rule.inv),
          lower_(rule.lower),
          upper_(rule.upper),
          refined_(rule.refined),
          row_bytes_(row_bytes),
          first_(column - kWholeBits * row_bytes),
          outside_((rule.bins + 1) * row_bytes + column) {}
    TEGU_DEVICE std::uint32_t offset(T x, bool* sure) const {
        const float value = widen(x);
        const bool in = value >= lower_ && value <= upper_;
        // above + error is exactly value - low (Knuth)
        const float above = value - low_, back = above - value;
        const float error = (value - (above - back)) - (low_ + back);
        const float whole = multiply_add_truncated(above, inv_, kWhole), bin = whole - kWhole;
        const float near = multiply_add_truncated(-bin, refined_.step_high, above);
        const float distance =
            multiply_add_truncated(-bin, refined_.step_low, near) + (error + refined_.rest);
        *sure = *sure && (!in || fabsf(distance - refined_.middle) < refined_.sure);
        const std::uint32_t place = bit_cast<std::uint32_t>(whole) * row_bytes_ + first_;
        return in ? place : outside_;
    }

  private:
    static constexpr float kWhole = 8388608.0f;  // 2^23: adjacent floats are integers
    static constexpr std::uint32_t kWholeBits = 0x4b000000u;

    float low_, inv_, lower_, upper_;
    BinRefined refined_;
    std::uint32_t row_bytes_, first_, outside_;
};

template <class T>
class BinMapper {
  public:
    using Element = T;
    using Rule = BinRule;
    using Compare = BinValue<T>;
    using Value = typename Compare::Value;

    TEGU_DEVICE BinMapper(const BinRule& rule, unsigned char* table)
        : rule_(rule),
          compare_(rule),
          table_(reinterpret_cast<Value*>(table)),
          bins_(rule.bins),
          top_(static_cast<float>(rule.top)) {}
    TEGU_DEVICE std::uint32_t slots() const { return bins_; }
    TEGU_DEVICE std::uint64_t table_bytes() const {
        return (std::uint64_t{bins_} * sizeof(Value) + 15) / 16 * 16;
    }
    TEGU_DEVICE void fill_table(unsigned thread, unsigned threads) const {
        if (rule_.empty) return;
        for (std::uint32_t i = thread; i <= rule_.top; i += threads) table_[i] = Compare::lower(rule_, i);
    }
    TEGU_DEVICE void write_edges(double* edges, std::uint64_t segment, unsigned thread,
                                 unsigned threads) const {
        if (edges == nullptr) return;
        double* const own = edges + segment * (std::uint64_t{bins_} + 1);
        for (std::uint32_t i = thread; i <= bins_; i += threads)
            own[i] = i == bins_ ? rule_.hi : edge_at(rule_, i);
    }
    TEGU_DEVICE bool quick() const { return table_ != nullptr && !rule_.search; }
    TEGU_DEVICE std::uint32_t quick_key(T x) const {
        const Value value = compare_.of(x);
        const std::uint32_t nearest = nearest_of(compare_.distance(value), top_);
        const std::uint32_t bin = nearest - static_cast<std::uint32_t>(value < table_[nearest]);
        return compare_.in(value) ? bin : kNoBin;
    }
    TEGU_DEVICE std::uint32_t key(T x) const {
        const Value value = compare_.of(x);
        if (!compare_.in(value)) return kNoBin;
        const std::uint32_t nearest =
            rule_.search ? last_not_above(value) : nearest_of(compare_.distance(value), top_);
        return nearest - static_cast<std::uint32_t>(value < lower(nearest));
    }

  private:
    static constexpr std::uint32_t kNoBin = ~std::uint32_t{0};  // also the bin before the first
    TEGU_DEVICE Value lower(std::uint32_t i) const {
        return table_ != nullptr ? table_[i] : Compare::lower(rule_, i);
    }
    // The last bin in 1..top that begins at or below the value; 0 if none.
    TEGU_DEVICE std::uint32_t last_not_above(Value value) const {
        std::uint32_t begin = 0, end = rule_.top;
        while (begin < end) {
            const std::uint32_t middle = begin + (end - begin + 1) / 2;
            if (lower(middle) <= value)
                begin = middle;
            else
                end = middle - 1;
        }
        return begin;
    }

    const BinRule& rule_;  // in shared memory
    Compare compare_;
    Value* table_;
    std::uint32_t bins_;
    float top_;
};

}  // namespace cuda
}  // namespace tegu
