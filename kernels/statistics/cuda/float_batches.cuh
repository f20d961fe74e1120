// SPDX-License-Identifier: Apache-2.0
// The kernel of float statistics for many short rows. A warp loads 32 rows, a leaf in each lane, and folds
// lanes and rows at once. Each lane then finishes one row.
#pragma once

#include "kernels/statistics/cuda/float_rows.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kBatchLoads = 4;  // leaves that a lane loads at once, of different rows
// Levels of waiting nodes: 32 leaves of a row are 8 times as many.
constexpr unsigned kBatchLevels = 3;
// Words of shared memory: of a waiting node, and of a warp.
template <unsigned Parts>
struct BatchWords {
    static constexpr unsigned kNode = Parts == 0 ? 1 : 7;
    static constexpr unsigned kWarp = kBatchLevels * kNode * kWarpLanes;
};

// A subtree of one row: its node, and its extremes with the first run that has them.
template <class A>
struct BatchNode {
    LaneNode node;
    A min, max;
    std::uint32_t min_in, max_in;
};

// Nodes in shared memory, without counts, each lane its own: word w at words[w * 32 + lane].
template <class A>
TEGU_DEVICE std::uint64_t word_of(A value) {
    std::uint64_t word = 0;
    memcpy(&word, &value, sizeof value);
    return word;
}
template <class A>
TEGU_DEVICE A value_in(std::uint64_t word) {
    A value;
    memcpy(&value, &word, sizeof value);
    return value;
}
template <unsigned Parts, class A>
TEGU_DEVICE void put_node(const BatchNode<A>& from, std::uint64_t* words) {
    std::uint64_t* const at = words + lane_index();
    at[0] = word_of(from.node.sum);
    if (Parts == 0) return;
    at[1 * kWarpLanes] = word_of(from.node.l1);
    at[2 * kWarpLanes] = word_of(from.node.s);
    at[3 * kWarpLanes] = word_of(from.node.q);
    at[4 * kWarpLanes] = word_of(from.min);
    at[5 * kWarpLanes] = word_of(from.max);
    at[6 * kWarpLanes] = std::uint64_t{from.max_in} << 32 | from.min_in;
}
template <unsigned Parts, class A>
TEGU_DEVICE BatchNode<A> get_node(const std::uint64_t* words) {
    const std::uint64_t* const at = words + lane_index();
    BatchNode<A> to{{value_in<double>(at[0]), 0, 0, 0, 0}, A(0), A(0), 0, 0};
    if (Parts == 0) return to;
    to.node.l1 = value_in<double>(at[1 * kWarpLanes]);
    to.node.s = value_in<double>(at[2 * kWarpLanes]);
    to.node.q = value_in<double>(at[3 * kWarpLanes]);
    to.min = value_in<A>(at[4 * kWarpLanes]);
    to.max = value_in<A>(at[5 * kWarpLanes]);
    to.min_in = static_cast<std::uint32_t>(at[6 * kWarpLanes]);
    to.max_in = static_cast<std::uint32_t>(at[6 * kWarpLanes] >> 32);
    return to;
}

template <class V>
TEGU_DEVICE V swap_lanes(V* kept, V lower, V upper, bool is_upper, unsigned mask) {
    *kept = is_upper ? upper : lower;
    return shuffle_xor(is_upper ? lower : upper, mask);
}

// Merges two rows at once: lanes without bit `mask` get the merged node of row `a`, the others that of row
// `b`. All nodes have the same number of elements, a power of two; scale: 1 over those of two nodes. Leaves:
// the nodes are leaves, so a lane knows the run of the other.
template <unsigned Parts, bool Leaves, class A>
TEGU_DEVICE BatchNode<A> fold_rows(const BatchNode<A>& a, const BatchNode<A>& b, unsigned mask,
                                   double scale) {
    const bool upper = (lane_index() & mask) != 0;
    BatchNode<A> own = a;
    LaneNode other = a.node;
    other.sum = swap_lanes(&own.node.sum, a.node.sum, b.node.sum, upper, mask);
    if (Parts & kPartL1) other.l1 = swap_lanes(&own.node.l1, a.node.l1, b.node.l1, upper, mask);
    if (Parts & kPartMoments) {
        other.s = swap_lanes(&own.node.s, a.node.s, b.node.s, upper, mask);
        other.q = swap_lanes(&own.node.q, a.node.q, b.node.q, upper, mask);
    }
    own.node = merge_equal<Parts>(own.node, other, scale);
    if (Parts & kPartOrder) {
        const std::uint32_t run = a.min_in ^ mask;  // of the other leaf
        const A min = swap_lanes(&own.min, a.min, b.min, upper, mask);
        const std::uint32_t min_in = Leaves ? run : swap_lanes(&own.min_in, a.min_in, b.min_in, upper, mask);
        if (min < own.min || (min == own.min && min_in < own.min_in)) {
            own.min = min;
            own.min_in = min_in;
        }
        const A max = swap_lanes(&own.max, a.max, b.max, upper, mask);
        const std::uint32_t max_in = Leaves ? run : swap_lanes(&own.max_in, a.max_in, b.max_in, upper, mask);
        if (max > own.max || (max == own.max && max_in < own.max_in)) {
            own.max = max;
            own.max_in = max_in;
        }
    }
    return own;
}

// The position of a lane in a batch: it loads run `run` of rows group, group + groups, ... and finishes row
// `row`.
struct BatchPosition {
    unsigned lanes;   // for each row: a power of two, 4..32
    unsigned groups;  // rows of one load
    unsigned group;
    unsigned run;
    unsigned load;  // the load that has the lane's own row
    unsigned row;   // of the batch

    TEGU_DEVICE explicit BatchPosition(unsigned row_lanes)
        : lanes(row_lanes),
          groups(kWarpLanes / row_lanes),
          group(lane_index() / row_lanes),
          run(lane_index() & (row_lanes - 1)) {
        // fold_rows() moves the row of a load to the lanes with these bits.
        load = ((run & lanes / 2) != 0 ? 2u : 0u) | ((run & lanes / 4) != 0 ? 1u : 0u);
        TEGU_UNROLL
        for (unsigned level = 0; level < kBatchLevels; ++level)
            if ((run & (lanes / 8 >> level)) != 0) load |= kBatchLoads << level;
        row = load * groups + group;
    }
};

// 32 rows of a warp. Rows beyond the end repeat the last one.
template <class T, unsigned Parts>
class RowBatch {
  public:
    using A = typename Arithmetic<T>::type;
    using Raw = T[kBatchLoads][kFloatRun];

    // waiting: BatchWords<Parts>::kWarp words of the warp.
    TEGU_DEVICE RowBatch(const BatchPosition& at, unsigned there, std::uint64_t step, std::uint64_t* waiting)
        : at_(at), there_(there), step_(step), waiting_(waiting) {}

    // Loads step `s` of the `rows` rows from `first` on.
    TEGU_DEVICE void load(const T* first, unsigned rows, unsigned s, Raw& x) const {
        const unsigned begin = s * kBatchLoads * at_.groups + at_.group;
        const T* const run = first + kFloatRun * at_.run;
        if (rows == kWarpLanes && warp_all(there_ == kFloatRun)) {
            const T* from = run + begin * step_;
            TEGU_UNROLL
            for (unsigned k = 0; k < kBatchLoads; ++k, from += at_.groups * step_)
                load_packs<T, kFloatRun>(from, x[k]);
            return;
        }
        TEGU_UNROLL
        for (unsigned k = 0; k < kBatchLoads; ++k) {
            const unsigned wanted = begin + k * at_.groups;
            const T* const from = run + (wanted < rows ? wanted : rows - 1) * step_;
            if (there_ == kFloatRun) {
                load_packs<T, kFloatRun>(from, x[k]);
                continue;
            }
            TEGU_UNROLL
            for (unsigned j = 0; j < kFloatRun; ++j) x[k][j] = j < there_ ? from[j] : T();
        }
    }

    // Takes step `s`. The last one completes `root()`.
    TEGU_DEVICE void take(unsigned s, const Raw& x) {
        double scale = 1.0 / (2 * kFloatRun);
        unsigned mask = at_.lanes / 2;
        if (Parts & kPartOrder) count_zeros(x, s * kBatchLoads);
        const BatchNode<A> even = fold_rows<Parts, true>(leaf(x[0]), leaf(x[2]), mask, scale);
        const BatchNode<A> odd = fold_rows<Parts, true>(leaf(x[1]), leaf(x[3]), mask, scale);
        mask /= 2;
        scale *= 0.5;
        node_ = fold_rows<Parts, false>(even, odd, mask, scale);
        // The nodes of the steps merge like the carries of a binary counter.
        std::uint64_t* waiting = waiting_;
        TEGU_NO_UNROLL
        for (unsigned carries = s; (carries & 1u) != 0; carries >>= 1) {
            mask /= 2;
            scale *= 0.5;
            node_ = fold_rows<Parts, false>(get_node<Parts, A>(waiting), node_, mask, scale);
            waiting += BatchWords<Parts>::kNode * kWarpLanes;
        }
        if (s + 1 < at_.lanes / kBatchLoads) put_node<Parts>(node_, waiting);
    }
    // Of the lane's own row.
    TEGU_DEVICE const BatchNode<A>& root() const { return node_; }
    TEGU_DEVICE std::uint32_t zeros() const { return zeros_; }
    // Returns whether all leaves were plain: finite, and with squares that f32 can hold.
    TEGU_DEVICE bool plain() const { return warp_all(plain_); }

  private:
    TEGU_DEVICE BatchNode<A> leaf(const T (&x)[kFloatRun]) {
        Leaf<A, 1> leaf;
        leaf.mask = leaf.kFull;
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) leaf.x[j] = widen(x[j]);
        BatchNode<A> out{{0, 0, 0, 0, 0}, A(0), A(0), at_.run, at_.run};
        const A sum = leaf.template sum<Identity>();
        const A l1 = (Parts & kPartL1) ? leaf.template sum<Magnitude>() : sum;
        plain_ = plain_ && finite(l1);  // then the sum is, too
        out.node.sum = static_cast<double>(sum);
        if (Parts & kPartL1) out.node.l1 = static_cast<double>(l1);
        if (Parts & kPartOrder) {
            out.min = leaf.template min<Identity>();
            out.max = leaf.max();
        }
        if (Parts & kPartMoments) {
            const A squares = center(&leaf, sum, &out.node);
            // The mean of four equal elements is exact: then nothing was lost.
            plain_ = plain_ && (sizeof(A) == 8 || usable(squares) || (squares == A(0) && out.min == out.max));
        }
        return out;
    }
    // Adds the zeros of the lane's own row, if it is among the loads from `load` on. All lanes of the warp
    // call it.
    TEGU_DEVICE void count_zeros(const Raw& x, unsigned load) {
        A least = static_cast<A>(kInfinity);
        TEGU_UNROLL
        for (unsigned i = 0; i < kBatchLoads * kFloatRun; ++i)
            least = smaller(least, magnitude(widen(x[i / kFloatRun][i % kFloatRun])));
        if (!warp_any(least == A(0))) return;
        const std::uint32_t group = (~std::uint32_t{0} >> (kWarpLanes - at_.lanes)) << at_.group * at_.lanes;
        TEGU_UNROLL
        for (unsigned k = 0; k < kBatchLoads; ++k) {
            std::uint32_t zeros = 0;
            TEGU_UNROLL
            for (unsigned j = 0; j < kFloatRun; ++j)
                zeros += count_bits(warp_ballot(widen(x[k][j]) == A(0)) & group);
            if (load + k == at_.load) zeros_ += zeros;
        }
    }

    const BatchPosition& at_;
    const unsigned there_;  // elements of the lane's run
    const std::uint64_t step_;
    bool plain_ = true;
    std::uint32_t zeros_ = 0;
    BatchNode<A> node_{};
    std::uint64_t* const waiting_;
};

// Finishes the lane's own row.
template <class T, unsigned Parts, class A>
TEGU_DEVICE void finish_batch_row(const ReduceTarget& target, std::uint64_t segment,
                                  const RowElements<T, kFloatRun>& elements, const BatchNode<A>& root,
                                  std::uint32_t zeros) {
    LaneFacts<A> facts;
    facts.min = root.min;
    facts.max = root.max;
    facts.min_in = root.min_in;
    facts.max_in = root.max_in;
    facts.zeros = zeros;
    FloatPartial partial = partial_of<Parts>(root.node, facts, false, 0, 0);
    if (Parts & kPartMoments) partial.sums.n = static_cast<double>(elements.n);
    if (Parts & kPartOrder) {
        if (target.column[kColumnArgmin] != nullptr)
            partial.order.min_at = first_in_run<EqualFloat<T>, T, kFloatRun>(
                elements, partial.order.min_at, bit_cast<std::uint64_t>(partial.order.min));
        if (target.column[kColumnArgmax] != nullptr)
            partial.order.max_at = first_in_run<EqualFloat<T>, T, kFloatRun>(
                elements, partial.order.max_at, bit_cast<std::uint64_t>(partial.order.max));
    }
    finish_float<T, Parts>(target, segment, partial);
}

// Blocks of kBatchThreads on a multiprocessor, which limit the registers.
template <class T>
struct BatchBlocks {
    static constexpr unsigned kBlocks = sizeof(T) == 8 ? 3 : kBlocksForRegisters == 1 ? 5 : 4;
};

// reduce_float_batches: statistics of many rows of up to 128 floats, 32 rows by each warp.
// in:    input [segments, n] T, 8 < n <= 128, runs are packs; beside sums, n is a power of two
// out:   target columns
// grid:  x strides over batches of 32 rows
// block: shape.threads (32..kBatchThreads)
// shared: batch_bytes<Parts>()                     result valid in: target, after the launch
// moves: reads n sizeof(T) B a row                 order: the canonical tree
// why:   one fold of lanes serves two rows, so a row costs one merge a leaf and no idle lane; a lane divides
//        and stores for one row. The next four loads are in flight. Batches with NaN, infinities or squares
//        that f32 cannot hold go row by row, as in reduce_float_rows
template <class T, unsigned Parts>
TEGU_KERNEL TEGU_BOUNDS2(kBatchThreads, BatchBlocks<T>::kBlocks)
    reduce_float_batches(Segments input, bool packs, ReduceTarget target, ReduceShape shape,
                         ReduceRange range) {
    using Batch = RowBatch<T, Parts>;
    TEGU_DYNAMIC_SHARED(memory);
    std::uint64_t* const waiting =
        reinterpret_cast<std::uint64_t*>(memory) + warp_index() * BatchWords<Parts>::kWarp;
    const BatchPosition at(shape.row_lanes);
    const unsigned begin = kFloatRun * at.run;
    const unsigned n = static_cast<unsigned>(input.n);
    const unsigned there = begin >= n ? 0 : n - begin < kFloatRun ? n - begin : kFloatRun;
    const unsigned steps = at.lanes / kBatchLoads;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_warps() * kWarpLanes;
    const T* const data = static_cast<const T*>(input.data) + range.first * input.step;
    const auto rows_from = [&](std::uint64_t row) {
        return range.count - row < kWarpLanes ? static_cast<unsigned>(range.count - row) : kWarpLanes;
    };
    typename Batch::Raw ahead;
    std::uint64_t row = (std::uint64_t{block_x()} * block_warps() + warp_index()) * kWarpLanes;
    if (row < range.count)
        Batch(at, there, input.step, waiting).load(data + row * input.step, rows_from(row), 0, ahead);
    TEGU_NO_UNROLL
    for (; row < range.count; row += stride) {
        const unsigned rows = rows_from(row);
        Batch batch(at, there, input.step, waiting);
        TEGU_NO_UNROLL
        for (unsigned s = 0; s < steps; ++s) {
            typename Batch::Raw x;
            memcpy(x, ahead, sizeof x);
            if (s + 1 < steps)
                batch.load(data + row * input.step, rows, s + 1, ahead);
            else if (row + stride < range.count)
                batch.load(data + (row + stride) * input.step, rows_from(row + stride), 0, ahead);
            batch.take(s, x);
        }
        if (!batch.plain()) {
            const RowLeaves leaves{at.lanes, 1};
            TEGU_NO_UNROLL
            for (unsigned first = 0; first < rows; first += at.groups) {
                const bool mine = first + at.group < rows;
                reduce_float_row<T, Parts>(input, packs, target,
                                           range.first + row + (mine ? first + at.group : 0), mine, leaves,
                                           nullptr);
            }
            continue;
        }
        if (at.row >= rows) continue;
        const std::uint64_t segment = range.first + row + at.row;
        finish_batch_row<T, Parts>(target, segment, RowElements<T, kFloatRun>(input, segment, packs),
                                   batch.root(), batch.zeros());
    }
}

template <unsigned Parts>
std::size_t batch_bytes(const ReduceShape& shape) {
    return std::size_t{shape.threads} / kWarpLanes * BatchWords<Parts>::kWarp * 8;
}

}  // namespace cuda
}  // namespace tegu
