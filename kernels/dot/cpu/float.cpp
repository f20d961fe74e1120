// SPDX-License-Identifier: Apache-2.0
// The chunk kernels of dot for f16, f32 and f64. They use the leaves and the tree of reduce; the leaf loop
// forms the products. Rare cases (skipped NaN, a leaf recomputed in f64) leave the fast loop.
#include "kernels/dot/cpu/chunk.h"
#include "kernels/execution/cpu/elementwise.h"
#include "kernels/statistics/cpu/float_tree.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

// A tile of x and of y in the arithmetic type, at any alignment.
struct TilePair {
    const std::byte* x;
    const std::byte* y;
    std::size_t n;

    template <class A>
    A product(std::size_t i) const {
        return load<A>(x, i) * load<A>(y, i);
    }
};

// The leaves of a tile of products in A. Elements from n on are missing and count as +0.0.
template <class A>
void product_leaves(const TilePair& t, A* lanes) {
    alignas(64) A acc[kCols];
    if (t.n == kTileElements) {
        for (std::size_t k = 0; k < kCols; ++k)
            acc[k] = (((((((A(0) + t.product<A>(k)) + t.product<A>(k + 128)) + t.product<A>(k + 256)) +
                         t.product<A>(k + 384)) +
                        t.product<A>(k + 512)) +
                       t.product<A>(k + 640)) +
                      t.product<A>(k + 768)) +
                     t.product<A>(k + 896);
    } else {
        std::memset(acc, 0, sizeof acc);
        for (std::size_t begin = 0; begin < t.n; begin += kCols) {
            const std::size_t width = t.n - begin < kCols ? t.n - begin : kCols;
            for (std::size_t k = 0; k < width; ++k) acc[k] = acc[k] + t.product<A>(begin + k);
        }
    }
    fold_quads(acc, lanes);
}

// One leaf recomputed with products in f64.
template <class A>
double product_leaf_f64(const TilePair& t, int lane) {
    double acc[4] = {0, 0, 0, 0};
    for (std::size_t row = 0; row < kRows; ++row)
        for (std::size_t j = 0; j < 4; ++j) {
            const std::size_t i = row * kCols + 4 * static_cast<std::size_t>(lane) + j;
            if (i < t.n)
                acc[j] += static_cast<double>(load<A>(t.x, i)) * static_cast<double>(load<A>(t.y, i));
        }
    return (acc[0] + acc[1]) + (acc[2] + acc[3]);
}

template <class A>
void widen_products(const TilePair& t, const A* lanes, SumLanes* out) {
    int bad = 0;
    for (int l = 0; l < kLanes; ++l) {
        bad += !Arithmetic<A>::finite(lanes[l]);
        out->s[l] = static_cast<double>(lanes[l]);
    }
    if (bad == 0) return;
    for (int l = 0; l < kLanes; ++l)
        if (!Arithmetic<A>::finite(lanes[l])) out->s[l] = product_leaf_f64<A>(t, l);
}

template <class A>
struct Buffers {
    alignas(64) A x[kTileElements];
    alignas(64) A y[kTileElements];

    TilePair pair(std::size_t n) const {
        return TilePair{reinterpret_cast<const std::byte*>(x), reinterpret_cast<const std::byte*>(y), n};
    }
    // Copies of both with +0.0 for the pairs that have a NaN.
    TilePair cleaned(const TilePair& t) {
        for (std::size_t i = 0; i < t.n; ++i) {
            const A a = load<A>(t.x, i);
            const A b = load<A>(t.y, i);
            const bool counts = a == a && b == b;
            x[i] = counts ? a : A(0);
            y[i] = counts ? b : A(0);
        }
        return pair(t.n);
    }
};

template <class A>
TilePair as_arithmetic(const TilePair& t, const A*, Buffers<A>*) {
    return t;
}
inline TilePair as_arithmetic(const TilePair& t, const HalfBits*, Buffers<float>* buffers) {
    widen_halves(t.x, t.n, buffers->x);
    widen_halves(t.y, t.n, buffers->y);
    return buffers->pair(t.n);
}

template <class A, class Element>
void dot_chunk(const std::byte* x, const std::byte* y, std::size_t n, bool skip_nans, FloatDot* out) {
    Buffers<A> widened;
    Buffers<A> clean;
    TileTree<SumLanes> tree;
    SumLanes leaf;
    alignas(64) A lanes[kLanes];
    for (std::size_t begin = 0; begin < n; begin += kTileElements) {
        const std::size_t width = n - begin < kTileElements ? n - begin : kTileElements;
        const std::size_t offset = begin * sizeof(Element);
        TilePair tile = as_arithmetic(TilePair{x + offset, y + offset, width},
                                      static_cast<const Element*>(nullptr), &widened);
        if (skip_nans) tile = clean.cleaned(tile);
        product_leaves(tile, lanes);
        widen_products(tile, lanes, &leaf);
        tree.push(&leaf);
    }
    tree.finish(&leaf);
    out->sum = leaf.s[0];
}

}  // namespace

void dot_chunk_f16(const std::byte* x, const std::byte* y, std::size_t n, bool skip_nans, FloatDot* out) {
    dot_chunk<float, HalfBits>(x, y, n, skip_nans, out);
}
void dot_chunk_f32(const std::byte* x, const std::byte* y, std::size_t n, bool skip_nans, FloatDot* out) {
    dot_chunk<float, float>(x, y, n, skip_nans, out);
}
void dot_chunk_f64(const std::byte* x, const std::byte* y, std::size_t n, bool skip_nans, FloatDot* out) {
    dot_chunk<double, double>(x, y, n, skip_nans, out);
}

}  // namespace tegu::kernels::TEGU_ISA
