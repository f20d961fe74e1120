// SPDX-License-Identifier: Apache-2.0
// From the partial result of a sequence of floats to its statistics, on the device: what kernels/cpu/reduce_finish.cpp does, to the bit. One thread.
#pragma once

#include "kernels/cuda/reduce_float_tree.cuh"

namespace tegu {
namespace cuda {

// Every NaN is the canonical one, and zero is +0.
TEGU_DEVICE double canonical(double value) {
    return value == value ? value + 0.0 : bit_cast<double>(kDoubleNan);
}

template <class V>
TEGU_DEVICE void put(const ReduceTarget& target, unsigned column, std::uint64_t index, V value) {
    if (target.column[column] != nullptr) static_cast<V*>(target.column[column])[index] = value;
}

// An element that is given by its exact value in f64.
template <class T>
struct ElementOf {
    TEGU_DEVICE static T from(double value) { return Narrow<T>::of(static_cast<float>(canonical(value))); }
};
template <>
struct ElementOf<double> {
    TEGU_DEVICE static double from(double value) { return canonical(value); }
};

template <class T>
TEGU_DEVICE void put_extremes(const ReduceTarget& target, std::uint64_t sequence, const FloatPartial& partial,
                              std::uint64_t counted) {
    const bool poisoned = !target.skip_nans && partial.nans != 0;
    const double nan = bit_cast<double>(kDoubleNan);
    const bool valid = counted != 0 && !poisoned;
    const double min = valid ? partial.min : nan;
    const double max = valid ? partial.max : nan;
    put(target, kColumnMin, sequence, ElementOf<T>::from(min));
    put(target, kColumnMax, sequence, ElementOf<T>::from(max));
    put(target, kColumnMinmax, 2 * sequence, ElementOf<T>::from(min));
    put(target, kColumnMinmax, 2 * sequence + 1, ElementOf<T>::from(max));
    put(target, kColumnAbsmax, sequence, ElementOf<T>::from(valid ? fmax(fabs(min), fabs(max)) : nan));
    put(target, kColumnArgmin, sequence,
        static_cast<std::int64_t>(poisoned ? partial.nan_at : partial.min_at));  // nowhere is -1
    put(target, kColumnArgmax, sequence, static_cast<std::int64_t>(poisoned ? partial.nan_at : partial.max_at));
    put(target, kColumnNonzero, sequence, counted - partial.zeros);
}

TEGU_DEVICE double variance_of(const FloatPartial& partial, std::uint64_t counted, std::uint32_t ddof) {
    const double count = static_cast<double>(counted);
    if (counted == 0 || count <= ddof || partial.facts != 0) return bit_cast<double>(kDoubleNan);
    return finite(partial.q) ? partial.q / (count - ddof) : kInfinity;
}

TEGU_DEVICE double norm_of(const FloatPartial& partial, std::uint64_t counted) {
    if (counted == 0 || (partial.facts & kSawNan)) return bit_cast<double>(kDoubleNan);
    const double squares = partial.q + (partial.s * partial.s) / partial.n;
    return partial.facts != 0 || !finite(squares) ? kInfinity : sqrt(squares);
}

template <class T, unsigned Parts>
TEGU_DEVICE void finish_float(const ReduceTarget& target, std::uint64_t sequence, const FloatPartial& partial) {
    const std::uint64_t counted = target.skip_nans ? target.n - partial.nans : target.n;
    const double nan = bit_cast<double>(kDoubleNan);
    put(target, kColumnCount, sequence, counted);
    put(target, kColumnNans, sequence, partial.nans);
    put(target, kColumnSum, sequence, canonical(partial.sum));
    if (target.column[kColumnMean] != nullptr)
        put(target, kColumnMean, sequence, counted != 0 ? canonical(partial.sum / static_cast<double>(counted)) : nan);
    if (Parts & kPartL1) put(target, kColumnL1, sequence, counted != 0 ? canonical(partial.l1) : nan);
    if (Parts & kPartMoments) {
        if (target.column[kColumnL2] != nullptr) put(target, kColumnL2, sequence, norm_of(partial, counted));
        if (target.column[kColumnVar] != nullptr || target.column[kColumnStd] != nullptr) {
            const double var = variance_of(partial, counted, target.ddof);
            put(target, kColumnVar, sequence, var);
            put(target, kColumnStd, sequence, canonical(sqrt(var)));
        }
    }
    if (Parts & kPartOrder) put_extremes<T>(target, sequence, partial, counted);
}

}  // namespace cuda
}  // namespace tegu
