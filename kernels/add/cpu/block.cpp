// SPDX-License-Identifier: Apache-2.0
// The block kernels of add. Integers are processed in pieces that stay in L1. Each piece is checked for
// overflow before any of it is written, so `out` may be an input and loops have no branch.
#include "kernels/add/cpu/block.h"

#include "kernels/execution/cpu/elementwise.h"
#include "kernels/numerics/unsigned_of.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

constexpr std::size_t kPieceBytes = 2048;

// The top bit is set if x + y overflows: the carry out of the top bit, or equal signs of x and y that differ
// from the sign of the sum.
template <class T, class U>
U misfit(U x, U y) {
    const U sum = static_cast<U>(x + y);
    if (T(-1) < T(0)) return static_cast<U>((x ^ sum) & (y ^ sum));
    return static_cast<U>((x & y) | ((x | y) & static_cast<U>(~sum)));
}

template <class T>
struct Piece {  // integers
    using U = UnsignedBits<T>;
    using Element = U;
    static constexpr unsigned kTopBit = 8 * sizeof(U) - 1;

    static std::size_t first_misfit(const std::byte* x, const std::byte* y, std::size_t n) {
        U any = 0;
        for (std::size_t i = 0; i < n; ++i) any |= misfit<T, U>(load<U>(x, i), load<U>(y, i));
        if ((any >> kTopBit) == 0) return n;
        std::size_t i = 0;
        while (i < n && (misfit<T, U>(load<U>(x, i), load<U>(y, i)) >> kTopBit) == 0) ++i;
        return i;
    }
    static void add(const std::byte* x, const std::byte* y, std::size_t n, U* out) {
        TEGU_SAME_INDEX_ONLY
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<U>(load<U>(x, i) + load<U>(y, i));
    }
};

template <class T>
struct FloatPiece {
    using Element = T;
    static std::size_t first_misfit(const std::byte*, const std::byte*, std::size_t n) { return n; }
    static void add(const std::byte* x, const std::byte* y, std::size_t n, T* out) {
        TEGU_SAME_INDEX_ONLY
        for (std::size_t i = 0; i < n; ++i) out[i] = canonical(load<T>(x, i) + load<T>(y, i));
    }
};
template <>
struct Piece<float> : FloatPiece<float> {};
template <>
struct Piece<double> : FloatPiece<double> {};

// The f32 sum of two halves rounded to f16 is the f16 sum: f32 has more than twice the digits.
template <>
struct Piece<Half> {
    using Element = HalfBits;
    static std::size_t first_misfit(const std::byte*, const std::byte*, std::size_t n) { return n; }
    static void add(const std::byte* x, const std::byte* y, std::size_t n, HalfBits* out) {
        constexpr std::size_t kStep = kPieceBytes / sizeof(HalfBits) / 4;
        alignas(64) float a[kStep];
        alignas(64) float b[kStep];
        for (std::size_t begin = 0; begin < n; begin += kStep) {
            const std::size_t width = n - begin < kStep ? n - begin : kStep;
            widen_halves(x + begin * sizeof(HalfBits), width, a);
            widen_halves(y + begin * sizeof(HalfBits), width, b);
            for (std::size_t i = 0; i < width; ++i) a[i] += b[i];
            narrow_halves(a, width, out + begin);
        }
    }
};

template <class T>
std::size_t add_block(const std::byte* x, const std::byte* y, std::size_t n, bool stream, std::byte* out) {
    using P = Piece<T>;
    using Element = typename P::Element;
    constexpr std::size_t kPiece = kPieceBytes / sizeof(Element);
    alignas(64) Element buffer[kPiece];
    for (std::size_t begin = 0; begin < n; begin += kPiece) {
        const std::size_t width = n - begin < kPiece ? n - begin : kPiece;
        const std::size_t offset = begin * sizeof(Element);
        const std::size_t at = P::first_misfit(x + offset, y + offset, width);
        if (at != width) {
            if (stream) stream_fence();
            return begin + at;
        }
        P::add(x + offset, y + offset, width, stream ? buffer : reinterpret_cast<Element*>(out + offset));
        if (stream) stream_out(buffer, width * sizeof(Element), out + offset);
    }
    if (stream) stream_fence();
    return n;
}

}  // namespace

#define TEGU_X(number, Name, word, type)                                                             \
    std::size_t add_block_##word(const std::byte* x, const std::byte* y, std::size_t n, bool stream, \
                                 std::byte* out) {                                                   \
        return add_block<type>(x, y, n, stream, out);                                                \
    }
TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels::TEGU_ISA
