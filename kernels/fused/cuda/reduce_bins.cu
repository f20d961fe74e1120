// SPDX-License-Identifier: Apache-2.0
// Statistics, bins and levels of long arrays of floats from one read. The lanes count the elements that they
// hold in registers for the statistics.
#include "kernels/execution/cuda/launch.cuh"
#include "kernels/fused/cuda/bin_levels.cuh"
#include "kernels/statistics/cuda/float.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kThreads = 256;  // of a block at most
constexpr unsigned kBlocks = 2;     // on a multiprocessor
constexpr unsigned kMaxColumns = 32;
constexpr std::uint32_t kListRuns = 256;  // of a block: four times as many as most data need
constexpr unsigned kPackBytes = 16;       // of the number of runs, so that these are aligned
constexpr std::size_t kListBytes = kPackBytes + kListRuns * kFloatRun * sizeof(float);  // and less for f16
constexpr std::uint32_t kTorn = (2u << kTileRuns) - 1;  // all runs of a tile, none of them counted

// Runs of elements that wait for the end of the block, in shared memory before `end`.
template <class T>
struct RunList {
    std::uint32_t* end;
    // The number of runs; those beyond kListRuns were refused.
    TEGU_DEVICE std::uint32_t* count() const { return end - kListBytes / sizeof *end; }
    TEGU_DEVICE T* elements() const { return reinterpret_cast<T*>(count() + kPackBytes / sizeof *end); }
    TEGU_DEVICE bool push(const T* run) const {
        const std::uint32_t at = atomic_add(count(), 1u);
        if (at >= kListRuns) return false;
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) elements()[at * kFloatRun + j] = run[j];
        return true;
    }
};

// The Beside of float.cuh: counts the elements of a tile. Exact: every guess is sure.
template <class T, bool Exact>
class CountBeside {
  public:
    using A = typename Arithmetic<T>::type;
    using Raw = T[kTileRuns * kFloatRun];

    TEGU_DEVICE CountBeside(const BinLevelRule& rule, const BinLevelMemory& memory, const RunList<T>& list)
        : counter_(rule, memory), list_(list) {}

    // Counts the elements of a full tile as they are guessed. Lists runs with a guess that was not sure.
    // Returns those for take_rest(), a bit each, where the list is full.
    TEGU_DEVICE std::uint32_t take(const Raw& x, std::uint32_t there) const {
        if (there != ~std::uint32_t{0}) return kTorn;
        Leaf<A, kTileRuns> leaf;  // its sum and extremes are those of the statistics: computed once
        leaf.mask = there;
        TEGU_UNROLL
        for (unsigned i = 0; i < leaf.kElements; ++i) leaf.x[i] = widen(x[i]);
        // A finite sum has no NaN.
        const bool inside = finite(leaf.template sum<Identity>()) &&
                            counter_.are_inside(leaf.template min<Identity>(), leaf.max());
        std::uint32_t left = counter_.template add<kFloatRun>(x, inside, Exact);
        if (left == 0) return 0;
        TEGU_UNROLL
        for (unsigned r = 0; r < kTileRuns; ++r)
            if (!Exact && ((left >> r) & 1u) != 0 && list_.push(x + r * kFloatRun)) left &= ~(1u << r);
        return left;
    }
    // Mends the runs that are not listed, read again; counts a tile that is not full. `begin`: the first
    // element of the lane in the tile.
    template <class From>
    TEGU_DEVICE void take_rest(std::uint32_t left, const From& elements, std::uint64_t begin) const {
        const bool counted = left != kTorn;
        TEGU_NO_UNROLL
        for (left &= kTorn >> 1; left != 0; left &= left - 1) {
            T run[kFloatRun];
            const unsigned there = elements.load(begin + trailing_zeros(left) * kFloatRow, run);
            TEGU_NO_UNROLL
            for (unsigned at = 0; at < there; ++at) {
                T x = run[0];  // chosen among registers: an index would need memory
                TEGU_UNROLL
                for (unsigned j = 1; j < kFloatRun; ++j) x = j == at ? run[j] : x;
                if (counted)
                    counter_.mend(x);
                else
                    counter_.add_one(x);
            }
        }
    }

    // Mends the listed runs. All threads of the block call it, at the end.
    TEGU_DEVICE void take_list() const {
        const std::uint32_t runs = *list_.count() < kListRuns ? *list_.count() : kListRuns;
        for (std::uint32_t i = thread_index(); i < runs * kFloatRun; i += block_threads())
            counter_.mend(list_.elements()[i]);
    }

  private:
    BinLevelCounter<T> counter_;
    RunList<T> list_;
};

struct ReduceBinsTask {
    BinLevelRule rule;
    unsigned columns;
    unsigned counters_at;  // in the shared memory of a block
};

// reduce_bins: statistics of a segment, and counts of its bins and levels.
// in:    input [n] T, without gaps; its runs are packs
// out:   target columns, work.partials as reduce_float; what Finish makes of the counts
// grid:  x = groups of the launch, one a block         block: shape.threads (32..kThreads)
// shared: that of reduce_float, then a list of runs and columns of counters, dynamic
// result valid in: target and those of Finish, after the last launch
// moves: reads n sizeof(T) B                      order: the canonical tree; any for counts
// why:   two kernels would read the array twice. A lane holds a tile for the statistics; counting it adds
//        six to fourteen instructions an element and no registers: the rule lies in constant memory
template <class T, unsigned Parts, bool Exact>
TEGU_KERNEL TEGU_BOUNDS2(kThreads / kBlocksForRegisters, kBlocks* kBlocksForRegisters)
    reduce_bins(Segments input, ReduceTarget target, ReduceWork work, ReduceShape shape, ReduceRange range,
                CountTask count, ReduceBinsTask bins, BinLevelFinish finish) {
    TEGU_DYNAMIC_SHARED(memory);
    const BinLevelMemory held{reinterpret_cast<std::uint32_t*>(memory + bins.counters_at + kListBytes),
                              bins.rule.bins.bins, bins.columns};
    const RunList<T> list{held.rare};
    if (block_x() == 0 && range.first_group == 0) finish.begin(0, thread_index(), block_threads());
    held.clear();
    if (thread_index() == 0) *list.count() = 0;
    block_barrier();
    const CountBeside<T, Exact> beside(bins.rule, held, list);
    reduce_group<T, Parts, DenseElements<T, kFloatRun>>(input, true, target, work, shape, range,
                                                        reinterpret_cast<std::uint64_t*>(memory), beside);
    block_barrier();
    if (!Exact) beside.take_list();
    block_barrier();
    const BinLevelCounters counters(held);
    team_hand_over(count, 0, 0, counters.slots, CountTeam{thread_index(), block_threads(), false}, counters,
                   finish);
}

using ReduceBinsKernel = void (*)(Segments, ReduceTarget, ReduceWork, ReduceShape, ReduceRange, CountTask,
                                  ReduceBinsTask, BinLevelFinish);
// Rows: types; columns: moments, all, then both with exact guesses.
#define TEGU_X(T, word, exact)                                                                  \
    variant(reduce_bins<T, kPartMoments, exact>, word, "moments", exact ? "exact" : "guessed"), \
        variant(reduce_bins<T, kAllFloatParts, exact>, word, "all", exact ? "exact" : "guessed")
constexpr KernelTable<ReduceBinsKernel, 8> kReduceBins = {
    "reduce_bins",
    "reads n elements, adds 8 B a counter and block",
    {TEGU_X(Half, "f16", false), TEGU_X(Half, "f16", true), TEGU_X(float, "f32", false),
     TEGU_X(float, "f32", true)}};
#undef TEGU_X

std::size_t statistics_bytes(ReduceKind kind, const ReduceShape& shape) {
    const std::size_t bytes = kind == ReduceKind::Moments ? float_group_bytes<kPartMoments>(shape)
                                                          : float_group_bytes<kAllFloatParts>(shape);
    return (bytes + 15) / 16 * 16;
}
std::size_t counter_bytes(std::uint32_t bins, unsigned columns) {
    const std::uint64_t usual = std::uint64_t{bins} + kOutsideSlots + BinLevelMemory::kExtra;
    return kListBytes + (std::uint64_t{2} * bins + usual * columns + 3) / 4 * 16;
}
// Shared memory of a block when kBlocks lie on a multiprocessor.
std::size_t block_bytes(const DeviceLimits& limits) {
    const std::size_t all =
        limits.shared_bytes_per_block > (64 << 10) ? limits.shared_bytes_per_block : 64 << 10;
    const std::size_t share = all / kBlocks - reserved_shared_bytes(limits.compute_capability);
    return share < limits.shared_bytes_per_block ? share : limits.shared_bytes_per_block;
}

unsigned columns_of(ReduceKind kind, const ReduceShape& shape, std::uint32_t bins,
                    const DeviceLimits& limits) {
    const std::size_t statistics = statistics_bytes(kind, shape), all = block_bytes(limits);
    // Clearing and adding up the counters must cost less than counting.
    const std::uint64_t counted = std::uint64_t{kFloatTile} * shape.tiles_per_warp;
    const std::uint64_t worth = counted * (shape.threads / kWarpLanes) / 4;
    unsigned columns = kMaxColumns;
    while (columns != 0 && (statistics + counter_bytes(bins, columns) > all ||
                            (columns > 1 && std::uint64_t{columns} * bins > worth)))
        columns /= 2;
    return columns;
}

}  // namespace

unsigned reduce_bins_columns(const ReduceLaunch& reduce, std::uint32_t bins, const DeviceLimits& limits) {
    const bool is_there = (reduce.type == ElementType::F16 || reduce.type == ElementType::F32) &&
                          (reduce.kind == ReduceKind::Moments || reduce.kind == ReduceKind::All);
    const bool dense = reduce.input.cols >= reduce.input.n &&
                       runs_are_packs(reduce.input, element_bytes(reduce.type), kFloatRun, 1);
    if (!is_there || !dense || reduce.input.count != 1) return 0;
    return columns_of(reduce.kind, reduce.shape, bins, limits);
}

ReduceWorkload reduce_bins_workload(ElementType type, ReduceKind kind, std::uint64_t n,
                                    const DeviceLimits& limits) {
    ReduceWorkload work = reduce_workload(type, kind, 1, n);
    const unsigned most = limits.max_threads(kThreads);
    work.max_threads = work.max_threads < most ? work.max_threads : most;
    work.max_threads_alone = 0;
    return work;
}

LaunchStatus launch_reduce_bins(const ReduceLaunch& reduce, const ReduceBins& counts,
                                const ReduceRange& range, Stream stream) {
    const ReduceShape& shape = reduce.shape;
    const std::size_t statistics = statistics_bytes(reduce.kind, shape);
    const auto blocks = static_cast<unsigned>(range.group_count);
    CountTask count{};
    count.shape.parts = blocks;
    count.shape.slices = 1;
    count.adds = true;
    count.last = range.first_group + range.group_count == shape.groups;
    count.totals = counts.totals;
    const ReduceBinsTask bins{counts.rule, counts.columns, static_cast<unsigned>(statistics)};
    const unsigned index = 4 * float_index(reduce.type) + (counts.rule.bins.guess.limit == 0 ? 2 : 0) +
                           (reduce.kind == ReduceKind::Moments ? 0 : 1);
    return launch(kReduceBins[index],
                  LaunchShape{blocks, 1, shape.threads,
                              statistics + counter_bytes(counts.rule.bins.bins, counts.columns)},
                  stream, reduce.input, reduce.target, reduce.work, shape, range, count, bins,
                  BinLevelFinish{counts.rule, counts.target});
}

void list_fused_reduce_bins_kernels(KernelLister& to) {
    to.add(1, listed(kReduceBins, [&](unsigned index) {
               const ReduceKind kind = index % 2 == 0 ? ReduceKind::Moments : ReduceKind::All;
               const ElementType type = index < 4 ? ElementType::F16 : ElementType::F32;
               const ReduceShape shape = choose_reduce_shape(
                   reduce_bins_workload(type, kind, 1 << 27, to.limits()), kDefaultReducePolicy, to.limits());
               const unsigned columns = columns_of(kind, shape, 256, to.limits());
               return BlockSize{shape.threads, statistics_bytes(kind, shape) + counter_bytes(256, columns)};
           }));
}

}  // namespace cuda
}  // namespace tegu
