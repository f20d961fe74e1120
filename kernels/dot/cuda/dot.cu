// SPDX-License-Identifier: Apache-2.0
// The launches of dot.
#include "kernels/dot/cuda/dot.h"

#include "kernels/dot/cuda/float.cuh"
#include "kernels/dot/cuda/integer.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch.cuh"

namespace tegu {
namespace cuda {
namespace {

using DotKernel = void (*)(DotInputs, bool, bool, DotWork, ReduceShape, ReduceRange);
constexpr const char* kMoves = "reads 2 n elements, writes 8 B a segment";
constexpr KernelTable<DotKernel, kIntegerTypes> kDotInteger = {
    "dot_integer", kMoves, {TEGU_BY_INTEGER(dot_integer)}};
constexpr KernelTable<DotKernel, kIntegerTypes> kDotIntegerRows = {
    "dot_integer_rows", kMoves, {TEGU_BY_INTEGER(dot_integer_rows)}};
// Rows: types; columns: dense segments, other segments.
#define TEGU_X(T, word) \
    variant(dot_float<T, true>, word, "dense"), variant(dot_float<T, false>, word, "loose")
constexpr KernelTable<DotKernel, 2 * kFloatTypes> kDotFloat = {"dot_float", kMoves, {TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X
constexpr KernelTable<DotKernel, kFloatTypes> kDotFloatRows = {
    "dot_float_rows", kMoves, {TEGU_BY_FLOAT(dot_float_rows)}};

// Adjacent elements of one lane.
unsigned run_of(ElementType type) {
    return is_float(type) ? kFloatRun : 16 / static_cast<unsigned>(element_bytes(type));
}

std::size_t limbs_bytes(const ReduceShape& shape) {
    return shape.threads / kWarpLanes * DotLimbsKind::kWords * 8;
}

}  // namespace

LaunchStatus launch_dot(const DotLaunch& dot, const ReduceRange& range, Stream stream) {
    const ElementType type = dot.type;
    const DotInputs& inputs = dot.inputs;
    const ReduceShape& shape = dot.shape;
    const std::uint64_t blocks =
        shape.row_lanes != 0 ? shape.blocks : ceil_divide(range.count * range.group_count, shape.teams());
    const auto packs = [&](const Segments& input) {
        return runs_are_packs(input, element_bytes(type), run_of(type), range.first + range.count);
    };
    const bool x_packs = packs(inputs.x), y_packs = packs(inputs.y);
    const auto run = [&](DotKernel kernel, std::size_t shared_bytes) {
        return launch_plain(kernel,
                            LaunchShape{static_cast<unsigned>(blocks), 1, shape.threads, shared_bytes},
                            stream, inputs, x_packs, y_packs, dot.work, shape, range);
    };
    if (!is_float(type)) {
        if (shape.row_lanes != 0) return run(kDotIntegerRows[element_index(type)], 0);
        const bool used = shape.team_warps > 1 || shape.groups > 1;
        return run(kDotInteger[element_index(type)], used ? limbs_bytes(shape) : 0);
    }
    const std::size_t shared = FloatKind<0>::shared_bytes(shape);
    if (shape.row_lanes != 0) return run(kDotFloatRows[float_index(type)], shared);
    const bool gaps = inputs.x.cols < inputs.x.n || inputs.y.cols < inputs.y.n;
    const bool dense = !gaps && x_packs && y_packs;
    return run(kDotFloat[2 * float_index(type) + (dense ? 0 : 1)], shared);
}

ReduceWorkload dot_workload(ElementType type, std::uint64_t segments, std::uint64_t n) {
    const unsigned run = run_of(type);
    return ReduceWorkload{segments,
                          n,
                          kTileRuns * kWarpLanes * run,
                          run,
                          is_float(type) ? kFloatMaxTiles : 16u,
                          is_float(type) ? 256u : 512u};
}

namespace {

// The shape for two long segments, or for many rows of 16 elements.
ReduceShape listed_shape(const KernelLister& to, ElementType type, bool rows) {
    const ReduceWorkload work = rows ? dot_workload(type, 1 << 20, 16) : dot_workload(type, 1, 1 << 27);
    return choose_reduce_shape(work, kDefaultReducePolicy, to.limits());
}

}  // namespace

void list_dot_kernels(KernelLister& to) {
    const auto shape_of = [&](unsigned element, bool rows) {
        return listed_shape(to, element_of_index(element), rows);
    };
    const auto float_block = [&](unsigned index, bool rows) {
        const ReduceShape shape = shape_of(kIntegerTypes + index, rows);
        return BlockSize{shape.threads, FloatKind<0>::shared_bytes(shape)};
    };
    to.add(kIntegerTypes,
           listed(kDotInteger,
                  [&](unsigned index) {
                      const ReduceShape shape = shape_of(index, false);
                      return BlockSize{shape.threads, limbs_bytes(shape)};
                  }),
           listed(kDotIntegerRows, [&](unsigned index) {
               return BlockSize{shape_of(index, true).threads, 0};
           }));
    to.add(kFloatTypes, listed(kDotFloat, [&](unsigned index) { return float_block(index / 2, false); }),
           listed(kDotFloatRows, [&](unsigned index) { return float_block(index, true); }));
}

}  // namespace cuda
}  // namespace tegu
