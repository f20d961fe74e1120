// SPDX-License-Identifier: Apache-2.0
// Statistics of integers: exact, so the order is free. A lane keeps sums as wide as its elements need; 128 and 192 bits are pairs and triples of words.
#pragma once

#include "kernels/cuda/reduce_load.cuh"
#include "kernels/cuda/reduce_team.cuh"

namespace tegu {
namespace cuda {

enum IntegerPart : unsigned { kPartSquares = 1, kPartExtremes = 2, kPartMagnitudes = 4 };
constexpr unsigned kAllIntegerParts = kPartSquares | kPartExtremes | kPartMagnitudes;

struct IntegerPartial : ReduceTotal {
    TEGU_DEVICE IntegerPartial() {
        sum[0] = sum[1] = zeros = l1[0] = l1[1] = squares[0] = squares[1] = squares[2] = max = 0;
        min = min_at = max_at = ~std::uint64_t{0};
    }
};

// a = a + b with the carry into the next limb returned.
TEGU_DEVICE std::uint64_t add_carrying(std::uint64_t* a, std::uint64_t b) {
    *a += b;
    return *a < b ? 1u : 0u;
}
template <unsigned N>
TEGU_DEVICE void add_limbs(std::uint64_t (&a)[N], const std::uint64_t (&b)[N]) {
    std::uint64_t carry = 0;
    TEGU_UNROLL
    for (unsigned i = 0; i < N; ++i) {
        const std::uint64_t over = add_carrying(&a[i], carry);
        carry = over + add_carrying(&a[i], b[i]);
    }
}

template <unsigned Parts>
struct IntegerKind {
    using Partial = IntegerPartial;
    static constexpr unsigned kWords = (Parts & kPartExtremes) ? 12 : Parts != 0 ? 8 : 2;

    TEGU_DEVICE static void merge(IntegerPartial* a, const IntegerPartial& b) {
        add_limbs(a->sum, b.sum);
        if (Parts & kPartMagnitudes) add_limbs(a->l1, b.l1);
        if (Parts & kPartSquares) add_limbs(a->squares, b.squares);
        if (Parts & kPartExtremes) {
            a->zeros += b.zeros;
            if (b.min < a->min || (b.min == a->min && b.min_at < a->min_at)) {
                a->min = b.min;
                a->min_at = b.min_at;
            }
            if (b.max > a->max || (b.max == a->max && b.max_at < a->max_at)) {
                a->max = b.max;
                a->max_at = b.max_at;
            }
        }
    }
};

template <class T>
struct IntegerRun {
    static constexpr unsigned kElements = 16 / sizeof(T);
    static constexpr unsigned kTile = kTileRuns * kWarpLanes * kElements;
};

template <class T>
struct Signedness {
    static constexpr bool kSigned = static_cast<T>(-1) < static_cast<T>(1);
    static constexpr T kSmallest = kSigned ? static_cast<T>(std::uint64_t{1} << (8 * sizeof(T) - 1)) : T(0);
    static constexpr T kLargest = static_cast<T>(~kSmallest);
};
template <class T>
TEGU_DEVICE std::uint64_t order_key(T value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return Signedness<T>::kSigned ? bits ^ (std::uint64_t{1} << 63) : bits;
}

// A run as it lies in registers: arrays of bytes would be taken apart.
struct RunWords {
    std::uint32_t word[4];
};

// Sums and extremes of the runs of one tile, element by element.
template <class T, unsigned Parts>
class TileTotals {
  public:
    TEGU_DEVICE void take(const RunWords& run) {
        T x[IntegerRun<T>::kElements];
        memcpy(x, &run, sizeof x);
        TEGU_UNROLL
        for (unsigned i = 0; i < IntegerRun<T>::kElements; ++i) take_one(x[i]);
    }
    TEGU_DEVICE void take_one(T value) {
        const auto wide = static_cast<std::uint64_t>(value);  // sign-extended
        const bool negative = Signedness<T>::kSigned && (wide >> 63) != 0;
        const std::uint64_t size = negative ? 0 - wide : wide;
        if (sizeof(T) <= 2) {  // a tile of them fits 32 bits
            short_sum_ += static_cast<std::uint32_t>(wide);
            if (Parts & kPartMagnitudes) short_l1_ += static_cast<std::uint32_t>(size);
        } else {
            const std::uint64_t carry = add_carrying(&sum_[0], wide);
            if (sizeof(T) == 8) sum_[1] += carry + (negative ? ~std::uint64_t{0} : 0);
            if (Parts & kPartMagnitudes) {
                const std::uint64_t over = add_carrying(&l1_[0], size);
                if (sizeof(T) == 8) l1_[1] += over;
            }
        }
        if (Parts & kPartSquares) add_square(size);
        if (!(Parts & kPartExtremes)) return;
        zeros_ += value == T(0) ? 1u : 0u;
        low_ = value < low_ ? value : low_;
        high_ = value > high_ ? value : high_;
    }
    TEGU_DEVICE T low() const { return low_; }
    TEGU_DEVICE T high() const { return high_; }

    // to += these.
    TEGU_DEVICE void add_to(ReduceTotal* to) const {
        const auto narrow = static_cast<std::int64_t>(static_cast<std::int32_t>(short_sum_));
        const std::uint64_t low = sizeof(T) > 2            ? sum_[0]
                                  : Signedness<T>::kSigned ? static_cast<std::uint64_t>(narrow)
                                                           : short_sum_;
        const std::uint64_t sum[2] = {low, sizeof(T) == 8 ? sum_[1] : Signedness<T>::kSigned ? 0 - (low >> 63) : 0};
        add_limbs(to->sum, sum);
        if (Parts & kPartMagnitudes) {
            const std::uint64_t l1[2] = {sizeof(T) <= 2 ? short_l1_ : l1_[0], l1_[1]};
            add_limbs(to->l1, l1);
        }
        if (Parts & kPartSquares) add_limbs(to->squares, squares_);
        if (Parts & kPartExtremes) to->zeros += zeros_;
    }

  private:
    TEGU_DEVICE void add_square(std::uint64_t size) {
        if (sizeof(T) <= 2) {
            const auto narrow = static_cast<std::uint32_t>(size);
            squares_[0] += narrow * narrow;
        } else if (sizeof(T) == 4) {
            squares_[1] += add_carrying(
                &squares_[0], std::uint64_t{static_cast<std::uint32_t>(size)} * static_cast<std::uint32_t>(size));
        } else {
            const std::uint64_t carry = add_carrying(&squares_[0], size * size);
            squares_[2] += add_carrying(&squares_[1], multiply_high(size, size) + carry);
        }
    }

    std::uint32_t short_sum_ = 0;
    std::uint32_t short_l1_ = 0;
    std::uint64_t sum_[2] = {0, 0};
    std::uint64_t l1_[2] = {0, 0};
    std::uint64_t squares_[3] = {0, 0, 0};
    std::uint32_t zeros_ = 0;
    T low_ = Signedness<T>::kLargest;
    T high_ = Signedness<T>::kSmallest;
};

// The same for bytes, four at a time. Signed ones are moved up by 128, which keeps their order; then abs(x) is the distance from 128.
template <class T, unsigned Parts>
class ByteTotals {
  public:
    TEGU_DEVICE void take(const RunWords& run) {
        TEGU_UNROLL
        for (unsigned i = 0; i < 4; ++i) {
            const std::uint32_t bytes = run.word[i] ^ kMiddle;
            count_ += 4;
            sum_ = add_bytes_apart(bytes, 0, sum_);
            if (Parts & kPartMagnitudes) l1_ = add_bytes_apart(bytes, kMiddle, l1_);
            if (Parts & kPartSquares) {
                const std::uint32_t sizes = bytes_apart(bytes, kMiddle);
                squares_ = add_byte_products(sizes, sizes, squares_);
            }
            if (!(Parts & kPartExtremes)) continue;
            zeros_ = add_bytes_apart(equal_bytes(bytes, kMiddle) & 0x01010101u, 0, zeros_);
            low_ = smaller_bytes(low_, bytes);
            high_ = larger_bytes(high_, bytes);
        }
    }
    TEGU_DEVICE T low() const {
        const std::uint32_t two = smaller_bytes(low_, low_ >> 16);
        return static_cast<T>((smaller_bytes(two, two >> 8) ^ kMiddle) & 0xff);
    }
    TEGU_DEVICE T high() const {
        const std::uint32_t two = larger_bytes(high_, high_ >> 16);
        return static_cast<T>((larger_bytes(two, two >> 8) ^ kMiddle) & 0xff);
    }
    TEGU_DEVICE void add_to(ReduceTotal* to) const {
        const std::uint64_t sum = std::uint64_t{sum_} - (kMiddle & 0xff) * std::uint64_t{count_};
        const std::uint64_t sums[2] = {sum, Signedness<T>::kSigned ? 0 - (sum >> 63) : 0};
        add_limbs(to->sum, sums);
        if (Parts & kPartMagnitudes) to->l1[0] += l1_;
        if (Parts & kPartSquares) to->squares[0] += squares_;
        if (Parts & kPartExtremes) to->zeros += zeros_;
    }

  private:
    static constexpr std::uint32_t kMiddle = Signedness<T>::kSigned ? 0x80808080u : 0;

    std::uint32_t count_ = 0;
    std::uint32_t sum_ = 0;
    std::uint32_t l1_ = 0;
    std::uint32_t squares_ = 0;
    std::uint32_t zeros_ = 0;
    std::uint32_t low_ = ~std::uint32_t{0};
    std::uint32_t high_ = 0;
};
template <class T, unsigned Parts>
struct TotalsOf {
    using type = TileTotals<T, Parts>;
};
template <unsigned Parts>
struct TotalsOf<std::uint8_t, Parts> {
    using type = ByteTotals<std::uint8_t, Parts>;
};
template <unsigned Parts>
struct TotalsOf<std::int8_t, Parts> {
    using type = ByteTotals<std::int8_t, Parts>;
};

// What a lane adds up over its tiles.
template <class T, unsigned Parts>
class IntegerLane {
  public:
    static constexpr unsigned kRun = IntegerRun<T>::kElements;

    // Eight whole runs, one every `row` elements from `begin`, the index of the first.
    TEGU_DEVICE void take_tile(const RunWords (&x)[kTileRuns], const Elements<T, kRun>& elements, std::uint64_t begin,
                               unsigned row) {
        typename TotalsOf<T, Parts>::type tile;
        TEGU_UNROLL
        for (unsigned r = 0; r < kTileRuns; ++r) tile.take(x[r]);
        tile.add_to(&total_);
        if (!(Parts & kPartExtremes)) return;
        take_low(tile.low(), [&] { return find(elements, begin, row, tile.low()); });
        take_high(tile.high(), [&] { return find(elements, begin, row, tile.high()); });
    }
    // The first `count` elements of a run whose first has index `begin`.
    TEGU_DEVICE void take_some(const T (&x)[kRun], unsigned count, std::uint64_t begin) {
        TileTotals<T, Parts> run;
        TEGU_UNROLL
        for (unsigned i = 0; i < kRun; ++i) {
            if (i >= count) continue;
            run.take_one(x[i]);
            if (!(Parts & kPartExtremes)) continue;
            take_low(x[i], [=] { return begin + i; });
            take_high(x[i], [=] { return begin + i; });
        }
        run.add_to(&total_);
    }
    TEGU_DEVICE const IntegerPartial& total() {
        if ((Parts & kPartExtremes) && total_.min_at != kNowhere) {
            total_.min = order_key(min_);
            total_.max = order_key(max_);
        }
        return total_;
    }

  private:
    static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

    // at(): the index of the first element that equals the value. Called where it is the smallest so far.
    template <class At>
    TEGU_DEVICE void take_low(T value, At at) {
        if (!(value < min_) && total_.min_at != kNowhere) return;
        min_ = value;
        total_.min_at = at();
    }
    template <class At>
    TEGU_DEVICE void take_high(T value, At at) {
        if (!(value > max_) && total_.max_at != kNowhere) return;
        max_ = value;
        total_.max_at = at();
    }
    // The runs are read again, so that few registers are needed; if their bytes have changed, the answer is some index of theirs.
    TEGU_DEVICE static std::uint64_t find(const Elements<T, kRun>& elements, std::uint64_t begin, unsigned row,
                                          T value) {
        TEGU_NO_UNROLL
        for (unsigned r = 0; r < kTileRuns; ++r) {
            T x[kRun];
            load_packs<T, kRun>(elements.data + begin + r * row, x);
            unsigned at = kRun;
            TEGU_UNROLL
            for (unsigned i = kRun; i-- > 0;)
                if (x[i] == value) at = i;
            if (at < kRun) return begin + r * row + at;
        }
        return begin;
    }

    IntegerPartial total_;
    T min_ = 0;
    T max_ = 0;
};

}  // namespace cuda
}  // namespace tegu
