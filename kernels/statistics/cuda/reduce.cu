// SPDX-License-Identifier: Apache-2.0
// The launches of reduce. Few kernels are compiled: four sets for each float type, three for each integer
// type, and for short rows the sum only and all statistics.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch.cuh"
#include "kernels/statistics/cuda/float_rows.cuh"
#include "kernels/statistics/cuda/integer.cuh"

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
constexpr KernelTable<IntegerKernel, kIntegerTypes> kReduceIntegerRows = {
    "reduce_integer_rows", kMoves, {TEGU_BY_INTEGER(reduce_integer_rows)}};

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
constexpr KernelTable<decltype(&reduce_float_rows<float, 0>), 2 * kFloatTypes> kReduceFloatRows = {
    "reduce_float_rows", kMoves, {TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X

// Shared memory of the kernels in the columns of kReduceInteger and kReduceFloat.
std::size_t integer_shared_bytes(unsigned column, const ReduceShape& shape) {
    return column == 0   ? IntegerKind<0>::shared_bytes(shape)
           : column == 1 ? IntegerKind<kPartExtremes>::shared_bytes(shape)
                         : IntegerKind<kAllIntegerParts>::shared_bytes(shape);
}
std::size_t float_shared_bytes(unsigned column, const ReduceShape& shape) {
    switch (column) {
        case 0:
        case 4: return FloatKind<0>::shared_bytes(shape);
        case 1: return FloatKind<kPartOrder>::shared_bytes(shape);
        case 2: return FloatKind<kPartMoments>::shared_bytes(shape);
        default: return FloatKind<kAllFloatParts>::shared_bytes(shape);
    }
}

LaunchShape grid_of(const ReduceShape& shape, const ReduceRange& range, std::size_t shared_bytes) {
    const std::uint64_t blocks =
        shape.row_lanes != 0 ? shape.blocks : ceil_divide(range.count * range.group_count, shape.teams());
    return LaunchShape{static_cast<unsigned>(blocks), 1, shape.threads, shared_bytes};
}

LaunchStatus launch_floats(const ReduceLaunch& reduce, const ReduceRange& range, Stream stream) {
    const ReduceShape& shape = reduce.shape;
    const Segments& input = reduce.input;
    const unsigned row = float_index(reduce.type);
    const bool are_packs =
        runs_are_packs(input, element_bytes(reduce.type), kFloatRun, range.first + range.count);
    const bool sum = reduce.kind == ReduceKind::Sum;
    if (shape.row_lanes != 0)
        return launch_plain(kReduceFloatRows[2 * row + (sum ? 0 : 1)],
                            grid_of(shape, range, float_shared_bytes(sum ? 0 : 3, shape)), stream, input,
                            are_packs, reduce.target, shape, range);
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
    if (shape.row_lanes != 0)
        return launch_plain(kReduceIntegerRows[row], grid_of(shape, range, 0), stream, input, are_packs,
                            reduce.target, reduce.work, shape, range);
    const unsigned column = reduce.kind == ReduceKind::Sum ? 0 : reduce.kind == ReduceKind::Order ? 1 : 2;
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
    if (!is_float(type)) return work;
    if (element_bytes(type) == 8) {
        work.max_threads = FloatBlocks<double, 0, true>::kThreads;
        work.resident_threads = FloatBlocks<double, 0, true>::kBlocks * work.max_threads;
    } else if (kind != ReduceKind::Sum) {
        work.resident_threads = kFloatMaxThreads;
        // two blocks on a multiprocessor: one reads while the other closes
        work.max_threads = kFloatMaxThreads / 2;
    }
    return work;
}

namespace {

// The shape for one long segment, or for many rows of 16 elements.
ReduceShape listed_shape(const KernelLister& to, ElementType type, bool rows) {
    const ReduceWorkload work = rows ? reduce_workload(type, ReduceKind::All, 1 << 20, 16)
                                     : reduce_workload(type, ReduceKind::All, 1, 1 << 27);
    return choose_reduce_shape(work, kDefaultReducePolicy, to.limits());
}

}  // namespace

void list_statistics_reduce_kernels(KernelLister& to) {
    to.add(kIntegerTypes,
           listed(kReduceInteger,
                  [&](unsigned index) {
                      const ReduceShape shape = listed_shape(to, element_of_index(index / 3), false);
                      return BlockSize{shape.threads, integer_shared_bytes(index % 3, shape)};
                  }),
           listed(kReduceIntegerRows, [&](unsigned index) {
               return BlockSize{listed_shape(to, element_of_index(index), true).threads, 0};
           }));
    to.add(kFloatTypes,
           listed(kReduceFloat,
                  [&](unsigned index) {
                      const ReduceShape shape =
                          listed_shape(to, element_of_index(kIntegerTypes + index / 6), false);
                      return BlockSize{shape.threads, float_shared_bytes(index % 6, shape)};
                  }),
           listed(kReduceFloatRows, [&](unsigned index) {
               const ReduceShape shape = listed_shape(to, element_of_index(kIntegerTypes + index / 2), true);
               return BlockSize{shape.threads, float_shared_bytes(index % 2 == 0 ? 0 : 3, shape)};
           }));
}

}  // namespace cuda
}  // namespace tegu
