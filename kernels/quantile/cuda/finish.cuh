// SPDX-License-Identifier: Apache-2.0
// From order statistics to quantiles on the GPU, with the bits of kernels/quantile/finish.cpp.
#pragma once

#include <cmath>

#include "kernels/execution/cuda/element.cuh"
#include "kernels/quantile/cuda/nan.cuh"

namespace tegu {
namespace cuda {

// The position of a quantile among n sorted values, as kernels::quantile::Position.
struct QuantilePosition {
    std::uint64_t rank;
    bool last;
    double weight;

    // REQUIRES: n >= 1.
    TEGU_DEVICE QuantilePosition(double q, std::uint64_t n, unsigned method) : last(true), weight(0) {
        const double end = static_cast<double>(n - 1);
        const double at = end * q;
        double floored = floor(at);
        if (method == kHigherQuantile) floored = ceil(at);
        if (method == kNearestQuantile) floored = rint(at);
        if (method == kLinearQuantile) {
            last = at >= end;
            weight = last ? 1 : at - floored;
        }
        if (method == kMidpointQuantile) {
            const double middle = 0.5 * (floored + ceil(at));
            floored = floor(middle);
            weight = middle == floored ? 0 : 0.5;
            last = middle >= end;
        }
        rank = static_cast<std::uint64_t>(floored);
        if (rank > n - 1) rank = n - 1;
    }
};

// The value of an ascending key.
template <class U>
TEGU_DEVICE double key_value(U key, U flip, bool is_float) {
    const U bits = decode_key(key, flip, is_float);
    if (is_float) {
        if (sizeof(U) == 2) return widen(Half{static_cast<std::uint16_t>(bits)});
        if (sizeof(U) == 4) return bit_cast<float>(static_cast<std::uint32_t>(bits));
        return bit_cast<double>(std::uint64_t{bits});
    }
    if (flip == 0) return static_cast<double>(std::uint64_t{bits});
    constexpr unsigned kUnused = 64 - 8 * sizeof(U);
    return static_cast<double>(static_cast<std::int64_t>(std::uint64_t{bits} << kUnused) >> kUnused);
}

// The results of one segment.
template <class U>
struct QuantileResults {
    const QuantileOutput& output;
    std::uint64_t first;  // of the segment
    U flip;
    bool is_float;

    TEGU_DEVICE QuantileResults(const QuantileOutput& to, const KeyedSegment<U>& segment,
                                std::uint64_t number)
        : output(to), first(number * to.quantiles), flip(segment.flip), is_float(segment.is_float) {}

    TEGU_DEVICE QuantilePosition position(std::uint64_t i, std::uint64_t valid) const {
        const double q = output.more == nullptr ? output.few[i] : output.more[i];
        return QuantilePosition(q, valid, output.method);
    }
    // Whether a segment of n elements has quantiles that are numbers.
    TEGU_DEVICE bool are_numbers(std::uint64_t n, std::uint64_t nans) const {
        return nans < n && (nans == 0 || output.skip_nans);
    }
    TEGU_DEVICE bool interpolates() const {
        return output.method == kLinearQuantile || output.method == kMidpointQuantile;
    }
    // Writes quantile i from the keys at its rank and at the next one, which is not used at the last rank.
    TEGU_DEVICE void write(std::uint64_t i, const QuantilePosition& position, U key, U next_key) const {
        if (!interpolates()) {
            static_cast<U*>(output.results)[first + i] = decode_key(key, flip, is_float);
            return;
        }
        const double a = key_value(key, flip, is_float);
        const double b = position.last ? a : key_value(next_key, flip, is_float);
        const double difference = b - a;
        double value = position.weight >= 0.5 ? b - difference * (1 - position.weight)
                                              : a + difference * position.weight;
        if (is_nan(value)) value = bit_cast<double>(kDoubleNan);
        static_cast<double*>(output.results)[first + i] = value == 0 ? 0 : value;
    }
    TEGU_DEVICE void write_nan(std::uint64_t i) const {
        if (interpolates()) {
            static_cast<double*>(output.results)[first + i] = bit_cast<double>(kDoubleNan);
        } else {
            static_cast<U*>(output.results)[first + i] = FloatBits<U>::kNan;
        }
    }
};

}  // namespace cuda
}  // namespace tegu
