// SPDX-License-Identifier: Apache-2.0
// Computes statistics from the partial result of a float segment on the device, with the same bits as
// kernels/statistics/finish.cpp. One thread.
#pragma once

#include "kernels/statistics/cuda/float_tree.cuh"

namespace tegu {
namespace cuda {

// Maps every NaN to the canonical NaN, and zero to +0.
TEGU_DEVICE double canonical(double value) {
    return value == value ? value + 0.0 : bit_cast<double>(kDoubleNan);
}

template <class V>
TEGU_DEVICE void put(const ReduceTarget& target, unsigned column, std::uint64_t index, V value) {
    if (target.column[column] != nullptr) static_cast<V*>(target.column[column])[index] = value;
}

// The element with this exact value in f64.
template <class T>
struct ElementOf {
    TEGU_DEVICE static T from(double value) { return Narrow<T>::of(static_cast<float>(canonical(value))); }
};
template <>
struct ElementOf<double> {
    TEGU_DEVICE static double from(double value) { return canonical(value); }
};

template <class T>
TEGU_DEVICE void put_extremes(const ReduceTarget& target, std::uint64_t segment, const FloatPartial& partial,
                              std::uint64_t counted) {
    const bool poisoned = !target.skip_nans && partial.nans != 0;
    const double nan = bit_cast<double>(kDoubleNan);
    const bool valid = counted != 0 && !poisoned;
    const double min = valid ? partial.min : nan;
    const double max = valid ? partial.max : nan;
    put(target, kColumnMin, segment, ElementOf<T>::from(min));
    put(target, kColumnMax, segment, ElementOf<T>::from(max));
    put(target, kColumnMinmax, 2 * segment, ElementOf<T>::from(min));
    put(target, kColumnMinmax, 2 * segment + 1, ElementOf<T>::from(max));
    put(target, kColumnAbsmax, segment, ElementOf<T>::from(valid ? fmax(fabs(min), fabs(max)) : nan));
    put(target, kColumnArgmin, segment,
        static_cast<std::int64_t>(poisoned ? partial.nan_at : partial.min_at));  // nowhere is -1
    put(target, kColumnArgmax, segment,
        static_cast<std::int64_t>(poisoned ? partial.nan_at : partial.max_at));
    put(target, kColumnNonzero, segment, counted - partial.zeros);
}

TEGU_DEVICE std::uint64_t counted_of(const ReduceTarget& target, const FloatPartial& partial) {
    return target.skip_nans ? target.n - partial.nans : target.n;
}

// The statistics that need a division or a root: sum / counted, q / (counted - ddof) and its root, and the
// root of q + s^2 / n.
struct FloatRatios {
    double mean;
    double var;
    double std;
    double norm;
};

// Computes the requested ratios, by one thread.
template <unsigned Parts>
TEGU_DEVICE FloatRatios ratios_of(const ReduceTarget& target, const FloatPartial& partial) {
    const double count = static_cast<double>(counted_of(target, partial));
    FloatRatios ratios{0, 0, 0, 0};
    if (target.column[kColumnMean] != nullptr) ratios.mean = partial.sum / count;
    if (!(Parts & kPartMoments)) return ratios;
    if (target.column[kColumnVar] != nullptr || target.column[kColumnStd] != nullptr)
        ratios.var = partial.q / (count - target.ddof);
    if (target.column[kColumnStd] != nullptr) ratios.std = sqrt(ratios.var);
    if (target.column[kColumnL2] != nullptr)
        ratios.norm = sqrt(partial.q + (partial.s * partial.s) / partial.n);
    return ratios;
}

// Computes the ratios in a warp from the partial result of lane 0: divisions in parallel, then roots.
template <unsigned Parts>
TEGU_DEVICE FloatRatios warp_ratios_of(const ReduceTarget& target, const FloatPartial& partial) {
    if (!(Parts & kPartMoments)) return ratios_of<Parts>(target, partial);
    const unsigned lane = lane_index();
    const double q = shuffle(partial.q, 0);
    const double s = shuffle(partial.s, 0);
    const double sum = shuffle(partial.sum, 0);
    const double n = shuffle(partial.n, 0);
    const double count = static_cast<double>(shuffle(counted_of(target, partial), 0));
    const double of = lane == 0 ? sum : lane == 1 ? q : s * s;
    const double by = lane == 0 ? count : lane == 1 ? count - target.ddof : n;
    const double quotient = of / by;
    const double mean = shuffle(quotient, 0);
    const double var = shuffle(quotient, 1);
    const double squares = q + shuffle(quotient, 2);
    const double root = sqrt(lane == 0 ? var : squares);
    const double std = shuffle(root, 0);
    const double norm = shuffle(root, 1);
    return FloatRatios{mean, var, std, norm};
}

// Writes the moments of a node.
TEGU_DEVICE void put_moments(std::uint64_t* node, const FloatPartial& partial) {
    const bool plain = partial.facts == 0;
    node[0] = bit_cast<std::uint64_t>(plain ? partial.n : 0.0);
    node[1] = bit_cast<std::uint64_t>(plain ? canonical(partial.s) : 0.0);
    node[2] = bit_cast<std::uint64_t>(plain ? canonical(partial.q) : 0.0);
    node[3] = partial.facts;
}

template <class T, unsigned Parts>
TEGU_DEVICE void finish_float(const ReduceTarget& target, std::uint64_t segment, const FloatPartial& partial,
                              const FloatRatios& ratios) {
    const std::uint64_t counted = counted_of(target, partial);
    const double nan = bit_cast<double>(kDoubleNan);
    put(target, kColumnCount, segment, counted);
    put(target, kColumnNans, segment, partial.nans);
    put(target, kColumnSum, segment, canonical(partial.sum));
    put(target, kColumnMean, segment, counted != 0 ? canonical(ratios.mean) : nan);
    if (Parts & kPartL1) put(target, kColumnL1, segment, counted != 0 ? canonical(partial.l1) : nan);
    if (Parts & kPartMoments) {
        const bool known = counted > target.ddof && partial.facts == 0;
        const bool bounded = finite(partial.q);
        put(target, kColumnVar, segment, !known ? nan : bounded ? ratios.var : kInfinity);
        put(target, kColumnStd, segment, !known ? nan : bounded ? canonical(ratios.std) : kInfinity);
        const bool normed = counted != 0 && (partial.facts & kSawNan) == 0;
        put(target, kColumnL2, segment,
            !normed                                     ? nan
            : partial.facts == 0 && finite(ratios.norm) ? ratios.norm
                                                        : kInfinity);
    }
    if ((Parts & kPartMoments) && target.node != nullptr) put_moments(target.node, partial);
    if (Parts & kPartOrder) put_extremes<T>(target, segment, partial, counted);
}

}  // namespace cuda
}  // namespace tegu
