// SPDX-License-Identifier: Apache-2.0
// The chunk kernels of f16, f32 and f64: one short loop per primitive over a tile that is in L1. Loops run along the 128
// columns of a tile, whose order is the canonical lane order, so the compiler vectorises them without changing a
// result. What is rare (a leaf that must be recomputed in f64, skipped NaN, a tile that is not full) leaves the fast loops.
#include <cfloat>
#include <cstring>

#include "kernels/cpu/reduce_chunk.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

constexpr int kCols = 128;
constexpr int kRows = 8;
constexpr int kLanes = 32;
constexpr int kLevels = 5;  // a chunk has 2^4 tiles

template <class A>
struct Arithmetic;  // A: the type in which leaves are computed
template <>
struct Arithmetic<float> {
    using Counter = std::int32_t;  // as wide as A, so that counting loops vectorise
    static constexpr float kInfinity = __builtin_inff();
    static float abs(float x) { return __builtin_fabsf(x); }
    // Sums of squares outside this range are recomputed in f64: rounding to a subnormal, or overflow, has spoilt them.
    static bool usable(float q) { return q >= 0x1p-100f && q <= FLT_MAX; }
    static bool finite(float x) { return __builtin_fabsf(x) <= FLT_MAX; }
};
template <>
struct Arithmetic<double> {
    using Counter = std::int64_t;
    static constexpr double kInfinity = __builtin_inf();
    static double abs(double x) { return __builtin_fabs(x); }
    static bool usable(double q) { return q <= DBL_MAX; }
    static bool finite(double) { return true; }  // there is no wider type to recompute in
};

// One value per lane of a tile or of a subtree of tiles.
struct SumLanes {
    alignas(64) double s[kLanes];
};
struct MomentLanes {
    alignas(64) double n[kLanes];
    alignas(64) double s[kLanes];
    alignas(64) double m2[kLanes];
    bool uniform;  // n is the same power of two in all lanes
};

struct Identity {
    template <class A>
    static A of(A x) {
        return x;
    }
};
struct Magnitude {
    template <class A>
    static A of(A x) {
        return Arithmetic<A>::abs(x);
    }
};

// (a0 + a1) + (a2 + a3) of each lane.
template <class A>
void fold_quads(const A* acc, A* lanes) {
    for (int l = 0; l < kLanes; ++l) lanes[l] = (acc[4 * l] + acc[4 * l + 1]) + (acc[4 * l + 2] + acc[4 * l + 3]);
}

// The leaves of a tile in A. Elements from n on are missing and count as +0.0, which changes no accumulator.
template <class F, class A>
void sum_leaves(const A* x, std::size_t n, A* lanes) {
    alignas(64) A acc[kCols];
    if (n == kTileElements) {
        for (int k = 0; k < kCols; ++k)
            acc[k] = (((((((A(0) + F::of(x[k])) + F::of(x[k + 128])) + F::of(x[k + 256])) + F::of(x[k + 384])) +
                        F::of(x[k + 512])) +
                       F::of(x[k + 640])) +
                      F::of(x[k + 768])) +
                     F::of(x[k + 896]);
    } else {
        std::memset(acc, 0, sizeof acc);
        for (std::size_t begin = 0; begin < n; begin += kCols) {
            const std::size_t width = n - begin < kCols ? n - begin : kCols;
            for (std::size_t k = 0; k < width; ++k) acc[k] = acc[k] + F::of(x[begin + k]);
        }
    }
    fold_quads(acc, lanes);
}

// One leaf recomputed in f64. The elements are those of sum_leaves: NaN that are skipped have become +0.0.
template <class F, class A>
double sum_leaf_f64(const A* x, std::size_t n, int lane) {
    double acc[4] = {0, 0, 0, 0};
    for (std::size_t row = 0; row < kRows; ++row)
        for (std::size_t j = 0; j < 4; ++j) {
            const std::size_t i = row * kCols + 4 * static_cast<std::size_t>(lane) + j;
            if (i < n) acc[j] += static_cast<double>(F::of(x[i]));
        }
    return (acc[0] + acc[1]) + (acc[2] + acc[3]);
}

template <class F, class A>
void widen_leaves(const A* x, std::size_t n, const A* lanes, SumLanes* out) {
    int bad = 0;
    for (int l = 0; l < kLanes; ++l) {
        bad += !Arithmetic<A>::finite(lanes[l]);
        out->s[l] = static_cast<double>(lanes[l]);
    }
    if (bad == 0) return;
    for (int l = 0; l < kLanes; ++l)
        if (!Arithmetic<A>::finite(lanes[l])) out->s[l] = sum_leaf_f64<F>(x, n, l);
}

// One leaf of the moments in f64, straight from the definition.
template <class A>
Moments moment_leaf_f64(const A* x, std::size_t n, int lane, bool skip_nans, unsigned* flags) {
    double value[32];
    int slot[32];
    int count = 0;
    double sum[4] = {0, 0, 0, 0};
    unsigned found = 0;
    for (std::size_t row = 0; row < kRows; ++row)
        for (int j = 0; j < 4; ++j) {
            const std::size_t i = row * kCols + 4 * static_cast<std::size_t>(lane) + static_cast<std::size_t>(j);
            if (i >= n) continue;
            const double v = static_cast<double>(x[i]);
            if (v != v) {
                if (skip_nans) continue;
                found |= kHasNan;
            } else if (__builtin_fabs(v) > DBL_MAX) {
                found |= kHasInfinity;
            }
            value[count] = v;
            slot[count++] = j;
            sum[j] += v;
        }
    if (found != 0) {  // the flags decide the results
        *flags |= found;
        return Moments{static_cast<double>(count), 0, 0};
    }
    if (count == 0) return Moments{0, 0, 0};
    const double c = count;
    const double m = ((sum[0] + sum[1]) + (sum[2] + sum[3])) / c;
    double dev[4] = {0, 0, 0, 0};
    double sqr[4] = {0, 0, 0, 0};
    for (int i = 0; i < count; ++i) {
        const double d = value[i] - m;
        dev[slot[i]] += d;
        sqr[slot[i]] += d * d;
    }
    const double dd = (dev[0] + dev[1]) + (dev[2] + dev[3]);
    const double q = (sqr[0] + sqr[1]) + (sqr[2] + sqr[3]);
    const double m2 = q - (dd * dd) / c;
    return Moments{c, c * m + dd, m2 < 0 ? 0 : m2};
}

// D and Q of each lane about `mean` (one per column). REQUIRES: x has `rows` full rows.
template <class A>
void deviations(const A* x, int rows, const A* mean, A* dev_lanes, A* sqr_lanes) {
    alignas(64) A dev[kCols];
    alignas(64) A sqr[kCols];
    if (rows == kRows) {
        for (int k = 0; k < kCols; ++k) {
            const A m = mean[k];
            const A d0 = x[k] - m, d1 = x[k + 128] - m, d2 = x[k + 256] - m, d3 = x[k + 384] - m;
            const A d4 = x[k + 512] - m, d5 = x[k + 640] - m, d6 = x[k + 768] - m, d7 = x[k + 896] - m;
            dev[k] = (((((((A(0) + d0) + d1) + d2) + d3) + d4) + d5) + d6) + d7;
            sqr[k] = ((((((d0 * d0 + d1 * d1) + d2 * d2) + d3 * d3) + d4 * d4) + d5 * d5) + d6 * d6) + d7 * d7;
        }
    } else {
        std::memset(dev, 0, sizeof dev);
        std::memset(sqr, 0, sizeof sqr);
        for (int row = 0; row < rows; ++row)
            for (int k = 0; k < kCols; ++k) {
                const A d = x[row * kCols + k] - mean[k];
                dev[k] = dev[k] + d;
                sqr[k] = sqr[k] + d * d;
            }
    }
    fold_quads(dev, dev_lanes);
    fold_quads(sqr, sqr_lanes);
}

// The lanes whose Q cannot be used: recomputed in f64, unless every element equals the mean (then that would give the same).
template <class A>
void mend_moments(const A* x, std::size_t n, const A* filled, int rows, const A* mean, const A* sqr, bool skip_nans,
                  MomentLanes* out, unsigned* flags) {
    unsigned char differs[kCols];
    std::memset(differs, 0, sizeof differs);
    for (int row = 0; row < rows; ++row)
        for (int k = 0; k < kCols; ++k) differs[k] |= static_cast<unsigned char>(filled[row * kCols + k] != mean[k]);
    for (int l = 0; l < kLanes; ++l) {
        if (Arithmetic<A>::usable(sqr[l])) continue;
        if ((differs[4 * l] | differs[4 * l + 1] | differs[4 * l + 2] | differs[4 * l + 3]) == 0) {
            out->s[l] = out->n[l] * static_cast<double>(mean[4 * l]);
            out->m2[l] = 0;
            continue;
        }
        const Moments leaf = moment_leaf_f64(x, n, l, skip_nans, flags);
        out->n[l] = leaf.n;
        out->s[l] = leaf.s;
        out->m2[l] = leaf.m2;
    }
}

// The moments of a tile that is full and has no element to skip. `sums` are its leaves in A.
template <class A>
void moments_full(const A* x, const A* sums, bool skip_nans, MomentLanes* out, unsigned* flags) {
    alignas(64) A mean[kCols];
    alignas(64) A dev[kLanes];
    alignas(64) A sqr[kLanes];
    for (int l = 0; l < kLanes; ++l) {
        const A m = sums[l] * A(0.03125);  // exact division by 32
        mean[4 * l] = mean[4 * l + 1] = mean[4 * l + 2] = mean[4 * l + 3] = m;
    }
    deviations(x, kRows, mean, dev, sqr);
    int bad = 0;
    for (int l = 0; l < kLanes; ++l) {
        const double d = static_cast<double>(dev[l]);
        const double m2 = static_cast<double>(sqr[l]) - (d * d) * 0.03125;
        out->n[l] = 32;
        out->s[l] = 32 * static_cast<double>(mean[4 * l]) + d;
        out->m2[l] = m2 < 0 ? 0 : m2;
        bad += !Arithmetic<A>::usable(sqr[l]);
    }
    out->uniform = true;
    if (bad != 0) mend_moments(x, kTileElements, x, kRows, mean, sqr, skip_nans, out, flags);
}

// The moments of any tile: elements that are missing or skipped are replaced by the mean of their lane, so that they deviate by 0.
template <class A>
void moments_partial(const A* x, std::size_t n, const A* sums, bool skip_nans, MomentLanes* out, unsigned* flags) {
    alignas(64) A filled[kTileElements];
    alignas(64) A mean[kCols];
    alignas(64) A dev[kLanes];
    alignas(64) A sqr[kLanes];
    alignas(64) int count[kCols];
    const int rows = static_cast<int>((n + kCols - 1) / kCols);
    std::memset(count, 0, sizeof count);
    for (std::size_t i = 0; i < n; ++i) count[i % kCols] += !(skip_nans && x[i] != x[i]);
    for (int l = 0; l < kLanes; ++l) {
        const int c = count[4 * l] + count[4 * l + 1] + count[4 * l + 2] + count[4 * l + 3];
        const A m = c == 0 ? A(0) : sums[l] / static_cast<A>(c);
        mean[4 * l] = mean[4 * l + 1] = mean[4 * l + 2] = mean[4 * l + 3] = m;
        out->n[l] = c;
    }
    for (int row = 0; row < rows; ++row)
        for (std::size_t k = 0; k < kCols; ++k) {
            const std::size_t i = static_cast<std::size_t>(row) * kCols + k;
            filled[i] = i < n && !(skip_nans && x[i] != x[i]) ? x[i] : mean[k];
        }
    deviations(filled, rows, mean, dev, sqr);
    int bad = 0;
    for (int l = 0; l < kLanes; ++l) {
        const double d = static_cast<double>(dev[l]);
        const double c = out->n[l];
        const double m2 = c == 0 ? 0 : static_cast<double>(sqr[l]) - (d * d) / c;
        out->s[l] = c * static_cast<double>(mean[4 * l]) + d;
        out->m2[l] = m2 < 0 ? 0 : m2;
        bad += !Arithmetic<A>::usable(sqr[l]);
    }
    out->uniform = false;
    if (bad != 0) mend_moments(x, n, filled, rows, mean, sqr, skip_nans, out, flags);
}

// b = a + b, lane by lane.
void merge(const SumLanes& a, SumLanes* b, int width) {
    for (int l = 0; l < width; ++l) b->s[l] = a.s[l] + b->s[l];
}

void merge(const MomentLanes& a, MomentLanes* b, int width) {
    if (a.uniform && b->uniform && a.n[0] == b->n[0]) {
        const double n = a.n[0] + b->n[0];
        const double scale = 1 / n;  // a power of two: multiplying is dividing
        for (int l = 0; l < width; ++l) {
            const double t = a.s[l] - b->s[l];
            b->m2[l] = (a.m2[l] + b->m2[l]) + (t * t) * scale;
            b->s[l] = a.s[l] + b->s[l];
            b->n[l] = n;
        }
        return;
    }
    b->uniform = false;
    for (int l = 0; l < width; ++l) {
        const Moments m = merge_moments(Moments{a.n[l], a.s[l], a.m2[l]}, Moments{b->n[l], b->s[l], b->m2[l]});
        b->n[l] = m.n;
        b->s[l] = m.s;
        b->m2[l] = m.m2;
    }
}

void shift_lanes(const SumLanes& from, int width, SumLanes* to) {
    for (int l = 0; l < width; ++l) to->s[l] = from.s[l + width];
}

void shift_lanes(const MomentLanes& from, int width, MomentLanes* to) {
    for (int l = 0; l < width; ++l) {
        to->n[l] = from.n[l + width];
        to->s[l] = from.s[l + width];
        to->m2[l] = from.m2[l + width];
    }
    to->uniform = from.uniform;
}

// The tree over the tiles of a chunk, one per lane: tile t merges like a carry in a binary counter.
template <class Lanes>
class TileTree {
  public:
    // Takes the leaves of the next tile; `leaf` is overwritten.
    void push(Lanes* leaf) {
        int level = 0;
        for (; (tiles_ >> level) & 1u; ++level) merge(nodes_[level], leaf, kLanes);
        nodes_[level] = *leaf;
        ++tiles_;
    }
    // Closes the tree, a missing right subtree skipped, and folds the lanes. REQUIRES: a tile was pushed.
    void finish(Lanes* root) {
        int level = 0;
        while (!((tiles_ >> level) & 1u)) ++level;
        *root = nodes_[level];
        for (++level; level < kLevels; ++level)
            if ((tiles_ >> level) & 1u) merge(nodes_[level], root, kLanes);
        Lanes upper;
        for (int width = kLanes / 2; width >= 1; width /= 2) {
            shift_lanes(*root, width, &upper);
            merge(upper, root, width);
        }
    }

  private:
    unsigned tiles_ = 0;
    Lanes nodes_[kLevels];
};

template <class A>
struct Extrema {
    alignas(64) A min[kCols];
    alignas(64) A max[kCols];

    void reset() {
        for (int k = 0; k < kCols; ++k) {
            min[k] = Arithmetic<A>::kInfinity;
            max[k] = -Arithmetic<A>::kInfinity;
        }
    }
    // A comparison with NaN is false, so NaN never enters.
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
    void finish(FloatPartial* out) {
        for (int width = kCols / 2; width >= 1; width /= 2)
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

template <class A>
class Chunk {
  public:
    Chunk(unsigned needs, FloatPartial* out) : needs_(needs), out_(out) {
        if (needs & kNeedExtrema) extrema_.reset();
    }

    void take_tile(const A* x, std::size_t n) {
        const bool skip = (needs_ & kSkipNans) != 0;
        std::uint64_t nans = 0;
        if (needs_ & (kNeedNans | kSkipNans | kNeedExtrema)) out_->nans += nans = count_nans(x, n);
        if (needs_ & kNeedExtrema) extrema_.take(x, n);
        if (needs_ & kNeedZeros) out_->zeros += count_zeros(x, n);
        if (!(needs_ & (kNeedSum | kNeedL1 | kNeedMoments))) return;
        if (skip && nans != 0) {
            alignas(64) A clean[kTileElements];
            for (std::size_t i = 0; i < n; ++i) clean[i] = x[i] == x[i] ? x[i] : A(0);
            add_sums(clean, n, x, true);
        } else {
            add_sums(x, n, x, n != kTileElements);
        }
    }

    void finish() {
        if (needs_ & kNeedExtrema) extrema_.finish(out_);
        if (needs_ & kNeedSum) out_->sum = fold(&sum_);
        if (needs_ & kNeedL1) out_->l1 = fold(&l1_);
        if (needs_ & kNeedMoments) {
            MomentLanes root;
            moments_.finish(&root);
            out_->moments = Moments{root.n[0], root.s[0], root.m2[0]};
        }
    }

  private:
    static double fold(TileTree<SumLanes>* tree) {
        SumLanes root;
        tree->finish(&root);
        return root.s[0];
    }

    // `clean`: the elements with 0 for what is skipped; `raw`: as they are.
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
        MomentLanes moments;
        const bool skip = (needs_ & kSkipNans) != 0;
        if (partial)
            moments_partial(raw, n, lanes, skip, &moments, &out_->flags);
        else
            moments_full(raw, lanes, skip, &moments, &out_->flags);
        moments_.push(&moments);
    }

    unsigned needs_;
    FloatPartial* out_;
    Extrema<A> extrema_;
    TileTree<SumLanes> sum_;
    TileTree<SumLanes> l1_;
    TileTree<MomentLanes> moments_;
};

template <class A>
const A* as_arithmetic(const A* x, std::size_t, A*) {
    return x;
}

// f16 widened exactly, subnormals by a multiplication with a power of two that cannot round.
const float* as_arithmetic(const std::uint16_t* x, std::size_t n, float* buffer) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t magnitude = static_cast<std::uint32_t>(x[i] & 0x7fffu) << 13;
        const std::uint32_t sign = static_cast<std::uint32_t>(x[i] & 0x8000u) << 16;
        float scaled;
        std::memcpy(&scaled, &magnitude, sizeof scaled);
        scaled *= 0x1p112f;
        std::uint32_t bits;
        std::memcpy(&bits, &scaled, sizeof bits);
        bits = (magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : bits) | sign;  // infinity and NaN
        std::memcpy(&buffer[i], &bits, sizeof bits);
    }
    return buffer;
}

template <class A, class Element>
void reduce_chunk(unsigned needs, const Element* x, std::size_t n, FloatPartial* out) {
    alignas(64) A buffer[kTileElements];
    out->flags = 0;
    out->nans = 0;
    out->zeros = 0;
    Chunk<A> chunk(needs, out);
    for (std::size_t begin = 0; begin < n; begin += kTileElements) {
        const std::size_t width = n - begin < kTileElements ? n - begin : kTileElements;
        chunk.take_tile(as_arithmetic(x + begin, width, buffer), width);
    }
    chunk.finish();
}

}  // namespace

void reduce_chunk_f16(unsigned needs, const void* data, std::size_t n, FloatPartial* out) {
    reduce_chunk<float>(needs, static_cast<const std::uint16_t*>(data), n, out);
}
void reduce_chunk_f32(unsigned needs, const void* data, std::size_t n, FloatPartial* out) {
    reduce_chunk<float>(needs, static_cast<const float*>(data), n, out);
}
void reduce_chunk_f64(unsigned needs, const void* data, std::size_t n, FloatPartial* out) {
    reduce_chunk<double>(needs, static_cast<const double*>(data), n, out);
}

}  // namespace tegu::kernels::TEGU_ISA
