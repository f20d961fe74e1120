// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantile/finish.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "kernels/numerics/sort_key.h"
#include "kernels/numerics/unsigned_of.h"

namespace tegu::kernels::quantile {
namespace {

bool is_interpolated(QuantileMethod method) {
    return method == QuantileMethod::Linear || method == QuantileMethod::Midpoint;
}

// numpy's _lerp(), step by step: also where infinities make it a NaN.
double interpolate(double a, double b, double weight) {
    const double difference = b - a;
    return weight >= 0.5 ? b - difference * (1 - weight) : a + difference * weight;
}

template <class T>
double to_double(T value) {
    return static_cast<double>(value);
}
double to_double(Half value) {
    return static_cast<double>(half_to_float(value));
}

template <class T>
struct Keys {
    using U = UnsignedBits<T>;
    static constexpr bool kFloat = std::is_floating_point<T>::value || std::is_same<T, Half>::value;

    static T value(std::uint64_t key, ElementType type) {
        const U bits = key::decode<U, kFloat>(
            static_cast<U>(key), static_cast<U>(key::flip_of(false, is_signed_integer(type), sizeof(T))));
        T result;
        std::memcpy(&result, &bits, sizeof result);
        return result;
    }
};

// -0 becomes +0, every NaN the same one.
double canonical(double value) {
    constexpr std::uint64_t kNan = key::kNan<std::uint64_t>;
    if (std::isnan(value)) std::memcpy(&value, &kNan, sizeof value);
    return value == 0 ? 0 : value;
}

template <class T>
void write_typed(const QuantileParams& params, ElementType type, std::uint64_t valid, const Pair* pairs,
                 std::byte* out) {
    for (std::size_t i = 0; i < params.q.size(); ++i) {
        const T value = Keys<T>::value(pairs[i].value, type);
        if (!is_interpolated(params.method)) {
            std::memcpy(out + i * sizeof(T), &value, sizeof(T));
            continue;
        }
        const Position position = position_of(params.q[i], valid, params.method);
        const T next = position.last ? value : Keys<T>::value(pairs[i].next, type);
        const double result = canonical(interpolate(to_double(value), to_double(next), position.weight));
        std::memcpy(out + i * sizeof result, &result, sizeof result);
    }
}

void write_nans(ElementType type, std::size_t count, std::byte* out) {
    const std::uint64_t nan = type == ElementType::F16   ? key::kNan<std::uint16_t>
                              : type == ElementType::F32 ? key::kNan<std::uint32_t>
                                                         : key::kNan<std::uint64_t>;
    const std::size_t width = element_bytes(type);
    const auto narrow = static_cast<std::uint32_t>(nan);
    const auto half = static_cast<std::uint16_t>(nan);
    for (std::size_t i = 0; i < count; ++i)
        std::memcpy(out + i * width,
                    width == 2   ? static_cast<const void*>(&half)
                    : width == 4 ? static_cast<const void*>(&narrow)
                                 : &nan,
                    width);
}

}  // namespace

Position position_of(double q, std::uint64_t n, QuantileMethod method) {
    const double end = static_cast<double>(n - 1);
    const double at = end * q;
    const auto rank_of = [n](double floored) {
        const auto rank = static_cast<std::uint64_t>(floored);
        return std::min(rank, n - 1);
    };
    switch (method) {
        case QuantileMethod::Lower: return {rank_of(std::floor(at)), true, 0};
        case QuantileMethod::Higher: return {rank_of(std::ceil(at)), true, 0};
        case QuantileMethod::Nearest: return {rank_of(std::nearbyint(at)), true, 0};
        case QuantileMethod::Linear:
            if (at >= end) return {n - 1, true, 1};
            return {rank_of(std::floor(at)), false, at - std::floor(at)};
        case QuantileMethod::Midpoint: break;
    }
    const double middle = 0.5 * (std::floor(at) + std::ceil(at));
    const double weight = middle == std::floor(middle) ? 0 : 0.5;
    if (middle >= end) return {n - 1, true, weight};
    return {rank_of(std::floor(middle)), false, weight};
}

ElementType result_type(ElementType type, QuantileMethod method) {
    return is_interpolated(method) ? ElementType::F64 : type;
}

void finish(const QuantileParams& params, ElementType type, std::uint64_t n, std::uint64_t nans,
            const Pair* pairs, std::byte* out) {
    const bool none = (nans > 0 && !params.skip_nans) || nans >= n;
    if (none) return write_nans(result_type(type, params.method), params.q.size(), out);
    switch (type) {
#define TEGU_X(number, Name, word, Element) \
    case ElementType::Name: return write_typed<Element>(params, type, n - nans, pairs, out);
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
}

}  // namespace tegu::kernels::quantile
