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

struct DotLaunch {
    const DotInputs& inputs;
    const DotWork& work;
    const ReduceShape& shape;
    const ReduceRange& range;
    Stream stream;

    using Kernel = void (*)(DotInputs, bool, bool, DotWork, ReduceShape, ReduceRange);
    template <class T, unsigned Run>
    bool packs(const ReduceInput& input) const {
        return runs_are_packs<T, Run>(input, range.first + range.count);
    }
    template <class T, unsigned Run>
    LaunchStatus run(Kernel kernel, std::size_t shared_bytes) const {
        const std::uint64_t blocks =
            shape.row_lanes != 0 ? shape.blocks : ceil_divide(range.count * range.group_count, shape.teams());
        return launch_plain(
            kernel, LaunchShape{static_cast<unsigned>(blocks), 1, shape.threads, shared_bytes}, stream,
            inputs, packs<T, Run>(inputs.x), packs<T, Run>(inputs.y), work, shape, range);
    }
};

template <class T>
struct DotLaunches {
    static LaunchStatus run(const DotLaunch& with) {
        constexpr unsigned kRun = IntegerRun<T>::kElements;
        if (with.shape.row_lanes != 0) return with.run<T, kRun>(dot_integer_rows<T>, 0);
        const bool used = with.shape.team_warps > 1 || with.shape.groups > 1;
        return with.run<T, kRun>(dot_integer<T>,
                                 used ? with.shape.threads / kWarpLanes * DotLimbsKind::kWords * 8 : 0);
    }
};
template <class T>
struct FloatDotLaunches {
    static LaunchStatus run(const DotLaunch& with) {
        const std::size_t shared = FloatKind<0>::shared_bytes(with.shape);
        if (with.shape.row_lanes != 0) return with.run<T, kFloatRun>(dot_float_rows<T>, shared);
        const ReduceInput& x = with.inputs.x;
        const ReduceInput& y = with.inputs.y;
        const bool gaps = x.cols < x.n || y.cols < y.n;
        const bool dense = !gaps && with.packs<T, kFloatRun>(x) && with.packs<T, kFloatRun>(y);
        return dense ? with.run<T, kFloatRun>(dot_float<T, true>, shared)
                     : with.run<T, kFloatRun>(dot_float<T, false>, shared);
    }
};
template <>
struct DotLaunches<Half> : FloatDotLaunches<Half> {};
template <>
struct DotLaunches<float> : FloatDotLaunches<float> {};
template <>
struct DotLaunches<double> : FloatDotLaunches<double> {};

}  // namespace

LaunchStatus launch_dot(ElementType type, const DotInputs& inputs, const DotWork& work,
                        const ReduceShape& shape, const ReduceRange& range, Stream stream) {
    const DotLaunch with{inputs, work, shape, range, stream};
    switch (type) {
#define TEGU_X(number, Name, word, element) \
    case ElementType::Name: return DotLaunches<element>::run(with);
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
    return 0;
}

ReduceWorkload dot_workload(ElementType type, std::uint64_t segments, std::uint64_t n) {
    const unsigned run = is_float(type) ? kFloatRun : 16 / static_cast<unsigned>(element_bytes(type));
    return ReduceWorkload{segments,
                          n,
                          kTileRuns * kWarpLanes * run,
                          run,
                          is_float(type) ? kFloatMostTiles : 16u,
                          is_float(type) ? 256u : 512u};
}

namespace {

// Of two long segments, and of many rows of 16 elements.
ReduceShape listed_shape(const KernelLister& to, ElementType type, bool rows) {
    const ReduceWorkload work = rows ? dot_workload(type, 1 << 20, 16) : dot_workload(type, 1, 1 << 27);
    return choose_reduce_shape(work, kDefaultReducePolicy, to.limits());
}

constexpr const char* kDotMoves = "reads 2 n elements, writes 8 B a sequence";

template <class T>
void list_integer(KernelLister& to, const char* word, ElementType type) {
    const ReduceShape shape = listed_shape(to, type, false);
    to.add("dot_integer", {word}, dot_integer<T>, shape.threads,
           shape.threads / kWarpLanes * DotLimbsKind::kWords * 8, kDotMoves);
    to.add("dot_integer_rows", {word}, dot_integer_rows<T>, listed_shape(to, type, true).threads, 0,
           kDotMoves);
}

template <class T>
void list_float(KernelLister& to, const char* word, ElementType type) {
    const ReduceShape shape = listed_shape(to, type, false), rows = listed_shape(to, type, true);
    to.add("dot_float", {word, "dense"}, dot_float<T, true>, shape.threads, FloatKind<0>::shared_bytes(shape),
           kDotMoves);
    to.add("dot_float", {word, "loose"}, dot_float<T, false>, shape.threads,
           FloatKind<0>::shared_bytes(shape), kDotMoves);
    to.add("dot_float_rows", {word}, dot_float_rows<T>, rows.threads, FloatKind<0>::shared_bytes(rows),
           kDotMoves);
}

}  // namespace

void list_dot_kernels(KernelLister& to) {
    list_integer<std::uint8_t>(to, "u8", ElementType::U8);
    list_integer<std::int8_t>(to, "i8", ElementType::I8);
    list_integer<std::uint16_t>(to, "u16", ElementType::U16);
    list_integer<std::int16_t>(to, "i16", ElementType::I16);
    list_integer<std::uint32_t>(to, "u32", ElementType::U32);
    list_integer<std::int32_t>(to, "i32", ElementType::I32);
    list_integer<std::uint64_t>(to, "u64", ElementType::U64);
    list_integer<std::int64_t>(to, "i64", ElementType::I64);
    list_float<Half>(to, "f16", ElementType::F16);
    list_float<float>(to, "f32", ElementType::F32);
    list_float<double>(to, "f64", ElementType::F64);
}

}  // namespace cuda
}  // namespace tegu
