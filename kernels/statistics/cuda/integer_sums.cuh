// SPDX-License-Identifier: Apache-2.0
// Exact sums of integers, in any order. A lane keeps sums as wide as its elements and their number need;
// lanes are merged in 128 and 192 bits. Small elements are added several at a time within a word.
#pragma once

#include "kernels/execution/cuda/words.cuh"
#include "kernels/statistics/cuda/load.cuh"
#include "kernels/statistics/cuda/team.cuh"

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

// a = a + b; returns the carry into the next limb.
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

    static std::size_t shared_bytes(const ReduceShape& shape) {
        const bool used = shape.team_warps > 1 || shape.groups > 1 || (Parts & kPartExtremes);
        return used ? shape.threads / kWarpLanes * (kWords > kLocateWords ? kWords : kLocateWords) * 8 : 0;
    }
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
// Maps elements to unsigned numbers of the same order.
template <class T>
TEGU_DEVICE std::uint64_t order_key(T value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return Signedness<T>::kSigned ? bits ^ (std::uint64_t{1} << 63) : bits;
}

// A run as words: the compiler would split arrays of bytes.
struct RunWords {
    std::uint32_t word[4];
};
// Loads a whole run. REQUIRES: aligned to 16 bytes.
TEGU_DEVICE RunWords load_words(const void* from) {
    RunWords run;
    load_packs<std::uint32_t, 4>(static_cast<const std::uint32_t*>(from), run.word);
    return run;
}
template <class T>
TEGU_DEVICE RunWords words_of(const T (&x)[IntegerRun<T>::kElements]) {
    RunWords run;
    memcpy(&run, x, sizeof run);
    return run;
}

// --- sums
// The sums of a lane over at most 16 tiles. The 2048 bytes of a lane determine the width of the sums. Each
// kind of sums has
//   take(run)    adds a run; missing elements are zero
//   zeros()      the number of zeros
//   add_to(to)   adds sums, magnitudes, squares

// Elements of 64 and 32 bits. Sums of words of 32 bits in 64 need no carry.
template <class T, unsigned Parts>
class WordSums {
  public:
    TEGU_DEVICE void take(const RunWords& run) {
        T x[IntegerRun<T>::kElements];
        memcpy(x, &run, sizeof x);
        TEGU_UNROLL
        for (unsigned i = 0; i < IntegerRun<T>::kElements; ++i) {
            const auto wide = static_cast<std::uint64_t>(x[i]);  // sign-extended
            const std::uint64_t size = Signedness<T>::kSigned && (wide >> 63) != 0 ? 0 - wide : wide;
            if (sizeof(T) == 4) {
                sum_[0] += wide;
            } else {
                sum_[0] += static_cast<std::uint32_t>(wide);
                sum_[1] += Signedness<T>::kSigned
                               ? static_cast<std::uint64_t>(static_cast<std::int64_t>(wide) >> 32)
                               : wide >> 32;
            }
            if (Parts & kPartMagnitudes) add_words(size, l1_);
            if (Parts & kPartSquares) add_square(size);
            if (Parts & kPartExtremes) zeros_ += x[i] == T(0) ? 1u : 0u;
        }
    }
    TEGU_DEVICE std::uint32_t zeros() const { return zeros_; }
    TEGU_DEVICE void add_to(ReduceTotal* to) const {
        const std::uint64_t low = sizeof(T) == 4 ? sum_[0] : sum_[0] + (sum_[1] << 32);
        const std::uint64_t above = Signedness<T>::kSigned ? 0 - (low >> 63) : 0;  // of 32-bit elements
        const std::uint64_t high = Signedness<T>::kSigned
                                       ? static_cast<std::uint64_t>(static_cast<std::int64_t>(sum_[1]) >> 32)
                                       : sum_[1] >> 32;
        const std::uint64_t sum[2] = {low, sizeof(T) == 4 ? above : high + (low < sum_[0] ? 1u : 0u)};
        add_limbs(to->sum, sum);
        if (Parts & kPartMagnitudes) {
            const std::uint64_t l1[4] = {l1_[0], l1_[1], 0, 0};
            add_pieces(to->l1, l1);
        }
        if (Parts & kPartSquares) add_pieces(to->squares, squares_);
    }

  private:
    // Adds the words of `value` to pieces[0] and pieces[1].
    TEGU_DEVICE static void add_words(std::uint64_t value, std::uint64_t* pieces) {
        pieces[0] += static_cast<std::uint32_t>(value);
        pieces[1] += value >> 32;
    }
    TEGU_DEVICE void add_square(std::uint64_t size) {
        if (sizeof(T) == 4) {
            add_words(std::uint64_t{static_cast<std::uint32_t>(size)} * static_cast<std::uint32_t>(size),
                      squares_);
        } else {
            add_words(size * size, squares_);
            add_words(multiply_high(size, size), squares_ + 2);
        }
    }
    // limbs += the pieces; each piece is 32 bits above the previous one.
    template <unsigned N>
    TEGU_DEVICE static void add_pieces(std::uint64_t (&limbs)[N], const std::uint64_t (&pieces)[4]) {
        std::uint64_t value[N];
        std::uint64_t carry = 0;
        TEGU_UNROLL
        for (unsigned i = 0; i < N; ++i) {
            const std::uint64_t low = carry + (2 * i < 4 ? pieces[2 * i % 4] : 0);
            const std::uint64_t high = (low >> 32) + (2 * i < 4 ? pieces[(2 * i + 1) % 4] : 0);
            value[i] = high << 32 | static_cast<std::uint32_t>(low);
            carry = high >> 32;
        }
        add_limbs(limbs, value);
    }

    std::uint64_t sum_[2] = {0, 0};
    std::uint64_t l1_[2] = {0, 0};
    std::uint64_t squares_[4] = {0, 0, 0, 0};
    std::uint32_t zeros_ = 0;
};

// Adds `biased`, a sum of `count` numbers with an offset of `by` each, as two limbs.
TEGU_DEVICE void add_biased(std::uint32_t biased, std::uint32_t count, std::uint32_t by,
                            std::uint64_t (&to)[2]) {
    const std::uint64_t sum = std::uint64_t{biased} - std::uint64_t{by} * count;
    const std::uint64_t limbs[2] = {sum, by != 0 ? 0 - (sum >> 63) : 0};
    add_limbs(to, limbs);
}

// Elements of 16 bits, two at a time.
template <class T, unsigned Parts>
class HalfSums {
  public:
    TEGU_DEVICE void take(const RunWords& run) {
        count_ += 8;
        TEGU_UNROLL
        for (unsigned i = 0; i < 4; ++i) {
            const std::uint32_t word = run.word[i];
            sum_ = add_halves(word ^ kMiddle, sum_);
            take_element(static_cast<T>(word));
            take_element(static_cast<T>(word >> 16));
            if (Parts & kPartExtremes)
                filled_ += ((((word & 0x7fff7fffu) + 0x7fff7fffu) | word) & 0x80008000u) >> 15;
        }
    }
    TEGU_DEVICE std::uint32_t zeros() const { return count_ - (filled_ & 0xffff) - (filled_ >> 16); }
    TEGU_DEVICE void add_to(ReduceTotal* to) const {
        add_biased(sum_, count_, kMiddle & 0xffff, to->sum);
        if (Parts & kPartMagnitudes) to->l1[0] += l1_;
        if (Parts & kPartSquares) to->squares[0] += squares_;
    }

  private:
    static constexpr std::uint32_t kMiddle = Signedness<T>::kSigned ? 0x80008000u : 0;

    TEGU_DEVICE void take_element(T value) {
        if (Parts & kPartSquares)
            squares_ += Signedness<T>::kSigned ? static_cast<std::uint64_t>(std::int64_t{value} * value)
                                               : std::uint64_t{static_cast<std::uint32_t>(value)} *
                                                     static_cast<std::uint32_t>(value);
        if (Parts & kPartMagnitudes) l1_ += static_cast<std::uint32_t>(value < 0 ? -int{value} : int{value});
    }

    std::uint32_t count_ = 0;
    std::uint32_t sum_ = 0;
    std::uint32_t l1_ = 0;
    std::uint64_t squares_ = 0;
    std::uint32_t filled_ = 0;  // two counts of nonzero elements
};

// Bytes, four at a time. Signed bytes get an offset of 128, so that abs(x) is the distance from 128.
template <class T, unsigned Parts>
class ByteSums {
  public:
    TEGU_DEVICE void take(const RunWords& run) {
        count_ += 16;
        TEGU_UNROLL
        for (unsigned i = 0; i < 4; ++i) {
            const std::uint32_t word = run.word[i];
            const std::uint32_t bytes = word ^ kMiddle;
            sum_ = add_byte_products(bytes, kOnes, sum_);
            const std::uint32_t sizes = Signedness<T>::kSigned ? bytes_apart(bytes, kMiddle) : bytes;
            if (Parts & kPartMagnitudes) l1_ = add_byte_products(sizes, kOnes, l1_);
            if (Parts & kPartSquares) squares_ = add_byte_products(sizes, sizes, squares_);
            if (Parts & kPartExtremes)
                filled_ = add_byte_products((((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u,
                                            kOnes, filled_);
        }
    }
    TEGU_DEVICE std::uint32_t zeros() const { return count_ - filled_ / 128; }
    TEGU_DEVICE void add_to(ReduceTotal* to) const {
        add_biased(sum_, count_, kMiddle & 0xff, to->sum);
        if (Parts & kPartMagnitudes) to->l1[0] += l1_;
        if (Parts & kPartSquares) to->squares[0] += squares_;
    }

  private:
    static constexpr std::uint32_t kMiddle = Signedness<T>::kSigned ? 0x80808080u : 0;
    static constexpr std::uint32_t kOnes = 0x01010101u;

    std::uint32_t count_ = 0;
    std::uint32_t sum_ = 0;
    std::uint32_t l1_ = 0;
    std::uint32_t squares_ = 0;
    std::uint32_t filled_ = 0;  // 128 for each nonzero element
};

template <class T, unsigned Parts, std::size_t Bytes = sizeof(T)>
struct SumsOf {
    using type = WordSums<T, Parts>;
};
template <class T, unsigned Parts>
struct SumsOf<T, Parts, 2> {
    using type = HalfSums<T, Parts>;
};
template <class T, unsigned Parts>
struct SumsOf<T, Parts, 1> {
    using type = ByteSums<T, Parts>;
};

}  // namespace cuda
}  // namespace tegu
