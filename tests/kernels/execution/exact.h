// SPDX-License-Identifier: Apache-2.0
// Exact: a number mantissa * 2^exponent of unlimited length, with the operations that never round. Enough to
// compute sums of floats and of their squares without error, and to measure how far a result is from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tegu::test {

class Exact {
  public:
    Exact() = default;
    // REQUIRES: finite.
    explicit Exact(double value) {
        int exponent = 0;
        const double fraction = std::frexp(std::fabs(value), &exponent);
        auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
        negative_ = std::signbit(value);
        exponent_ = exponent - 53;
        limbs_ = {static_cast<std::uint32_t>(mantissa), static_cast<std::uint32_t>(mantissa >> 32)};
        trim();
    }
    static Exact integer(std::uint64_t value) {
        Exact e;
        e.limbs_ = {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
        e.trim();
        return e;
    }

    Exact operator-() const {
        Exact e = *this;
        e.negative_ = !negative_;
        return e;
    }
    Exact operator+(const Exact& other) const {
        const int exponent = std::min(exponent_, other.exponent_);
        Exact a = aligned(exponent);
        const Exact b = other.aligned(exponent);
        if (a.negative_ == b.negative_) {
            add_limbs(&a.limbs_, b.limbs_);
        } else if (less(a.limbs_, b.limbs_)) {
            std::vector<std::uint32_t> difference = b.limbs_;
            subtract_limbs(&difference, a.limbs_);
            a.limbs_ = difference;
            a.negative_ = b.negative_;
        } else {
            subtract_limbs(&a.limbs_, b.limbs_);
        }
        a.trim();
        return a;
    }
    Exact operator-(const Exact& other) const { return *this + -other; }
    Exact operator*(const Exact& other) const {
        Exact product;
        product.negative_ = negative_ != other.negative_;
        product.exponent_ = exponent_ + other.exponent_;
        product.limbs_.assign(limbs_.size() + other.limbs_.size(), 0);
        for (std::size_t i = 0; i < limbs_.size(); ++i) {
            std::uint64_t carry = 0;
            for (std::size_t j = 0; j < other.limbs_.size() || carry != 0; ++j) {
                carry += product.limbs_[i + j];
                if (j < other.limbs_.size()) carry += static_cast<std::uint64_t>(limbs_[i]) * other.limbs_[j];
                product.limbs_[i + j] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
        }
        product.trim();
        return product;
    }

    Exact abs() const {
        Exact e = *this;
        e.negative_ = false;
        return e;
    }
    bool is_zero() const { return limbs_.empty(); }
    bool operator<(const Exact& other) const {
        const Exact difference = *this - other;
        return difference.negative_ && !difference.is_zero();
    }

    // The nearest long double but for an ulp; its exponent range holds every value that the tests meet.
    long double approximate() const {
        long double value = 0;
        for (std::size_t i = limbs_.size(); i-- > 0 && i + 4 > limbs_.size();)
            value += std::ldexp(static_cast<long double>(limbs_[i]), exponent_ + 32 * static_cast<int>(i));
        return negative_ ? -value : value;
    }

  private:
    using Limbs = std::vector<std::uint32_t>;

    void trim() {
        while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
        if (limbs_.empty()) exponent_ = 0;
    }
    // The same value with a smaller exponent.
    Exact aligned(int exponent) const {
        Exact e = *this;
        const auto shift = static_cast<unsigned>(exponent_ - exponent);
        e.exponent_ = exponent;
        if (shift == 0 || limbs_.empty()) return e;
        e.limbs_.assign(shift / 32, 0);
        std::uint64_t carry = 0;
        for (std::uint32_t limb : limbs_) {
            carry |= static_cast<std::uint64_t>(limb) << (shift % 32);
            e.limbs_.push_back(static_cast<std::uint32_t>(carry));
            carry >>= 32;
        }
        e.limbs_.push_back(static_cast<std::uint32_t>(carry));
        return e;
    }
    static void add_limbs(Limbs* a, const Limbs& b) {
        if (a->size() < b.size()) a->resize(b.size());
        a->push_back(0);
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < a->size(); ++i) {
            carry += static_cast<std::uint64_t>((*a)[i]) + (i < b.size() ? b[i] : 0);
            (*a)[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    // REQUIRES: *a >= b.
    static void subtract_limbs(Limbs* a, const Limbs& b) {
        std::int64_t borrow = 0;
        for (std::size_t i = 0; i < a->size(); ++i) {
            std::int64_t d = static_cast<std::int64_t>((*a)[i]) - (i < b.size() ? b[i] : 0) - borrow;
            borrow = d < 0;
            if (borrow) d += std::int64_t{1} << 32;
            (*a)[i] = static_cast<std::uint32_t>(d);
        }
    }
    static bool less(const Limbs& a, const Limbs& b) {
        for (std::size_t i = std::max(a.size(), b.size()); i-- > 0;) {
            const std::uint32_t x = i < a.size() ? a[i] : 0;
            const std::uint32_t y = i < b.size() ? b[i] : 0;
            if (x != y) return x < y;
        }
        return false;
    }

    bool negative_ = false;
    Limbs limbs_;  // little-endian, no leading zeros
    int exponent_ = 0;
};

}  // namespace tegu::test
