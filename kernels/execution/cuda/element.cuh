// SPDX-License-Identifier: Apache-2.0
// The arithmetic type of each element type, and the conversions. f16 is computed in f32. Widening is exact,
// and narrowing rounds to nearest, ties to even; the device's conversions and base/half.h give the same bits.
#pragma once

#include "base/element_type.h"
#include "kernels/execution/cuda/simt.cuh"

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

namespace tegu {
namespace cuda {

constexpr std::uint16_t kHalfNan = 0x7e00;
constexpr std::uint32_t kFloatNan = 0x7fc00000;
constexpr std::uint64_t kDoubleNan = 0x7ff8000000000000;

TEGU_DEVICE float widen(Half half) {
#if defined(__CUDACC__)
    return __half2float(__ushort_as_half(half.bits));
#else
    return half_to_float(half);
#endif
}
TEGU_DEVICE float widen(float value) {
    return value;
}
TEGU_DEVICE double widen(double value) {
    return value;
}

// Arithmetic<T>::type is the type of sums and products of T.
template <class T>
struct Arithmetic {
    using type = T;
};
template <>
struct Arithmetic<Half> {
    using type = float;
};

// Converts to T with one rounding; every NaN becomes the canonical NaN.
template <class T>
struct Narrow;
template <>
struct Narrow<Half> {
    TEGU_DEVICE static Half of(float value) {
        if (value != value) return Half{kHalfNan};
#if defined(__CUDACC__)
        return Half{__half_as_ushort(__float2half_rn(value))};
#else
        return float_to_half(value);
#endif
    }
};
template <>
struct Narrow<float> {
    TEGU_DEVICE static float of(float value) { return value == value ? value : bit_cast<float>(kFloatNan); }
};
template <>
struct Narrow<double> {
    TEGU_DEVICE static double of(double value) {
        return value == value ? value : bit_cast<double>(kDoubleNan);
    }
};

TEGU_DEVICE bool is_nan(Half half) {
    return (half.bits & 0x7fffu) > 0x7c00u;
}
TEGU_DEVICE bool is_nan(float value) {
    return value != value;
}
TEGU_DEVICE bool is_nan(double value) {
    return value != value;
}

}  // namespace cuda
}  // namespace tegu
