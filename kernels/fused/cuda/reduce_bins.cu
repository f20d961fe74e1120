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
constexpr std::uint32_t kTorn = (2u << kTileRuns) - 1;  // all runs of a tile, none of them counted

// The Beside of float.cuh: counts the elements of a tile.
template <class T>
class CountBeside {
  public:
    using A = typename Arithmetic<T>::type;
    using Raw = T[kTileRuns * kFloatRun];

    TEGU_DEVICE CountBeside(const BinLevelRule& rule, const BinLevelMemory& memory)
        : counter_(rule, memory) {}

    // Counts the elements of a full tile as they are guessed. Returns the runs for take_rest(), a bit each.
    TEGU_DEVICE std::uint32_t take(const Raw& x, std::uint32_t there) const {
        if (there != ~std::uint32_t{0}) return kTorn;
        Leaf<A, kTileRuns> leaf;  // its sum and extremes are those of the statistics: computed once
        leaf.mask = there;
        TEGU_UNROLL
        for (unsigned i = 0; i < leaf.kElements; ++i) leaf.x[i] = widen(x[i]);
        // A finite sum has no NaN.
        const bool inside = finite(leaf.template sum<Identity>()) &&
                            counter_.are_inside(leaf.template min<Identity>(), leaf.max());
        return counter_.template add<kFloatRun>(x, inside);
    }
    // Mends the runs with a guess that was not sure, read again; counts a tile that is not full. `begin`: the
    // first element of the lane in the tile.
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

  private:
    BinLevelCounter<T> counter_;
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
// shared: that of reduce_float, then columns of counters, dynamic
// result valid in: target and those of Finish, after the last launch
// moves: reads n sizeof(T) B                      order: the canonical tree; any for counts
// why:   two kernels would read the array twice. A lane holds a tile for the statistics; counting it adds
//        six to fourteen instructions an element and no registers: the rule lies in constant memory
template <class T, unsigned Parts>
TEGU_KERNEL TEGU_BOUNDS2(kThreads / kBlocksForRegisters, kBlocks* kBlocksForRegisters)
    reduce_bins(Segments input, ReduceTarget target, ReduceWork work, ReduceShape shape, ReduceRange range,
                CountTask count, ReduceBinsTask bins, BinLevelFinish finish) {
    TEGU_DYNAMIC_SHARED(memory);
    const BinLevelMemory held{reinterpret_cast<std::uint32_t*>(memory + bins.counters_at),
                              bins.rule.bins.bins, bins.columns};
    held.clear();
    block_barrier();
    reduce_group<T, Parts, DenseElements<T, kFloatRun>>(input, true, target, work, shape, range,
                                                        reinterpret_cast<std::uint64_t*>(memory),
                                                        CountBeside<T>(bins.rule, held));
    block_barrier();
    const BinLevelCounters counters(held);
    team_hand_over(count, 0, 0, counters.slots, CountTeam{thread_index(), block_threads(), false}, counters,
                   finish);
}

using ReduceBinsKernel = void (*)(Segments, ReduceTarget, ReduceWork, ReduceShape, ReduceRange, CountTask,
                                  ReduceBinsTask, BinLevelFinish);
constexpr KernelTable<ReduceBinsKernel, 4> kReduceBins = {
    "reduce_bins",
    "reads n elements, adds 8 B a counter and block",
    {variant(reduce_bins<Half, kPartMoments>, "f16", "moments"),
     variant(reduce_bins<Half, kAllFloatParts>, "f16", "all"),
     variant(reduce_bins<float, kPartMoments>, "f32", "moments"),
     variant(reduce_bins<float, kAllFloatParts>, "f32", "all")}};

std::size_t statistics_bytes(ReduceKind kind, const ReduceShape& shape) {
    const std::size_t bytes = kind == ReduceKind::Moments ? FloatKind<kPartMoments>::shared_bytes(shape)
                                                          : FloatKind<kAllFloatParts>::shared_bytes(shape);
    return (bytes + 15) / 16 * 16;
}
std::size_t counter_bytes(std::uint32_t bins, unsigned columns) {
    const std::uint64_t usual = std::uint64_t{bins} + kOutsideSlots + BinLevelMemory::kExtra;
    return (std::uint64_t{2} * bins + usual * columns + 3) / 4 * 16;
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
    const unsigned index = 2 * float_index(reduce.type) + (reduce.kind == ReduceKind::Moments ? 0 : 1);
    return launch(kReduceBins[index],
                  LaunchShape{blocks, 1, shape.threads,
                              statistics + counter_bytes(counts.rule.bins.bins, counts.columns)},
                  stream, reduce.input, reduce.target, reduce.work, shape, range, count, bins,
                  BinLevelFinish{counts.rule, counts.target});
}

void list_fused_reduce_bins_kernels(KernelLister& to) {
    to.add(1, listed(kReduceBins, [&](unsigned index) {
               const ReduceKind kind = index % 2 == 0 ? ReduceKind::Moments : ReduceKind::All;
               const ElementType type = index < 2 ? ElementType::F16 : ElementType::F32;
               const ReduceShape shape = choose_reduce_shape(
                   reduce_bins_workload(type, kind, 1 << 27, to.limits()), kDefaultReducePolicy, to.limits());
               const unsigned columns = columns_of(kind, shape, 256, to.limits());
               return BlockSize{shape.threads, statistics_bytes(kind, shape) + counter_bytes(256, columns)};
           }));
}

}  // namespace cuda
}  // namespace tegu
