// SPDX-License-Identifier: Apache-2.0
// One sweep over a full tile of floats, for a set of needs known at compile time. Four neighbouring columns
// form one lane, so a vector holds whole lanes. The leaf of the sum, its mean and the deviations from it are
// computed while the rows of four vectors' columns are in L1.
//
// Part of kernels/statistics/cpu/float.cpp, so compiled once per instruction set. Vector types of the
// compiler keep the order of every operation as in docs/numerics.md, column by column.
#pragma once

#include <utility>

#include "kernels/execution/cpu/vectors.h"
#include "kernels/statistics/cpu/float_leaves.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

// Vectors of A, and of integers of the same width for masks and indices.
template <class A>
struct Vectors;
template <>
struct Vectors<float> {
    using Floats = Vector<float>;
    using Integers = Vector<std::int32_t>;
};
template <>
struct Vectors<double> {
    using Floats = Vector<double>;
    using Integers = Vector<std::int64_t>;
};

// True if a vector holds whole lanes. Tiles of other types (f64 in 16-byte vectors) use the loops of
// kernels/statistics/cpu/float_leaves.h.
template <class A>
constexpr bool kSweeps = kVectorBytes / sizeof(A) >= 4;

// The totals of a chunk, carried from tile to tile. Four of each, which shortens the chains of dependent
// operations.
template <class A>
struct SweepTotals {
    typename Vectors<A>::Floats min[4];
    typename Vectors<A>::Floats max[4];
    typename Vectors<A>::Integers zeros[4];

    void reset() {
        for (int b = 0; b < 4; ++b) {
            min[b] = typename Vectors<A>::Floats{} + Arithmetic<A>::kInfinity;
            max[b] = typename Vectors<A>::Floats{} - Arithmetic<A>::kInfinity;
            zeros[b] = typename Vectors<A>::Integers{};
        }
    }
    std::uint64_t zero_count() const {
        const auto sum = (zeros[0] + zeros[1]) + (zeros[2] + zeros[3]);
        std::uint64_t count = 0;
        for (std::size_t k = 0; k < kVectorBytes / sizeof(A); ++k)
            count += static_cast<std::uint64_t>(sum[k]);
        return count;
    }
};

// The leaves of one tile in A, by lane.
template <class A>
struct SweepLeaves {
    alignas(64) A sum[kLanes];
    alignas(64) A l1[kLanes];
    alignas(64) A dev[kLanes];
    alignas(64) A sqr[kLanes];
};

// The bytes of a tile ahead that start the hardware's own prefetching there. It stops at the end of a page.
constexpr std::size_t kStartBytes = 256;

// FromMemory: reads the tile in the order of its memory, which the hardware follows at twice the speed of
// columns with prefetch instructions.
template <class A, unsigned Needs, bool FromMemory>
class Sweep {
    using V = typename Vectors<A>::Floats;
    using I = typename Vectors<A>::Integers;
    static constexpr int kWidth = kVectorBytes / static_cast<int>(sizeof(A));
    static constexpr int kStep = 4 * kWidth;  // columns whose lanes fill one vector
    static constexpr bool kHasMoments = (Needs & kNeedMoments) != 0;
    static constexpr bool kHasSum = (Needs & kNeedSum) != 0 || kHasMoments;
    static constexpr bool kHasL1 = (Needs & kNeedL1) != 0;
    static constexpr bool kHasExtrema = (Needs & kNeedExtrema) != 0;
    static constexpr bool kHasZeros = (Needs & kNeedZeros) != 0;
    // Blocks with accumulators in registers at the same time: extremes and zeros gain from four blocks on 32
    // registers.
    static constexpr int kAbreast = kVectorBytes < 64 ? 1 : kHasExtrema || kHasZeros ? 4 : 2;
    // All columns abreast: whole rows. On 32 registers, eight of which stay free.
    static constexpr int kBlocks = kCols / kWidth;
    static constexpr int kAccumulators =
        kBlocks * (kHasL1 || kHasMoments ? 2 : 1) + (kHasExtrema ? 8 : 0) + (kHasZeros ? 4 : 0);
    static constexpr bool kByRows = FromMemory && kVectorBytes == 64 && kAccumulators <= 24;
    static constexpr bool kFollowsInL2 = kByRows && sizeof(A) == 4 && !kHasExtrema;  // the quickest loops
    // Else all lines are touched first, which does not pay where the arithmetic takes longer than the memory.
    static constexpr bool kTouches = FromMemory && !kByRows && !kHasMoments;

  public:
    // One full tile at `x`; `next` is the memory that is read after it. True: the tile may contain a NaN;
    // false: it does not.
    static bool tile(const A* x, const std::byte* next, SweepTotals<A>* totals, SweepLeaves<A>* out) {
        if constexpr (kByRows) return tile_by_rows(x, next, totals, out);
        I nans{};
        if (kTouches) prefetch_lines(next, kStartBytes);
        if (kTouches) touch_lines(x, kCols * kRows * sizeof(A));
        for (int col = 0; col < kCols; col += kStep) {
            if (!kTouches)
                prefetch_lines(next + static_cast<std::size_t>(col) * kRows * sizeof(A),
                               kStep * kRows * sizeof(A));
            Block block[4];
            for (int b = 0; b < 4; b += kAbreast) take(x + col + b * kWidth, totals, b, block + b);
            if (kHasMoments) {
                const A* again = x + col;
                asm("" : "+r"(again));  // loaded once more: the rows of four blocks do not fit the registers
                deviate(again, block);
            }
            for (int b = 0; b < 4; ++b) nans |= block[b].total != block[b].total;
            store_leaves(block, col / 4, out);
        }
        return any_set(nans);
    }

  private:
    // The eight rows of kWidth columns: accumulators by column, and the leaf of the sum in each of its four
    // columns.
    struct Block {
        V total, sum, l1, dev, sqr;
    };

    // Everything but the deviations, for blocks [first, first + kAbreast) interleaved: each block is a long
    // chain of dependent operations.
    static TEGU_INLINE void take(const A* x, SweepTotals<A>* totals, int first, Block* block) {
        V total[kAbreast], l1[kAbreast], low[kAbreast], high[kAbreast];
        I zeros[kAbreast];
        for (int b = 0; b < kAbreast; ++b) {
            if (kHasExtrema) low[b] = totals->min[first + b];
            if (kHasExtrema) high[b] = totals->max[first + b];
            if (kHasZeros) zeros[b] = totals->zeros[first + b];
        }
        for (int row = 0; row < kRows; ++row)
            for (int b = 0; b < kAbreast; ++b) {
                const V v = load_vector<A>(x + row * kCols + b * kWidth);
                total[b] = row == 0 ? v : total[b] + v;
                if (kHasL1) l1[b] = row == 0 ? magnitude(v) : l1[b] + magnitude(v);
                if (kHasExtrema) {  // a comparison with NaN is false, so a NaN is never taken
                    low[b] = v < low[b] ? v : low[b];
                    high[b] = v > high[b] ? v : high[b];
                }
                if (kHasZeros) zeros[b] -= v == V{};
            }
        for (int b = 0; b < kAbreast; ++b) {
            block[b].total = total[b];
            if (kHasL1) block[b].l1 = l1[b];
            if (kHasExtrema) totals->min[first + b] = low[b];
            if (kHasExtrema) totals->max[first + b] = high[b];
            if (kHasZeros) totals->zeros[first + b] = zeros[b];
        }
    }

    // The same for all columns, row by row. Blocks at a distance of four share totals.
    static TEGU_INLINE void take_rows(const A* x, SweepTotals<A>* totals, Block* block) {
        SweepTotals<A> t = *totals;
        V total[kBlocks], l1[kBlocks];
        for (int b = 0; b < kBlocks; ++b) add_block<true>(x, b, total, l1, &t);
        for (int row = 1; row < kRows; ++row)
            for (int b = 0; b < kBlocks; ++b) add_block<false>(x + row * kCols, b, total, l1, &t);
        for (int b = 0; b < kBlocks; ++b) {
            block[b].total = total[b];
            if (kHasL1) block[b].l1 = l1[b];
        }
        *totals = t;
    }
    template <bool First>
    static TEGU_INLINE void add_block(const A* row, int b, V* total, V* l1, SweepTotals<A>* t) {
        const V v = load_vector<A>(row + b * kWidth);
        V sum = First ? v : total[b] + v;
        if constexpr (kByRows) asm volatile("" : "+v"(sum));  // the compiler keeps the order of the blocks
        total[b] = sum;
        if (kHasL1) l1[b] = First ? magnitude(v) : l1[b] + magnitude(v);
        if (kHasExtrema) {
            t->min[b % 4] = v < t->min[b % 4] ? v : t->min[b % 4];
            t->max[b % 4] = v > t->max[b % 4] ? v : t->max[b % 4];
        }
        if (kHasZeros) t->zeros[b % 4] -= v == V{};
    }

    static TEGU_INLINE bool tile_by_rows(const A* x, const std::byte* next, SweepTotals<A>* totals,
                                         SweepLeaves<A>* out) {
        if (kFollowsInL2)
            prefetch_start(next, kCols * kRows * sizeof(A));
        else
            prefetch_lines(next, kStartBytes);
        Block blocks[kBlocks];
        take_rows(x, totals, blocks);
        I nans{};
        for (int b = 0; b < kBlocks; ++b) nans |= blocks[b].total != blocks[b].total;
        for (int b = 0; b < kBlocks; b += 4) {
            if (kHasMoments) deviate(x + b * kWidth, blocks + b);
            store_leaves(blocks + b, b * kWidth / 4, out);
        }
        return any_set(nans);
    }
    // The leaves of four blocks, whose first lane is `lane`.
    static TEGU_INLINE void store_leaves(const Block* block, int lane, SweepLeaves<A>* out) {
        if (kHasMoments) {
            store(out->sum + lane, pick_lanes(block[0].sum, block[1].sum, block[2].sum, block[3].sum));
            store(out->dev + lane, fold_lanes(block[0].dev, block[1].dev, block[2].dev, block[3].dev));
            store(out->sqr + lane, fold_lanes(block[0].sqr, block[1].sqr, block[2].sqr, block[3].sqr));
        } else if (kHasSum) {
            store(out->sum + lane,
                  fold_lanes(block[0].total, block[1].total, block[2].total, block[3].total));
        }
        if (kHasL1) store(out->l1 + lane, fold_lanes(block[0].l1, block[1].l1, block[2].l1, block[3].l1));
    }
    static TEGU_INLINE bool any_set(I mask) {
        std::uint64_t words[kVectorBytes / 8];
        std::memcpy(words, &mask, sizeof words);
        std::uint64_t any = 0;
        for (const std::uint64_t word : words) any |= word;
        return any != 0;
    }

    // The deviations of four blocks from their means.
    static TEGU_INLINE void deviate(const A* x, Block* block) {
        V mean[4], dev[4], sqr[4];
        for (int b = 0; b < 4; ++b) {
            const V pairs = block[b].total + swap_neighbours(block[b].total);
            block[b].sum = pairs + swap_pairs(pairs);
            mean[b] = block[b].sum * (V{} + A(0.03125));  // exact division by 32
        }
        for (int row = 0; row < kRows; ++row)
            for (int b = 0; b < 4; ++b) {
                const V d = load_vector<A>(x + row * kCols + b * kWidth) - mean[b];
                dev[b] = row == 0 ? d : dev[b] + d;
                sqr[b] = row == 0 ? d * d : sqr[b] + d * d;
            }
        for (int b = 0; b < 4; ++b) {
            block[b].dev = dev[b];
            block[b].sqr = sqr[b];
        }
    }

    static TEGU_INLINE void store(A* to, V v) { std::memcpy(to, &v, sizeof v); }
    static TEGU_INLINE V magnitude(V v) {
        const I sign = reinterpret_cast<I>(-V{});
        return reinterpret_cast<V>(reinterpret_cast<I>(v) & ~sign);
    }

    // Element k of the result is element Pattern::of(k) of a followed by b.
    template <class Pattern, int... K>
    static TEGU_INLINE V shuffled(V a, V b, std::integer_sequence<int, K...>) {
#if defined(__clang__)
        return __builtin_shufflevector(a, b, Pattern::of(K)...);
#else
        return __builtin_shuffle(a, b, I{Pattern::of(K)...});
#endif
    }
    template <class Pattern>
    static TEGU_INLINE V shuffle(V a, V b) {
        return shuffled<Pattern>(a, b, std::make_integer_sequence<int, kWidth>());
    }
    struct Neighbours {
        static constexpr int of(int k) { return k ^ 1; }
    };
    struct Pairs {
        static constexpr int of(int k) { return k ^ 2; }
    };
    // Quads of a at indices 0 and 1, of b at indices 2 and 3.
    template <int First, int Second>
    struct Halves {
        static constexpr int of(int k) { return (k & ~3) + (k & 2 ? kWidth : 0) + (k & 1 ? Second : First); }
    };
    // Reorders quads (a, b, c, d) of lanes of four blocks to the lanes of a, then those of b, c, d.
    struct Ordered {
        static constexpr int of(int k) { return 4 * (k % (kWidth / 4)) + k / (kWidth / 4); }
    };
    struct Blend {
        static constexpr int of(int k) { return k % 4 < 2 ? k : k + kWidth; }
    };
    struct BlendOdd {
        static constexpr int of(int k) { return k % 2 ? k + kWidth : k; }
    };

    static TEGU_INLINE V swap_neighbours(V v) {
        return shuffle<Neighbours>(v, v);
    }
    static TEGU_INLINE V swap_pairs(V v) {
        return shuffle<Pairs>(v, v);
    }
    static TEGU_INLINE V ordered(V v) {
        return shuffle<Ordered>(v, v);
    }

    // (a0 + a1) + (a2 + a3) of each lane of four blocks.
    static TEGU_INLINE V fold_lanes(V a, V b, V c, V d) {
        const V ab = shuffle<Halves<0, 2>>(a, b) + shuffle<Halves<1, 3>>(a, b);
        const V cd = shuffle<Halves<0, 2>>(c, d) + shuffle<Halves<1, 3>>(c, d);
        return ordered(shuffle<Halves<0, 2>>(ab, cd) + shuffle<Halves<1, 3>>(ab, cd));
    }
    // One element per lane of four blocks whose quads hold one value each.
    static TEGU_INLINE V pick_lanes(V a, V b, V c, V d) {
        return ordered(shuffle<Blend>(shuffle<BlendOdd>(a, b), shuffle<BlendOdd>(c, d)));
    }
};

}  // namespace
}  // namespace tegu::kernels::TEGU_ISA
