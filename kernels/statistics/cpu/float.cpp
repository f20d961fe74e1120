// SPDX-License-Identifier: Apache-2.0
// The chunk kernels of f16, f32 and f64: one short loop per primitive over a tile in L1.
#include "kernels/execution/cpu/elementwise.h"
#include "kernels/statistics/cpu/float_sweep.h"
#include "kernels/statistics/cpu/float_tree.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

template <class A>
struct Extrema {
    alignas(64) A min[kCols];
    alignas(64) A max[kCols];

    int cols;  // a power of two: the columns of a tile that have elements

    void reset(std::size_t n) {
        cols = 1;
        while (cols < kCols && static_cast<std::size_t>(cols) < n) cols *= 2;
        for (int k = 0; k < cols; ++k) {
            min[k] = Arithmetic<A>::kInfinity;
            max[k] = -Arithmetic<A>::kInfinity;
        }
    }
    // A comparison with NaN is false, so a NaN is never taken.
    void take(const A* x, std::size_t n) {
        std::size_t begin = 0;
        for (; n - begin >= 4 * kCols; begin += 4 * kCols)
            for (int k = 0; k < kCols; ++k) {
                const A* v = x + begin + k;
                A low = v[0] < min[k] ? v[0] : min[k];
                A high = v[0] > max[k] ? v[0] : max[k];
                low = v[128] < low ? v[128] : low;
                high = v[128] > high ? v[128] : high;
                low = v[256] < low ? v[256] : low;
                high = v[256] > high ? v[256] : high;
                low = v[384] < low ? v[384] : low;
                high = v[384] > high ? v[384] : high;
                min[k] = low;
                max[k] = high;
            }
        for (; begin < n; begin += kCols) {
            const int width = n - begin < kCols ? static_cast<int>(n - begin) : kCols;
            for (int k = 0; k < width; ++k) {
                const A v = x[begin + static_cast<std::size_t>(k)];
                min[k] = v < min[k] ? v : min[k];
                max[k] = v > max[k] ? v : max[k];
            }
        }
    }
    void take(const SweepTotals<A>& totals) {
        constexpr int kCount = 4 * kVectorBytes / static_cast<int>(sizeof(A));
        A low[kCount];
        A high[kCount];
        std::memcpy(low, totals.min, sizeof low);
        std::memcpy(high, totals.max, sizeof high);
        for (int k = 0; k < kCount; ++k) {
            min[k] = low[k] < min[k] ? low[k] : min[k];
            max[k] = high[k] > max[k] ? high[k] : max[k];
        }
    }
    void finish(FloatPartial* out) {
        for (int width = cols / 2; width >= 1; width /= 2)
            for (int k = 0; k < width; ++k) {
                min[k] = min[k + width] < min[k] ? min[k + width] : min[k];
                max[k] = max[k + width] > max[k] ? max[k + width] : max[k];
            }
        out->min = static_cast<double>(min[0]);
        out->max = static_cast<double>(max[0]);
    }
};

template <class A>
std::uint64_t count_nans(const A* x, std::size_t n) {
    typename Arithmetic<A>::Counter count = 0;
    for (std::size_t i = 0; i < n; ++i) count += x[i] != x[i];
    return static_cast<std::uint64_t>(count);
}

template <class A>
std::uint64_t count_zeros(const A* x, std::size_t n) {
    typename Arithmetic<A>::Counter count = 0;
    for (std::size_t i = 0; i < n; ++i) count += x[i] == A(0);
    return static_cast<std::uint64_t>(count);
}

// The compiled sweeps, one per set of needs. Only few sets are compiled; a larger set uses the sweep that
// computes everything.
template <class A>
class Sweeps {
  public:
    using Tile = bool (*)(const A*, const std::byte*, SweepTotals<A>*, SweepLeaves<A>*);

    explicit Sweeps(unsigned needs) {
        if constexpr (kSweeps<A>) {
            if (needs & kFromMemory)
                choose<true>(needs);
            else
                choose<false>(needs);
        }
    }
    bool tile(const A* x, const std::byte* next, SweepTotals<A>* totals, SweepLeaves<A>* leaves) const {
        bool maybe_nan = tiles_[0](x, next, totals, leaves);
        if (count_ == 2) maybe_nan |= tiles_[1](x, next, totals, leaves);
        return maybe_nan;
    }

  private:
    static constexpr unsigned kAll = kNeedSum | kNeedL1 | kNeedMoments | kNeedExtrema | kNeedZeros;
    template <bool FromMemory>
    void choose(unsigned needs) {
        const unsigned core = needs & (kNeedSum | kNeedL1 | kNeedMoments | kNeedExtrema | kNeedZeros);
        if (core == 0) return add(Sweep<A, kNeedNans, FromMemory>::tile);
        if (core == (kNeedSum | kNeedMoments)) return add(Sweep<A, kNeedMoments, FromMemory>::tile);
        if (core == (kNeedSum | kNeedExtrema))
            return add(Sweep<A, kNeedSum | kNeedExtrema, FromMemory>::tile);
        if (__builtin_popcount(core) > 2) return add(Sweep<A, kAll, FromMemory>::tile);
        if (core & kNeedSum) add(Sweep<A, kNeedSum, FromMemory>::tile);
        if (core & kNeedL1) add(Sweep<A, kNeedL1, FromMemory>::tile);
        if (core & kNeedMoments) add(Sweep<A, kNeedMoments, FromMemory>::tile);
        if (core & kNeedExtrema) add(Sweep<A, kNeedExtrema, FromMemory>::tile);
        if (core & kNeedZeros) add(Sweep<A, kNeedZeros, FromMemory>::tile);
    }
    void add(Tile sweep) { tiles_[count_++] = sweep; }

    Tile tiles_[2];
    int count_ = 0;
};

template <class A>
class Chunk {
  public:
    // `n`: elements of the chunk.
    Chunk(unsigned needs, std::size_t n, FloatPartial* out)
        : needs_(needs),
          lanes_(lanes_in(n)),
          swept_(kSweeps<A> && n >= kTileElements),
          out_(out),
          sweeps_(needs) {
        if (needs & kNeedExtrema) extrema_.reset(n);
        if (swept_) totals_.reset();
    }

    // `next`: the address of the elements after the tile.
    void take_tile(const A* x, std::size_t n, const std::byte* next) {
        if constexpr (kSweeps<A>) {
            if (n == kTileElements) return sweep_tile(x, next);
        }
        loop_tile(x, n);
    }

    void finish() {
        if (needs_ & kNeedExtrema) {
            if (swept_) extrema_.take(totals_);
            extrema_.finish(out_);
        }
        if (swept_ && (needs_ & kNeedZeros)) out_->zeros += totals_.zero_count();
        if (needs_ & kNeedSum) out_->sum = fold(&sum_);
        if (needs_ & kNeedL1) out_->l1 = fold(&l1_);
        if (needs_ & kNeedMoments) {
            MomentLanes root;
            moments_.finish(&root, lanes_);
            out_->moments = Moments{root.n[0], root.s[0], root.m2[0]};
        }
    }

  private:
    void sweep_tile(const A* x, const std::byte* next) {
        SweepLeaves<A> leaves;
        std::uint64_t nans = 0;
        const bool maybe_nan = sweeps_.tile(x, next, &totals_, &leaves);
        if (maybe_nan && (needs_ & (kNeedNans | kSkipNans | kNeedExtrema)))
            out_->nans += nans = count_nans(x, kTileElements);
        if (!(needs_ & (kNeedSum | kNeedL1 | kNeedMoments))) return;
        if (nans != 0 && (needs_ & kSkipNans)) return add_clean_sums(x, kTileElements);
        if (needs_ & kNeedL1) push_full<Magnitude>(x, leaves.l1, &l1_);
        if (needs_ & kNeedSum) push_full<Identity>(x, leaves.sum, &sum_);
        if (!(needs_ & kNeedMoments)) return;
        if (uniform_ && all_usable(leaves.sqr))
            return moments_.push_moments(leaves.sum, leaves.dev, leaves.sqr);
        MomentLanes moments;
        widen_moments(x, leaves.sum, leaves.dev, leaves.sqr, false, &moments, &out_->flags);
        moments_.push(&moments);
    }

    template <class F>
    static void push_full(const A* x, const A* lanes, TileTree<SumLanes>* tree) {
        typename Arithmetic<A>::Counter bad = 0;
        for (int l = 0; l < kLanes; ++l) bad |= !Arithmetic<A>::finite(lanes[l]);
        if (bad == 0) return tree->push_leaves(lanes);
        SumLanes leaf;
        widen_leaves<F>(x, kTileElements, lanes, &leaf);
        tree->push(&leaf);
    }

    void loop_tile(const A* x, std::size_t n) {
        std::uint64_t nans = 0;
        if (needs_ & (kNeedNans | kSkipNans | kNeedExtrema)) out_->nans += nans = count_nans(x, n);
        if (needs_ & kNeedExtrema) extrema_.take(x, n);
        if (needs_ & kNeedZeros) out_->zeros += count_zeros(x, n);
        if (!(needs_ & (kNeedSum | kNeedL1 | kNeedMoments))) return;
        if (nans != 0 && (needs_ & kSkipNans)) return add_clean_sums(x, n);
        add_sums(x, n, x, n != kTileElements);
    }

    void add_clean_sums(const A* x, std::size_t n) {
        alignas(64) A clean[kTileElements];
        for (std::size_t i = 0; i < n; ++i) clean[i] = x[i] == x[i] ? x[i] : A(0);
        add_sums(clean, n, x, true);
    }

    double fold(TileTree<SumLanes>* tree) const {
        SumLanes root;
        tree->finish(&root, lanes_);
        return root.s[0];
    }

    // `clean`: the elements with 0 in place of skipped ones; `raw`: unchanged.
    void add_sums(const A* clean, std::size_t n, const A* raw, bool partial) {
        alignas(64) A lanes[kLanes];
        SumLanes leaf;
        if (needs_ & kNeedL1) {
            sum_leaves<Magnitude>(clean, n, lanes);
            widen_leaves<Magnitude>(clean, n, lanes, &leaf);
            l1_.push(&leaf);
        }
        if (!(needs_ & (kNeedSum | kNeedMoments))) return;
        sum_leaves<Identity>(clean, n, lanes);
        if (needs_ & kNeedSum) {
            widen_leaves<Identity>(clean, n, lanes, &leaf);
            sum_.push(&leaf);
        }
        if (!(needs_ & kNeedMoments)) return;
        uniform_ = false;
        MomentLanes moments;
        const bool skip = (needs_ & kSkipNans) != 0;
        if (partial)
            moments_partial(raw, n, lanes, skip, &moments, &out_->flags);
        else
            moments_full(raw, lanes, skip, &moments, &out_->flags);
        moments_.push(&moments);
    }

    const unsigned needs_;
    const int lanes_;      // that have elements
    const bool swept_;     // a tile is full: the sweeps' totals count
    bool uniform_ = true;  // every leaf of the moments so far is that of a full tile
    FloatPartial* const out_;
    Sweeps<A> sweeps_;
    SweepTotals<A> totals_;
    Extrema<A> extrema_;
    TileTree<SumLanes> sum_;
    TileTree<SumLanes> l1_;
    TileTree<MomentLanes> moments_;
};

template <class A>
const A* as_arithmetic(const A* x, std::size_t, A*) {
    return x;
}

const float* as_arithmetic(const HalfBits* x, std::size_t n, float* buffer) {
    widen_halves(reinterpret_cast<const std::byte*>(x), n, buffer);
    return buffer;
}

// prefetch distance: a shorter one comes too late, a longer one has left L1 before it is read
constexpr std::size_t kAheadBytes = 8192;

template <class A, class Element>
void reduce_chunk(unsigned needs, const Element* x, std::size_t n, FloatPartial* out) {
    alignas(64) A buffer[kTileElements];
    out->flags = 0;
    out->nans = 0;
    out->zeros = 0;
    Chunk<A> chunk(needs, n, out);
    for (std::size_t begin = 0; begin < n; begin += kTileElements) {
        const std::size_t width = n - begin < kTileElements ? n - begin : kTileElements;
        const std::byte* ahead = reinterpret_cast<const std::byte*>(x + begin) + kAheadBytes;
        chunk.take_tile(as_arithmetic(x + begin, width, buffer), width, ahead);
    }
    chunk.finish();
}

}  // namespace

void reduce_chunk_f16(unsigned needs, const void* data, std::size_t n, FloatPartial* out) {
    needs &= ~unsigned{kFromMemory};  // tiles are in L1 once they are converted
    reduce_chunk<float>(needs, static_cast<const HalfBits*>(data), n, out);
}
void reduce_chunk_f32(unsigned needs, const void* data, std::size_t n, FloatPartial* out) {
    reduce_chunk<float>(needs, static_cast<const float*>(data), n, out);
}
void reduce_chunk_f64(unsigned needs, const void* data, std::size_t n, FloatPartial* out) {
    reduce_chunk<double>(needs, static_cast<const double*>(data), n, out);
}

}  // namespace tegu::kernels::TEGU_ISA
