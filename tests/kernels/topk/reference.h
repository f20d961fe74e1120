// SPDX-License-Identifier: Apache-2.0
// What top-k must give, computed the slow way: a stable sort of the indices by the rule as docs/numerics.md
// words it, without keys. And the inputs that the tests share: each pattern for each element type, from a
// seed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "base/element_type.h"

namespace tegu::test {

template <class T>
constexpr bool kIsFloat = std::is_same<T, Half>::value || std::is_floating_point<T>::value;

template <class T>
auto number_of(T value) {
    if constexpr (std::is_same<T, Half>::value)
        return half_to_float(value);
    else
        return value;
}

// a comes before b whatever the index.
template <class T>
bool better(T left, T right, bool largest) {
    const auto a = number_of(left);
    const auto b = number_of(right);
    if constexpr (kIsFloat<T>) {
        if (std::isnan(a) || std::isnan(b))
            return largest ? std::isnan(a) && !std::isnan(b) : std::isnan(b) && !std::isnan(a);
    }
    return largest ? b < a : a < b;
}

template <class T>
T canonical(T value) {
    if constexpr (kIsFloat<T>) {
        const auto number = number_of(value);
        std::uint64_t bits = 0;
        if (std::isnan(number))
            bits = sizeof(T) == 2 ? 0x7e00u : sizeof(T) == 4 ? 0x7fc00000u : 0x7ff8000000000000u;
        if (std::isnan(number) || number == 0) std::memcpy(&value, &bits, sizeof value);
    }
    return value;
}

// Leaves in `order`, best first, the first of each value.
template <class T>
void drop_repeats(const std::vector<T>& elements, bool largest, std::vector<std::int64_t>& order) {
    const auto same = [&](std::int64_t a, std::int64_t b) {
        return !better(elements[static_cast<std::size_t>(a)], elements[static_cast<std::size_t>(b)], largest);
    };
    order.erase(std::unique(order.begin(), order.end(), same), order.end());
}

// The indices of all elements, best first; with `distinct` only the first of each value.
template <class T>
std::vector<std::int64_t> order_of(const std::vector<T>& elements, bool largest, bool distinct) {
    std::vector<std::int64_t> order(elements.size());
    std::iota(order.begin(), order.end(), 0);
    const auto before = [&](std::int64_t a, std::int64_t b) {
        return better(elements[static_cast<std::size_t>(a)], elements[static_cast<std::size_t>(b)], largest);
    };
    std::stable_sort(order.begin(), order.end(), before);
    if (distinct) drop_repeats(elements, largest, order);
    return order;
}

enum class Pattern {
    Random,
    Ascending,
    Descending,
    AllEqual,
    FewValues,
    Sawtooth,
    Specials,
    Narrow,
    LateBest,
    Duplicates,
    OneFrequent,
    Skewed,
    Count
};

// An element from a fraction of the type's range: 0 is its smallest finite value, 2^32 - 1 nearly its
// largest.
template <class T>
T at_fraction(std::uint64_t fraction) {
    if constexpr (std::is_same<T, Half>::value)
        return float_to_half((static_cast<float>(fraction) / 4294967296.0f - 0.5f) * 60000.0f);
    else if constexpr (std::is_floating_point<T>::value)
        return static_cast<T>((static_cast<double>(fraction) - 2147483648.0) * 0.25);
    else {
        using U = std::make_unsigned_t<T>;
        const U scaled = sizeof(T) == 8 ? static_cast<U>(fraction << 31 << 1)
                                        : static_cast<U>(fraction >> (32 - 8 * sizeof(T)));
        return static_cast<T>(static_cast<U>(scaled + static_cast<U>(std::numeric_limits<T>::min())));
    }
}

template <class T>
T special(std::uint64_t number) {
    if constexpr (kIsFloat<T>) {
        const std::uint64_t exponent = sizeof(T) == 2   ? 0x7c00u
                                       : sizeof(T) == 4 ? 0x7f800000u
                                                        : 0x7ff0000000000000u;
        const std::uint64_t sign = std::uint64_t{1} << (8 * sizeof(T) - 1);
        const std::uint64_t list[] = {0,
                                      sign,
                                      exponent,
                                      exponent | sign,
                                      exponent | 1,
                                      exponent | sign | 1,
                                      exponent | (exponent >> 1),
                                      1,
                                      sign | 1,
                                      exponent - 1,
                                      (exponent - 1) | sign,
                                      sign - 1};
        T value;
        std::memcpy(&value, &list[number % (sizeof list / sizeof *list)], sizeof value);
        return value;
    } else {
        const T list[] = {0, 1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
                          static_cast<T>(-1)};
        return list[number % 5];
    }
}

template <class T>
std::vector<T> make_elements(Pattern pattern, std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> elements(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t bits = random();
        const std::uint64_t step = n < 2 ? 0 : (i * 0xffffffffull) / (n - 1);
        switch (pattern) {
            case Pattern::Random:
                std::memcpy(&elements[i], &bits, sizeof(T));
                break;  // floats: NaN and infinities among them
            case Pattern::Ascending: elements[i] = at_fraction<T>(step); break;
            case Pattern::Descending: elements[i] = at_fraction<T>(0xffffffffull - step); break;
            case Pattern::AllEqual: elements[i] = at_fraction<T>(0x91234567ull); break;
            case Pattern::FewValues: elements[i] = at_fraction<T>(bits % 3 * 0x40000000ull); break;
            case Pattern::Sawtooth: elements[i] = at_fraction<T>(i % 97 * 0x02000000ull); break;
            case Pattern::Specials:
                elements[i] = bits & 1 ? special<T>(bits >> 1) : at_fraction<T>(bits >> 32);
                break;
            case Pattern::Narrow: elements[i] = at_fraction<T>(0x80000000ull + (bits & 0x3ff)); break;
            // Low nearly everywhere; the best stand side by side near the end and fall into one block.
            case Pattern::LateBest:
                elements[i] =
                    at_fraction<T>(n - i < 700 ? 0xf0000000ull + (bits & 0xfffffff) : bits & 0xffff);
                break;
            case Pattern::Duplicates:
                elements[i] = at_fraction<T>(bits % (n / 4 + 1) * (0xffffffffull / (n / 4 + 1)));
                break;
            // A value of a third of the elements among different ones.
            case Pattern::OneFrequent:
                elements[i] = at_fraction<T>(bits % 3 == 0 ? 0xf0000000ull : bits >> 32);
                break;
            // Some values frequent, some rare: the n-th has about 1 / n^2 of the elements.
            case Pattern::Skewed:
                elements[i] = at_fraction<T>(0x40000000ull + 0xffffffffull / ((bits >> 32) + 1) * 0x2345);
                break;
            case Pattern::Count: break;
        }
    }
    return elements;
}

}  // namespace tegu::test
