// SPDX-License-Identifier: Apache-2.0
// The launches of reduce. Few kernels are compiled: four kinds of sets for each float type, three for each
// integer type, and for short rows the sum alone and everything.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch.cuh"
#include "kernels/statistics/cuda/float_rows.cuh"
#include "kernels/statistics/cuda/integer.cuh"

namespace tegu {
namespace cuda {
namespace {

struct ReduceLaunch {
    const ReduceInput& input;
    const ReduceTarget& target;
    const ReduceWork& work;
    const ReduceShape& shape;
    const ReduceRange& range;
    Stream stream;

    LaunchShape grid(std::size_t shared_bytes) const {
        const std::uint64_t blocks =
            shape.row_lanes != 0 ? shape.blocks : ceil_divide(range.count * range.group_count, shape.teams());
        return LaunchShape{static_cast<unsigned>(blocks), 1, shape.threads, shared_bytes};
    }
};

template <class T, unsigned Parts, bool Dense>
LaunchStatus launch_float_groups(const ReduceLaunch& with, bool packs) {
    return launch_plain(reduce_float<T, Parts, Dense>, with.grid(FloatKind<Parts>::shared_bytes(with.shape)),
                        with.stream, with.input, packs, with.target, with.work, with.shape, with.range);
}

template <class T, unsigned Parts>
LaunchStatus launch_float(const ReduceLaunch& with) {
    constexpr unsigned kLoose = Parts == 0 ? 0 : kAllFloatParts;
    const bool packs = runs_are_packs<T, kFloatRun>(with.input, with.range.first + with.range.count);
    if (with.shape.row_lanes != 0)
        return launch_plain(reduce_float_rows<T, kLoose>,
                            with.grid(FloatKind<kLoose>::shared_bytes(with.shape)), with.stream, with.input,
                            packs, with.target, with.shape, with.range);
    const bool dense = packs && with.input.cols >= with.input.n;
    return dense ? launch_float_groups<T, Parts, true>(with, packs)
                 : launch_float_groups<T, kLoose, false>(with, packs);
}

template <class T, unsigned Parts>
LaunchStatus launch_integer(const ReduceLaunch& with) {
    const bool packs =
        runs_are_packs<T, IntegerRun<T>::kElements>(with.input, with.range.first + with.range.count);
    if (with.shape.row_lanes != 0)
        return launch_plain(reduce_integer_rows<T>, with.grid(0), with.stream, with.input, packs, with.target,
                            with.work, with.shape, with.range);
    return launch_plain(reduce_integer<T, Parts>, with.grid(IntegerKind<Parts>::shared_bytes(with.shape)),
                        with.stream, with.input, packs, with.target, with.work, with.shape, with.range);
}

// The launch for each kind of set. Squares of integers alone would hardly be faster than everything.
template <class T>
struct Launches {
    static LaunchStatus run(ReduceKind kind, const ReduceLaunch& with) {
        switch (kind) {
            case ReduceKind::Sum: return launch_integer<T, 0>(with);
            case ReduceKind::Order: return launch_integer<T, kPartExtremes>(with);
            case ReduceKind::Moments:
            case ReduceKind::All: break;
        }
        return launch_integer<T, kAllIntegerParts>(with);
    }
};
template <class T>
struct FloatLaunches {
    static LaunchStatus run(ReduceKind kind, const ReduceLaunch& with) {
        switch (kind) {
            case ReduceKind::Sum: return launch_float<T, 0>(with);
            case ReduceKind::Order: return launch_float<T, kPartOrder>(with);
            case ReduceKind::Moments: return launch_float<T, kPartMoments>(with);
            case ReduceKind::All: break;
        }
        return launch_float<T, kAllFloatParts>(with);
    }
};
template <>
struct Launches<Half> : FloatLaunches<Half> {};
template <>
struct Launches<float> : FloatLaunches<float> {};
template <>
struct Launches<double> : FloatLaunches<double> {};

}  // namespace

LaunchStatus launch_reduce(ElementType type, ReduceKind kind, const ReduceInput& input,
                           const ReduceTarget& target, const ReduceWork& work, const ReduceShape& shape,
                           const ReduceRange& range, Stream stream) {
    const ReduceLaunch with{input, target, work, shape, range, stream};
    switch (type) {
#define TEGU_X(number, Name, word, element) \
    case ElementType::Name: return Launches<element>::run(kind, with);
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
    return 0;
}

ReduceWorkload reduce_workload(ElementType type, ReduceKind kind, std::uint64_t segments, std::uint64_t n) {
    const unsigned run = is_float(type) ? kFloatRun : 16 / static_cast<unsigned>(element_bytes(type));
    ReduceWorkload work{segments, n, kTileRuns * kWarpLanes * run, run, kFloatMostTiles, kFloatMostThreads};
    if (!is_float(type)) return work;
    if (element_bytes(type) == 8) {
        work.most_threads = FloatBlocks<double, 0, true>::kThreads;
        work.resident_threads = FloatBlocks<double, 0, true>::kBlocks * work.most_threads;
    } else if (kind != ReduceKind::Sum) {
        work.resident_threads = kFloatMostThreads;
        // two blocks of a multiprocessor: one reads while the other closes
        work.most_threads = kFloatMostThreads / 2;
    }
    return work;
}

namespace {

// Of one long segment, and of many rows of 16 elements.
ReduceShape listed_shape(const KernelLister& to, ElementType type, bool rows) {
    const ReduceWorkload work = rows ? reduce_workload(type, ReduceKind::All, 1 << 20, 16)
                                     : reduce_workload(type, ReduceKind::All, 1, 1 << 27);
    return choose_reduce_shape(work, kDefaultReducePolicy, to.limits());
}

constexpr const char* kReduceMoves = "reads n elements, writes up to 16 B a statistic and sequence";

template <class T, unsigned Parts, bool Dense>
void list_groups(KernelLister& to, const char* word, ElementType type, const char* set, const char* layout) {
    const ReduceShape shape = listed_shape(to, type, false);
    to.add("reduce_float", {word, set, layout}, reduce_float<T, Parts, Dense>, shape.threads,
           FloatKind<Parts>::shared_bytes(shape), kReduceMoves);
}

template <class T, unsigned Parts>
void list_rows(KernelLister& to, const char* word, ElementType type, const char* set) {
    const ReduceShape shape = listed_shape(to, type, true);
    to.add("reduce_float_rows", {word, set}, reduce_float_rows<T, Parts>, shape.threads,
           FloatKind<Parts>::shared_bytes(shape), kReduceMoves);
}

template <class T>
void list_float(KernelLister& to, const char* word, ElementType type) {
    list_groups<T, 0, true>(to, word, type, "sum", "dense");
    list_groups<T, kPartOrder, true>(to, word, type, "order", "dense");
    list_groups<T, kPartMoments, true>(to, word, type, "moments", "dense");
    list_groups<T, kAllFloatParts, true>(to, word, type, "all", "dense");
    list_groups<T, 0, false>(to, word, type, "sum", "loose");
    list_groups<T, kAllFloatParts, false>(to, word, type, "all", "loose");
    list_rows<T, 0>(to, word, type, "sum");
    list_rows<T, kAllFloatParts>(to, word, type, "all");
}

template <class T, unsigned Parts>
void list_totals(KernelLister& to, const char* word, ElementType type, const char* set) {
    const ReduceShape shape = listed_shape(to, type, false);
    to.add("reduce_integer", {word, set}, reduce_integer<T, Parts>, shape.threads,
           IntegerKind<Parts>::shared_bytes(shape), kReduceMoves);
}

template <class T>
void list_integer(KernelLister& to, const char* word, ElementType type) {
    list_totals<T, 0>(to, word, type, "sum");
    list_totals<T, kPartExtremes>(to, word, type, "order");
    list_totals<T, kAllIntegerParts>(to, word, type, "all");
    to.add("reduce_integer_rows", {word}, reduce_integer_rows<T>, listed_shape(to, type, true).threads, 0,
           kReduceMoves);
}

}  // namespace

void list_reduce_kernels(KernelLister& to) {
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
