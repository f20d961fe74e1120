// SPDX-License-Identifier: Apache-2.0
// The launches of reduce. Few kernels are compiled: four sets for each float type, three for each integer
// type, and for rows the sum only and all statistics.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch.cuh"
#include "kernels/statistics/cuda/float_batches.cuh"
#include "kernels/statistics/cuda/float_staged.cuh"
#include "kernels/statistics/cuda/float_tiles.cuh"
#include "kernels/statistics/cuda/small_rows.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr const char* kMoves = "reads n elements, writes up to 16 B a statistic and segment";

using IntegerKernel = void (*)(Segments, bool, ReduceTarget, ReduceWork, ReduceShape, ReduceRange);
// Rows: types; columns: sum, order, all. Squares of integers without extremes would hardly be faster than
// all.
#define TEGU_X(T, word)                                                                                   \
    variant(reduce_integer<T, 0>, word, "sum"), variant(reduce_integer<T, kPartExtremes>, word, "order"), \
        variant(reduce_integer<T, kAllIntegerParts>, word, "all")
constexpr KernelTable<IntegerKernel, 3 * kIntegerTypes> kReduceInteger = {
    "reduce_integer", kMoves, {TEGU_INTEGERS(TEGU_X)}};
#undef TEGU_X
// Elements of 8 and 16 bits have kernels of their own, the first kSmallTypes.
constexpr unsigned kSmallTypes = 4;
constexpr KernelTable<IntegerKernel, kIntegerTypes - kSmallTypes> kReduceIntegerRows = {
    "reduce_integer_rows",
    kMoves,
    {variant(reduce_integer_rows<std::uint32_t>, "u32"), variant(reduce_integer_rows<std::int32_t>, "i32"),
     variant(reduce_integer_rows<std::uint64_t>, "u64"), variant(reduce_integer_rows<std::int64_t>, "i64")}};
using RowKernel = void (*)(Segments, bool, ReduceTarget, ReduceShape, ReduceRange);
#define TEGU_X(T, word)                            \
    variant(reduce_small_rows<T, 0>, word, "sum"), \
        variant(reduce_small_rows<T, kAllIntegerParts>, word, "all")
constexpr KernelTable<RowKernel, 2 * kSmallTypes> kReduceSmallRows = {
    "reduce_small_rows",
    kMoves,
    {TEGU_X(std::uint8_t, "u8"), TEGU_X(std::int8_t, "i8"), TEGU_X(std::uint16_t, "u16"),
     TEGU_X(std::int16_t, "i16")}};
#undef TEGU_X

// Rows: types; columns: sum, order, moments, all of dense segments; sum, all of others.
#define TEGU_X(T, word)                                                         \
    variant(reduce_float<T, 0, true>, word, "sum", "dense"),                    \
        variant(reduce_float<T, kPartOrder, true>, word, "order", "dense"),     \
        variant(reduce_float<T, kPartMoments, true>, word, "moments", "dense"), \
        variant(reduce_float<T, kAllFloatParts, true>, word, "all", "dense"),   \
        variant(reduce_float<T, 0, false>, word, "sum", "loose"),               \
        variant(reduce_float<T, kAllFloatParts, false>, word, "all", "loose")
constexpr KernelTable<IntegerKernel, 6 * kFloatTypes> kReduceFloat = {
    "reduce_float", kMoves, {TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X
#define TEGU_X(T, word) \
    variant(reduce_float_rows<T, 0>, word, "sum"), variant(reduce_float_rows<T, kAllFloatParts>, word, "all")
constexpr KernelTable<RowKernel, 2 * kFloatTypes> kReduceFloatRows = {
    "reduce_float_rows", kMoves, {TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X
#define TEGU_X(T, word)                               \
    variant(reduce_float_batches<T, 0>, word, "sum"), \
        variant(reduce_float_batches<T, kAllFloatParts>, word, "all")
constexpr KernelTable<RowKernel, 2 * kFloatTypes> kReduceFloatBatches = {
    "reduce_float_batches", kMoves, {TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X
#define TEGU_X(T, word) variant(reduce_float_staged<T, kAllFloatParts>, word, "all")
constexpr KernelTable<RowKernel, kFloatTypes> kReduceFloatStaged = {
    "reduce_float_staged", kMoves, {TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X
// f64 has none: the elements of two rows would need too many registers.
constexpr KernelTable<RowKernel, 4> kReduceFloatTiles = {
    "reduce_float_tiles",
    kMoves,
    {variant(reduce_float_tiles<Half, kAllFloatParts, true>, "f16", "all", "dense"),
     variant(reduce_float_tiles<Half, kAllFloatParts, false>, "f16", "all", "loose"),
     variant(reduce_float_tiles<float, kAllFloatParts, true>, "f32", "all", "dense"),
     variant(reduce_float_tiles<float, kAllFloatParts, false>, "f32", "all", "loose")}};

// Shared memory of the kernels in the columns of kReduceInteger and kReduceFloat.
std::size_t integer_shared_bytes(unsigned column, const ReduceShape& shape) {
    return column == 0   ? IntegerKind<0>::shared_bytes(shape)
           : column == 1 ? IntegerKind<kPartExtremes>::shared_bytes(shape)
                         : IntegerKind<kAllIntegerParts>::shared_bytes(shape);
}
std::size_t float_shared_bytes(unsigned column, const ReduceShape& shape) {
    switch (column) {
        case 0:
        case 4: return float_group_bytes<0>(shape);
        case 1: return float_group_bytes<kPartOrder>(shape);
        case 2: return float_group_bytes<kPartMoments>(shape);
        default: return float_group_bytes<kAllFloatParts>(shape);
    }
}
std::size_t row_shared_bytes(bool sum, const ReduceShape& shape) {
    return sum ? FloatKind<0>::shared_bytes(shape) : FloatKind<kAllFloatParts>::shared_bytes(shape);
}

std::size_t batch_shared_bytes(bool sum, const ReduceShape& shape) {
    return sum ? batch_bytes<0>(shape) : batch_bytes<kAllFloatParts>(shape);
}

std::size_t staged_shared_bytes(ElementType type, std::uint64_t n) {
    return type == ElementType::F64   ? staged_bytes<double>(n)
           : type == ElementType::F32 ? staged_bytes<float>(n)
                                      : staged_bytes<Half>(n);
}

constexpr std::uint64_t kMinStaged = 64;  // elements: up to here a walk along the row is as fast or faster
// Returns whether a lane computes a short row alone. Where counts are equal, lanes merge faster together.
bool is_staged(ReduceKind kind, std::uint64_t n) {
    return kind != ReduceKind::Sum && n > kMinStaged && n <= kFloatRow && (n & (n - 1)) != 0;
}

LaunchShape grid_of(const ReduceShape& shape, const ReduceRange& range, std::size_t shared_bytes) {
    std::uint64_t blocks =
        shape.row_lanes != 0 ? shape.blocks : ceil_divide(range.count * range.group_count, shape.teams());
    if (shape.batch_rows != 0) {
        const std::uint64_t rows = std::uint64_t{shape.threads} / kWarpLanes * shape.batch_rows;
        blocks = blocks < ceil_divide(range.count, rows) ? blocks : ceil_divide(range.count, rows);
    }
    return LaunchShape{static_cast<unsigned>(blocks), 1, shape.threads, shared_bytes};
}

LaunchStatus launch_batches(const ReduceLaunch& reduce, bool packs, const ReduceRange& range, Stream stream) {
    const ReduceShape& shape = reduce.shape;
    const std::uint64_t n = reduce.input.n;
    const unsigned row = float_index(reduce.type);
    if (n > kFloatRow)
        return launch_plain(kReduceFloatTiles[2 * row + (packs ? 0 : 1)],
                            grid_of(shape, range, tile_rows_bytes(shape)), stream, reduce.input, packs,
                            reduce.target, shape, range);
    if (is_staged(reduce.kind, n))
        return launch_plain(kReduceFloatStaged[row],
                            grid_of(shape, range, staged_shared_bytes(reduce.type, n)), stream, reduce.input,
                            packs, reduce.target, shape, range);
    const bool sum = reduce.kind == ReduceKind::Sum;
    if (packs)
        return launch_plain(kReduceFloatBatches[2 * row + (sum ? 0 : 1)],
                            grid_of(shape, range, batch_shared_bytes(sum, shape)), stream, reduce.input,
                            packs, reduce.target, shape, range);
    // Single loads of a leaf by each lane would take longer than a walk along the row.
    ReduceShape walk = shape;
    walk.row_lanes = shape.row_lanes > kMaxLaneRuns ? shape.row_lanes / kMaxLaneRuns : 1;
    walk.tiles_per_warp = shape.row_lanes / walk.row_lanes;
    walk.batch_rows = 0;
    walk.blocks = shape.walk_blocks;
    return launch_plain(kReduceFloatRows[2 * row + (sum ? 0 : 1)],
                        grid_of(walk, range, row_shared_bytes(sum, walk)), stream, reduce.input, packs,
                        reduce.target, walk, range);
}

LaunchStatus launch_floats(const ReduceLaunch& reduce, const ReduceRange& range, Stream stream) {
    const ReduceShape& shape = reduce.shape;
    const Segments& input = reduce.input;
    const unsigned row = float_index(reduce.type);
    const bool are_packs =
        runs_are_packs(input, element_bytes(reduce.type), kFloatRun, range.first + range.count);
    const bool sum = reduce.kind == ReduceKind::Sum;
    if (shape.batch_rows != 0) return launch_batches(reduce, are_packs, range, stream);
    if (shape.row_lanes != 0)
        return launch_plain(kReduceFloatRows[2 * row + (sum ? 0 : 1)],
                            grid_of(shape, range, row_shared_bytes(sum, shape)), stream, input, are_packs,
                            reduce.target, shape, range);
    const bool dense = are_packs && input.cols >= input.n;
    const unsigned column = !dense                               ? (sum ? 4 : 5)
                            : sum                                ? 0
                            : reduce.kind == ReduceKind::Order   ? 1
                            : reduce.kind == ReduceKind::Moments ? 2
                                                                 : 3;
    return launch_plain(kReduceFloat[6 * row + column],
                        grid_of(shape, range, float_shared_bytes(column, shape)), stream, input, are_packs,
                        reduce.target, reduce.work, shape, range);
}

LaunchStatus launch_integers(const ReduceLaunch& reduce, const ReduceRange& range, Stream stream) {
    const ReduceShape& shape = reduce.shape;
    const Segments& input = reduce.input;
    const unsigned row = element_index(reduce.type);
    const std::size_t bytes = element_bytes(reduce.type);
    const bool are_packs =
        runs_are_packs(input, bytes, 16 / static_cast<unsigned>(bytes), range.first + range.count);
    const bool sum = reduce.kind == ReduceKind::Sum;
    if (shape.row_lanes != 0 && row < kSmallTypes)
        return launch_plain(kReduceSmallRows[2 * row + (sum ? 0 : 1)], grid_of(shape, range, 0), stream,
                            input, are_packs, reduce.target, shape, range);
    if (shape.row_lanes != 0)
        return launch_plain(kReduceIntegerRows[row - kSmallTypes], grid_of(shape, range, 0), stream, input,
                            are_packs, reduce.target, reduce.work, shape, range);
    const unsigned column = sum ? 0 : reduce.kind == ReduceKind::Order ? 1 : 2;
    return launch_plain(kReduceInteger[3 * row + column],
                        grid_of(shape, range, integer_shared_bytes(column, shape)), stream, input, are_packs,
                        reduce.target, reduce.work, shape, range);
}

}  // namespace

LaunchStatus launch_reduce(const ReduceLaunch& reduce, const ReduceRange& range, Stream stream) {
    return is_float(reduce.type) ? launch_floats(reduce, range, stream)
                                 : launch_integers(reduce, range, stream);
}

ReduceWorkload reduce_workload(ElementType type, ReduceKind kind, std::uint64_t segments, std::uint64_t n) {
    const unsigned run = is_float(type) ? kFloatRun : 16 / static_cast<unsigned>(element_bytes(type));
    ReduceWorkload work{segments, n, kTileRuns * kWarpLanes * run, run, kFloatMaxTiles, kFloatMaxThreads};
    work.any_groups = !is_float(type);
    if (!is_float(type)) return work;
    // Half of the threads merge extremes. Loose segments have kernels with extremes also for moments.
    if (kind != ReduceKind::Sum) work.partials_per_thread = 1;
    work.staged_runs = is_staged(kind, n);
    work.batches_runs = kind == ReduceKind::Sum || (n & (n - 1)) == 0;
    work.batches_tiles = kind != ReduceKind::Sum && element_bytes(type) < 8;
    if (element_bytes(type) == 8) {
        work.max_threads = FloatBlocks<double, 0, true>::kThreads;
        work.resident_threads = FloatBlocks<double, 0, true>::kBlocks * work.max_threads;
    } else if (kind != ReduceKind::Sum) {
        work.resident_threads = kFloatMaxThreads;
        // two blocks on a multiprocessor: one reads while the other closes
        work.max_threads = kFloatMaxThreads / 2;
        work.max_threads_alone = kFloatMaxThreads;
        if (segments > 1 && n <= kFloatRow) work.resident_threads = 5 * kBatchThreads;
    }
    return work;
}

namespace {

// The shape for `segments` segments of n elements.
ReduceShape listed_shape(const KernelLister& to, ElementType type, std::uint64_t segments, std::uint64_t n) {
    return choose_reduce_shape(reduce_workload(type, ReduceKind::All, segments, n), kDefaultReducePolicy,
                               to.limits());
}
ReduceShape listed_long(const KernelLister& to, ElementType type) {
    return listed_shape(to, type, 1, 1 << 27);
}
ReduceShape listed_rows(const KernelLister& to, ElementType type, std::uint64_t n) {
    return listed_shape(to, type, 1 << 20, n);
}

}  // namespace

void list_statistics_reduce_kernels(KernelLister& to) {
    to.add(kIntegerTypes, listed(kReduceInteger, [&](unsigned index) {
               const ReduceShape shape = listed_long(to, element_of_index(index / 3));
               return BlockSize{shape.threads, integer_shared_bytes(index % 3, shape)};
           }));
    to.add(kSmallTypes,
           listed(kReduceIntegerRows,
                  [&](unsigned index) {
                      const ElementType type = element_of_index(kSmallTypes + index);
                      return BlockSize{listed_rows(to, type, 16).threads, 0};
                  }),
           listed(kReduceSmallRows, [&](unsigned index) {
               return BlockSize{listed_rows(to, element_of_index(index / 2), 16).threads, 0};
           }));
    const auto float_of = [](unsigned index) { return element_of_index(kIntegerTypes + index); };
    to.add(kFloatTypes,
           listed(kReduceFloat,
                  [&](unsigned index) {
                      const ReduceShape shape = listed_long(to, float_of(index / 6));
                      return BlockSize{shape.threads, float_shared_bytes(index % 6, shape)};
                  }),
           listed(kReduceFloatRows,
                  [&](unsigned index) {
                      const ReduceShape shape = listed_rows(to, float_of(index / 2), 8);
                      return BlockSize{shape.threads, row_shared_bytes(index % 2 == 0, shape)};
                  }),
           listed(kReduceFloatBatches,
                  [&](unsigned index) {
                      const ReduceShape shape = listed_rows(to, float_of(index / 2), 16);
                      return BlockSize{shape.threads, batch_shared_bytes(index % 2 == 0, shape)};
                  }),
           listed(kReduceFloatStaged, [&](unsigned index) {
               return BlockSize{kWarpLanes, staged_shared_bytes(float_of(index), kFloatRow)};
           }));
    to.add(1, listed(kReduceFloatTiles, [&](unsigned index) {
               const ReduceShape shape = listed_rows(to, float_of(index / 2), 1024);
               return BlockSize{shape.threads, tile_rows_bytes(shape)};
           }));
}

}  // namespace cuda
}  // namespace tegu
