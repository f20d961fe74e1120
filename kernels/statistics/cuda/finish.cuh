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

TEGU_DEVICE std::uint64_t counted_of(const ReduceTarget& target, std::uint64_t nans) {
    return target.skip_nans ? target.n - nans : target.n;
}

template <class T>
TEGU_DEVICE void put_extremes(const ReduceTarget& target, std::uint64_t segment, const FloatOrder& order) {
    const std::uint64_t counted = counted_of(target, order.nans);
    const bool poisoned = !target.skip_nans && order.nans != 0;
    const double nan = bit_cast<double>(kDoubleNan);
    const bool valid = counted != 0 && !poisoned;
    const double min = valid ? order.min : nan;
    const double max = valid ? order.max : nan;
    put(target, kColumnMin, segment, ElementOf<T>::from(min));
    put(target, kColumnMax, segment, ElementOf<T>::from(max));
    put(target, kColumnMinmax, 2 * segment, ElementOf<T>::from(min));
    put(target, kColumnMinmax, 2 * segment + 1, ElementOf<T>::from(max));
    put(target, kColumnAbsmax, segment, ElementOf<T>::from(valid ? fmax(fabs(min), fabs(max)) : nan));
    put(target, kColumnArgmin, segment,
        static_cast<std::int64_t>(poisoned ? order.nan_at : order.min_at));  // nowhere is -1
    put(target, kColumnArgmax, segment, static_cast<std::int64_t>(poisoned ? order.nan_at : order.max_at));
    put(target, kColumnNonzero, segment, counted - order.zeros);
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
TEGU_DEVICE FloatRatios ratios_of(const ReduceTarget& target, const FloatSums& sums) {
    const double count = static_cast<double>(counted_of(target, sums.nans));
    FloatRatios ratios{0, 0, 0, 0};
    if (target.column[kColumnMean] != nullptr) ratios.mean = sums.sum / count;
    if (!(Parts & kPartMoments)) return ratios;
    if (target.column[kColumnVar] != nullptr || target.column[kColumnStd] != nullptr)
        ratios.var = sums.q / (count - target.ddof);
    if (target.column[kColumnStd] != nullptr) ratios.std = sqrt(ratios.var);
    if (target.column[kColumnL2] != nullptr) ratios.norm = sqrt(sums.q + (sums.s * sums.s) / sums.n);
    return ratios;
}

// Computes the ratios in a warp from the sums of lane 0: divisions in parallel, then roots.
template <unsigned Parts>
TEGU_DEVICE FloatRatios warp_ratios_of(const ReduceTarget& target, const FloatSums& sums) {
    if (!(Parts & kPartMoments)) return ratios_of<Parts>(target, sums);
    const unsigned lane = lane_index();
    const double q = shuffle(sums.q, 0);
    const double s = shuffle(sums.s, 0);
    const double sum = shuffle(sums.sum, 0);
    const double n = shuffle(sums.n, 0);
    const double count = static_cast<double>(shuffle(counted_of(target, sums.nans), 0));
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
TEGU_DEVICE void put_moments(std::uint64_t* node, const FloatSums& sums) {
    const bool plain = sums.facts == 0;
    node[0] = bit_cast<std::uint64_t>(plain ? sums.n : 0.0);
    node[1] = bit_cast<std::uint64_t>(plain ? canonical(sums.s) : 0.0);
    node[2] = bit_cast<std::uint64_t>(plain ? canonical(sums.q) : 0.0);
    node[3] = sums.facts;
}

// Writes the statistics that follow from sums.
template <unsigned Parts>
TEGU_DEVICE void put_float_sums(const ReduceTarget& target, std::uint64_t segment, const FloatSums& sums,
                                const FloatRatios& ratios) {
    const std::uint64_t counted = counted_of(target, sums.nans);
    const double nan = bit_cast<double>(kDoubleNan);
    put(target, kColumnCount, segment, counted);
    put(target, kColumnNans, segment, sums.nans);
    put(target, kColumnSum, segment, canonical(sums.sum));
    put(target, kColumnMean, segment, counted != 0 ? canonical(ratios.mean) : nan);
    if (Parts & kPartL1) put(target, kColumnL1, segment, counted != 0 ? canonical(sums.l1) : nan);
    if (Parts & kPartMoments) {
        const bool known = counted > target.ddof && sums.facts == 0;
        const bool bounded = finite(sums.q);
        put(target, kColumnVar, segment, !known ? nan : bounded ? ratios.var : kInfinity);
        put(target, kColumnStd, segment, !known ? nan : bounded ? canonical(ratios.std) : kInfinity);
        const bool normed = counted != 0 && (sums.facts & kSawNan) == 0;
        put(target, kColumnL2, segment,
            !normed                                  ? nan
            : sums.facts == 0 && finite(ratios.norm) ? ratios.norm
                                                     : kInfinity);
    }
    if ((Parts & kPartMoments) && target.node != nullptr) put_moments(target.node, sums);
}

// Writes all statistics of a segment, by one thread.
template <class T, unsigned Parts>
TEGU_DEVICE void finish_float(const ReduceTarget& target, std::uint64_t segment,
                              const FloatPartial& partial) {
    put_float_sums<Parts>(target, segment, partial.sums, ratios_of<Parts>(target, partial.sums));
    if (Parts & kPartOrder) put_extremes<T>(target, segment, partial.order);
}

}  // namespace cuda
}  // namespace tegu
