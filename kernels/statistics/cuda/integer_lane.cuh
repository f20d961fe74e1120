// SPDX-License-Identifier: Apache-2.0
// Statistics of integers in a lane: its sums, and its extremes by value and tile.
#pragma once

#include "kernels/execution/cuda/words.cuh"
#include "kernels/statistics/cuda/integer_sums.cuh"

namespace tegu {
namespace cuda {

// --- extremes
// Each kind has take(run), low() and high(). Without elements, they return the other end of the type.

template <class T>
class WordExtremes {
  public:
    TEGU_DEVICE void take(const RunWords& run) {
        T x[IntegerRun<T>::kElements];
        memcpy(x, &run, sizeof x);
        TEGU_UNROLL
        for (unsigned i = 0; i < IntegerRun<T>::kElements; ++i) {
            low_ = x[i] < low_ ? x[i] : low_;
            high_ = x[i] > high_ ? x[i] : high_;
        }
    }
    TEGU_DEVICE T low() const { return low_; }
    TEGU_DEVICE T high() const { return high_; }

  private:
    T low_ = Signedness<T>::kLargest;
    T high_ = Signedness<T>::kSmallest;
};

// Elements of 8 and 16 bits. The upper part of a word (or half) determines its order, for any lower part. So
// each element is shifted there, with its neighbours below. Where operations on halves are fast, two elements
// are compared at once.
template <class T>
class PackedExtremes {
  public:
    TEGU_DEVICE PackedExtremes() {
        TEGU_UNROLL
        for (unsigned p = 0; p < kPerWord; ++p) {
            low_[p] = ~std::uint32_t{0};
            high_[p] = 0;
        }
    }
    TEGU_DEVICE void take(const RunWords& run) {
        TEGU_UNROLL
        for (unsigned i = 0; i < 4; ++i) {
            const std::uint32_t word = run.word[i] ^ kTurn;
            TEGU_UNROLL
            for (unsigned p = 0; p < kPerWord; ++p) {
                const std::uint32_t key = word << (kBits * p);
                low_[p] = kFastHalves ? smaller_halves(low_[p], key) : key < low_[p] ? key : low_[p];
                high_[p] = kFastHalves ? larger_halves(high_[p], key) : key > high_[p] ? key : high_[p];
            }
        }
    }
    TEGU_DEVICE T low() const {
        std::uint32_t low = kMax;
        TEGU_UNROLL
        for (unsigned p = 0; p < kPerWord; ++p) {
            const std::uint32_t upper = low_[p] >> (32 - kBits);
            const std::uint32_t lower = kFastHalves ? low_[p] >> (16 - kBits) & kMax : upper;
            low = upper < low ? upper : low;
            low = lower < low ? lower : low;
        }
        return static_cast<T>(low ^ (kTurn & kMax));
    }
    TEGU_DEVICE T high() const {
        std::uint32_t high = 0;
        TEGU_UNROLL
        for (unsigned p = 0; p < kPerWord; ++p) {
            const std::uint32_t upper = high_[p] >> (32 - kBits);
            const std::uint32_t lower = kFastHalves ? high_[p] >> (16 - kBits) & kMax : upper;
            high = upper > high ? upper : high;
            high = lower > high ? lower : high;
        }
        return static_cast<T>(high ^ (kTurn & kMax));
    }

  private:
    static constexpr unsigned kBits = 8 * sizeof(T);
    static constexpr std::uint32_t kMax = (1u << kBits) - 1u;
    static constexpr unsigned kPerWord = (kFastHalves ? 16 : 32) / kBits;
    static constexpr std::uint32_t kTurn = !Signedness<T>::kSigned ? 0
                                           : sizeof(T) == 1        ? 0x80808080u
                                                                   : 0x80008000u;

    std::uint32_t low_[kPerWord];
    std::uint32_t high_[kPerWord];
};

template <class T, std::size_t Bytes = sizeof(T)>
struct ExtremesOf {
    using type = WordExtremes<T>;
};
template <class T>
struct ExtremesOf<T, 1> {
    using type = PackedExtremes<T>;
};
template <class T>
struct ExtremesOf<T, 2> {
    using type = PackedExtremes<T>;
};

// --- a lane

template <class T, unsigned Parts>
class IntegerLane {
  public:
    static constexpr unsigned kRun = IntegerRun<T>::kElements;

    // Takes the whole runs of a tile and the tile's number; tiles come in order.
    TEGU_DEVICE void take_tile(const RunWords (&x)[kTileRuns], std::uint32_t number) {
        typename ExtremesOf<T>::type extremes;
        TEGU_UNROLL
        for (unsigned r = 0; r < kTileRuns; ++r) {
            sums_.take(x[r]);
            if (Parts & kPartExtremes) extremes.take(x[r]);
        }
        if (Parts & kPartExtremes) note(extremes.low(), extremes.high(), number);
    }
    // Takes the first `count` elements of a run; the others are zero.
    TEGU_DEVICE void take_run(T (&x)[kRun], unsigned count, std::uint32_t number) {
        if (count == 0) return;
        sums_.take(words_of(x));
        missing_ += kRun - count;
        if (!(Parts & kPartExtremes)) return;
        TEGU_UNROLL
        for (unsigned i = 1; i < kRun; ++i)
            if (i >= count) x[i] = x[0];
        typename ExtremesOf<T>::type extremes;
        extremes.take(words_of(x));
        note(extremes.low(), extremes.high(), number);
    }
    // The position of an extreme is first + its number.
    TEGU_DEVICE IntegerPartial total(std::uint64_t first) const {
        IntegerPartial total;
        sums_.add_to(&total);
        if (!(Parts & kPartExtremes)) return total;
        total.zeros = sums_.zeros() - missing_;
        if (min_in_ == kNever) return total;
        total.min = order_key(min_);
        total.max = order_key(max_);
        total.min_at = first + min_in_;
        total.max_at = first + max_in_;
        return total;
    }

  private:
    static constexpr std::uint32_t kNever = ~std::uint32_t{0};

    TEGU_DEVICE void note(T low, T high, std::uint32_t number) {
        if (low < min_ || min_in_ == kNever) {
            min_ = low;
            min_in_ = number;
        }
        if (high > max_ || max_in_ == kNever) {
            max_ = high;
            max_in_ = number;
        }
    }

    typename SumsOf<T, Parts>::type sums_;
    T min_ = 0;
    T max_ = 0;
    std::uint32_t min_in_ = kNever;
    std::uint32_t max_in_ = kNever;
    std::uint32_t missing_ = 0;
};

}  // namespace cuda
}  // namespace tegu
