// SPDX-License-Identifier: Apache-2.0
// The kernel of float statistics for many rows of 65 to 127 elements, whose leaves differ. A warp brings 32
// rows to shared memory; then each lane computes one row alone.
#pragma once

#include "kernels/statistics/cuda/float_rows.cuh"

namespace tegu {
namespace cuda {

// A row of n elements in shared memory: an odd number of accesses, so that the lanes of a warp,
// each in its own row, use different banks.
template <class T>
struct StagedRow {
    static constexpr unsigned kAccess = RunBytes<T, kFloatRun>::kAccess;
    static constexpr unsigned kAccesses = RunBytes<T, kFloatRun>::kAll / kAccess;  // of a run

    // Elements from row to row.
    TEGU_DEVICE static unsigned stride(unsigned n) {
        return (((n + kFloatRun - 1) / kFloatRun * kAccesses) | 1u) * (kAccess / sizeof(T));
    }
    static std::size_t bytes(std::uint64_t n) {
        return ((ceil_divide(n, kFloatRun) * kAccesses) | 1u) * kAccess;
    }
};

// Brings rows to shared memory, by one warp. `stride`: elements from row to row there.
template <class T>
class RowStage {
  public:
    TEGU_DEVICE RowStage(T* rows, unsigned stride, unsigned n, std::uint64_t step)
        : rows_(rows), stride_(stride), n_(n), step_(step) {}

    // 32 rows that are whole packs, `lanes` lanes each: a power of two, as many as a row has runs or more.
    TEGU_DEVICE void bring_packs(const T* from, unsigned lanes) const {
        const unsigned groups = kWarpLanes / lanes;
        const unsigned group = lane_index() / lanes;
        const unsigned at = kFloatRun * (lane_index() & (lanes - 1));
        const T* next = from + group * step_ + at;
        T* to = rows_ + group * stride_ + at;
        TEGU_NO_UNROLL
        for (unsigned first = 0; first < lanes; first += kAtOnce) {
            T x[kAtOnce][kFloatRun];
            TEGU_UNROLL
            for (unsigned k = 0; k < kAtOnce; ++k) {
                if (at < n_ && first + k < lanes) load_packs<T, kFloatRun>(next, x[k]);
                next += groups * step_;
            }
            warp_barrier();  // keeps all loads before the first store
            TEGU_UNROLL
            for (unsigned k = 0; k < kAtOnce; ++k) {
                if (at < n_ && first + k < lanes) store_packs(x[k], to);
                to += groups * stride_;
            }
        }
    }
    // Any rows.
    TEGU_DEVICE void bring(const T* from, unsigned count) const {
        constexpr unsigned kParts = kFloatRow / kWarpLanes;  // of a row
        constexpr unsigned kRows = kAtOnce;
        TEGU_NO_UNROLL
        for (unsigned first = 0; first < count; first += kRows) {
            T x[kRows][kParts];
            TEGU_UNROLL
            for (unsigned i = 0; i < kRows * kParts; ++i) {
                const unsigned row = first + i / kParts, at = i % kParts * kWarpLanes + lane_index();
                if (row < count && at < n_) x[i / kParts][i % kParts] = from[row * step_ + at];
            }
            warp_barrier();
            TEGU_UNROLL
            for (unsigned i = 0; i < kRows * kParts; ++i) {
                const unsigned row = first + i / kParts, at = i % kParts * kWarpLanes + lane_index();
                if (row < count && at < n_) rows_[row * stride_ + at] = x[i / kParts][i % kParts];
            }
        }
    }

  private:
    static constexpr unsigned kAtOnce = 8;  // loads in flight

    TEGU_DEVICE static void store_packs(const T (&x)[kFloatRun], T* to) {
        using Words = Pack<std::uint32_t, StagedRow<T>::kAccess / 4>;
        Words words[StagedRow<T>::kAccesses];
        memcpy(words, x, sizeof words);
        TEGU_UNROLL
        for (unsigned p = 0; p < StagedRow<T>::kAccesses; ++p) reinterpret_cast<Words*>(to)[p] = words[p];
    }

    T* const rows_;
    const unsigned stride_;
    const unsigned n_;
    const std::uint64_t step_;
};

// One row, computed by one lane. All lanes of a warp have rows of the same length, so they branch together.
template <class T, unsigned Parts>
class LaneRow {
  public:
    using A = typename Arithmetic<T>::type;

    // lanes: the smallest power of two of runs, 4 at least, that hold the row.
    TEGU_DEVICE LaneRow(const T* row, unsigned n, unsigned lanes) : row_(row), n_(n), lanes_(lanes) {}

    TEGU_DEVICE void take() {
        // The nodes of the steps merge like the carries of a binary counter. Its bits, in reverse, are the
        // run.
        const unsigned steps = lanes_ / 4;
        LaneNode waiting[kLevels];
        unsigned run = 0;
        TEGU_NO_UNROLL
        for (unsigned s = 0; s < steps; ++s) {
            node_ = kFloatRun * (run + 3 * lanes_ / 4 + 1) <= n_ ? whole_step(run) : ragged_step(run);
            bool carries = true;
            TEGU_UNROLL
            for (unsigned level = 0; level < kLevels; ++level) {
                if (!carries) continue;
                carries = ((s >> level) & 1u) != 0;
                if (carries)
                    node_ = merge<Parts>(waiting[level], node_);
                else
                    waiting[level] = node_;
            }
            run ^= steps - (steps >> (trailing_zeros(~s) + 1));
        }
    }
    TEGU_DEVICE const LaneNode& node() const { return node_; }
    TEGU_DEVICE const LaneFacts<A>& facts() const { return facts_; }
    // Returns whether all leaves were plain: finite, and with squares that f32 can hold.
    TEGU_DEVICE bool plain() const { return plain_; }

  private:
    static constexpr unsigned kLevels = 3;  // 32 leaves are 8 steps

    // The node of runs `run`, run + lanes / 2, run + lanes / 4 and run + 3 lanes / 4, which are whole.
    TEGU_DEVICE LaneNode whole_step(unsigned run) {
        constexpr unsigned kStep = 4;
        A x[kStep][kFloatRun];  // in the order of their runs
        A low[kStep], high[kStep];
        LaneNode nodes[kStep];
        A least = static_cast<A>(kInfinity);
        TEGU_UNROLL
        for (unsigned k = 0; k < kStep; ++k) {
            T raw[kFloatRun];
            load_packs<T, kFloatRun>(row_ + kFloatRun * (run + k * (lanes_ / 4)), raw);
            TEGU_UNROLL
            for (unsigned j = 0; j < kFloatRun; ++j) {
                x[k][j] = widen(raw[j]);
                least = smaller(least, magnitude(x[k][j]));
            }
            low[k] = smaller(smaller(x[k][0], x[k][1]), smaller(x[k][2], x[k][3]));
            high[k] = larger(larger(x[k][0], x[k][1]), larger(x[k][2], x[k][3]));
            nodes[k] = whole_leaf(x[k], low[k] == high[k]);
        }
        if (least == A(0)) {
            TEGU_UNROLL
            for (unsigned i = 0; i < kStep * kFloatRun; ++i)
                facts_.zeros += x[i / kFloatRun][i % kFloatRun] == A(0) ? 1u : 0u;
        }
        const A lowest = smaller(smaller(low[0], low[1]), smaller(low[2], low[3]));
        const A highest = larger(larger(high[0], high[1]), larger(high[2], high[3]));
        unsigned first_low = 0, first_high = 0;
        TEGU_UNROLL
        for (unsigned k = kStep; k-- > 0;) {
            first_low = low[k] == lowest ? k : first_low;
            first_high = high[k] == highest ? k : first_high;
        }
        note_low(lowest, run + first_low * (lanes_ / 4));
        note_high(highest, run + first_high * (lanes_ / 4));
        constexpr double kOver = 1.0 / (2 * kFloatRun);
        return merge_equal<Parts>(merge_equal<Parts>(nodes[0], nodes[2], kOver),
                                  merge_equal<Parts>(nodes[1], nodes[3], kOver), kOver / 2);
    }
    // all_equal: of the four elements.
    TEGU_DEVICE LaneNode whole_leaf(const A (&x)[kFloatRun], bool all_equal) {
        LaneNode node{0, 0, 0, 0, 0};
        const A sum = (x[0] + x[1]) + (x[2] + x[3]);
        const A l1 = (magnitude(x[0]) + magnitude(x[1])) + (magnitude(x[2]) + magnitude(x[3]));
        node.sum = static_cast<double>(sum);
        node.l1 = static_cast<double>(l1);
        const A mean = sum * A(0.25);
        A d[kFloatRun], squares[kFloatRun];
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) {
            d[j] = x[j] - mean;
            squares[j] = d[j] * d[j];
        }
        const A q = sum_of_four(squares);
        set_moments(static_cast<double>(mean), static_cast<double>(sum_of_four(d)), static_cast<double>(q),
                    kFloatRun, &node);
        // The mean of four equal elements is exact: then nothing was lost.
        const bool kept = sizeof(A) == 8 || usable(q) || (q == A(0) && all_equal);
        plain_ = plain_ & finite(l1) & kept;  // then the sum is finite, too
        return node;
    }
    TEGU_DEVICE void note_low(A low, std::uint32_t number) {
        const bool first = low < facts_.min || (low == facts_.min && number < facts_.min_in);
        facts_.min = first ? low : facts_.min;
        facts_.min_in = first ? number : facts_.min_in;
    }
    TEGU_DEVICE void note_high(A high, std::uint32_t number) {
        const bool first = high > facts_.max || (high == facts_.max && number < facts_.max_in);
        facts_.max = first ? high : facts_.max;
        facts_.max_in = first ? number : facts_.max_in;
    }

    // As whole_step(), where some elements do not exist.
    TEGU_DEVICE LaneNode ragged_step(unsigned run) {
        LaneNode step{0, 0, 0, 0, 0};
        TEGU_NO_UNROLL
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned first = run + half * (lanes_ / 4);
            step = merge<Parts>(step, merge<Parts>(leaf(first), leaf(first + lanes_ / 2)));
        }
        return step;
    }
    // The node of run `run`; none beyond the end.
    TEGU_DEVICE LaneNode leaf(unsigned run) {
        LaneNode node{0, 0, 0, 0, 0};
        const unsigned begin = kFloatRun * run;
        if (begin >= n_) return node;
        Leaf<A, 1> leaf;
        T x[kFloatRun];
        load_packs<T, kFloatRun>(row_ + begin, x);
        leaf.mask = leaf.kFull;
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) leaf.x[j] = widen(x[j]);
        if (n_ - begin < kFloatRun) {
            leaf.mask = (1u << (n_ - begin)) - 1u;
            leaf.fill(A(0));
        }
        const A sum = leaf.template sum<Identity>();
        const A l1 = (Parts & kPartL1) ? leaf.template sum<Magnitude>() : sum;
        plain_ = plain_ && finite(l1);  // then the sum is, too
        node.sum = static_cast<double>(sum);
        if (Parts & kPartL1) node.l1 = static_cast<double>(l1);
        if (!leaf.full()) leaf.fill(leaf.any_counted());
        const A low = leaf.template min<Identity>(), high = leaf.max();
        note_low(low, run);
        note_high(high, run);
        if (leaf.template min<Magnitude>() == A(0))
            facts_.zeros += count_bits(leaf.template which<IsZero>() & leaf.mask);
        const A squares = center(&leaf, sum, &node);
        // The mean of four equal elements is exact: then nothing was lost.
        plain_ = plain_ && (sizeof(A) == 8 || usable(squares) ||
                            (squares == A(0) && leaf.template which<IsZero>() == leaf.kFull));
        return node;
    }

    const T* const row_;
    const unsigned n_;
    const unsigned lanes_;
    LaneNode node_{0, 0, 0, 0, 0};
    LaneFacts<A> facts_;
    bool plain_ = true;
};

// Finishes a row from its node and facts; `row`: its elements in shared memory.
template <class T, unsigned Parts, class A>
TEGU_DEVICE void finish_lane_row(const ReduceTarget& target, std::uint64_t segment, const T* row, unsigned n,
                                 const LaneNode& node, const LaneFacts<A>& facts) {
    FloatPartial partial = partial_of<Parts>(node, facts, false, 0, 0);
    const Segments one{row, 1, n, n, n, n};
    const RowElements<T, kFloatRun> elements(one, 0, true);
    if (target.column[kColumnArgmin] != nullptr)
        partial.order.min_at = first_in_run<EqualFloat<T>, T, kFloatRun>(
            elements, partial.order.min_at, bit_cast<std::uint64_t>(partial.order.min));
    if (target.column[kColumnArgmax] != nullptr)
        partial.order.max_at = first_in_run<EqualFloat<T>, T, kFloatRun>(
            elements, partial.order.max_at, bit_cast<std::uint64_t>(partial.order.max));
    finish_float<T, Parts>(target, segment, partial);
}

// Blocks on a multiprocessor: as many rows of 128 elements as most shared memories hold.
template <class T>
struct StagedBlocks {
    static constexpr unsigned kBlocks = sizeof(T) == 8 ? 6 : 12;
};

// reduce_float_staged: statistics of many rows of 65 to 127 floats, 32 rows by each block of one warp.
// in:    input [segments, n] T, 64 < n < 128      out: target columns
// grid:  x strides over batches of 32 rows         block: 32
// shared: staged_bytes()                           result valid in: target, after the launch
// moves: reads n sizeof(T) B a row                 order: the canonical tree
// why:   all rows have the same counts, so lanes branch together, and only merges of unequal counts divide.
//        Batches with NaN, infinities or squares that f32 cannot hold go row by row, as in reduce_float_rows
template <class T, unsigned Parts>
TEGU_KERNEL TEGU_BOUNDS2(kWarpLanes, StagedBlocks<T>::kBlocks)
    reduce_float_staged(Segments input, bool packs, ReduceTarget target, ReduceShape shape,
                        ReduceRange range) {
    TEGU_DYNAMIC_SHARED(memory);
    T* const rows = reinterpret_cast<T*>(memory);
    const unsigned n = static_cast<unsigned>(input.n);
    const unsigned stride = StagedRow<T>::stride(n);
    const unsigned lanes = shape.row_lanes;
    const RowStage<T> stage(rows, stride, n, input.step);
    const T* const data = static_cast<const T*>(input.data) + range.first * input.step;
    TEGU_NO_UNROLL
    for (std::uint64_t first = std::uint64_t{block_x()} * kWarpLanes; first < range.count;
         first += std::uint64_t{grid_x()} * kWarpLanes) {
        const unsigned count =
            range.count - first < kWarpLanes ? static_cast<unsigned>(range.count - first) : kWarpLanes;
        if (packs && n % kFloatRun == 0 && count == kWarpLanes)
            stage.bring_packs(data + first * input.step, lanes);
        else
            stage.bring(data + first * input.step, count);
        warp_barrier();
        // Lanes beyond the end repeat the last row.
        const unsigned mine = lane_index() < count ? lane_index() : count - 1;
        LaneRow<T, Parts> row(rows + mine * stride, n, lanes);
        row.take();
        const std::uint64_t segment = range.first + first;
        if (warp_all(row.plain())) {
            if (lane_index() < count)
                finish_lane_row<T, Parts>(target, segment + mine, rows + mine * stride, n, row.node(),
                                          row.facts());
        } else {
            const RowLeaves leaves{lanes, 1};
            const unsigned groups = kWarpLanes / lanes;
            TEGU_NO_UNROLL
            for (unsigned at = 0; at < count; at += groups) {
                const unsigned wanted = at + lane_index() / lanes;
                reduce_float_row<T, Parts>(input, packs, target, segment + (wanted < count ? wanted : 0),
                                           wanted < count, leaves, nullptr);
            }
        }
        warp_barrier();  // the rows have been read
    }
}

template <class T>
std::size_t staged_bytes(std::uint64_t n) {
    return StagedRow<T>::bytes(n) * kWarpLanes;
}

}  // namespace cuda
}  // namespace tegu
