// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/bench_input.h"

#include <cstring>
#include <limits>
#include <type_traits>

#include "base/random.h"

namespace tegu::bench {
namespace {

constexpr std::uint64_t kBudget = std::uint64_t{3} << 29;  // 1.5 GiB

// The element at `place` of [0, 1) in the range of the type.
template <class T>
T element_at(double place) {
    if constexpr (std::is_same<T, Half>::value)
        return float_to_half(static_cast<float>(place));
    else if constexpr (std::is_floating_point<T>::value)
        return static_cast<T>(place);
    else
        return static_cast<T>(static_cast<double>(std::numeric_limits<T>::min()) * (1 - place) +
                              static_cast<double>(std::numeric_limits<T>::max()) * 0.9999999 * place);
}

template <class T>
void fill(std::byte* memory, std::uint64_t n, Values values, Random random) {
    const auto put = [memory](std::uint64_t i, T value) {
        std::memcpy(memory + i * sizeof value, &value, sizeof value);
    };
    const double step = 1.0 / static_cast<double>(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t bits = random();
        switch (values) {
            case Values::Uniform:
            case Values::Small:
                if constexpr (std::is_integral<T>::value)
                    put(i, static_cast<T>(static_cast<T>(bits) / (values == Values::Small ? 4 : 1)));
                else
                    put(i, element_at<T>(static_cast<double>(bits >> 40) * 0x1p-24));
                break;
            case Values::Ascending: put(i, element_at<T>(static_cast<double>(i) * step)); break;
            case Values::Descending: put(i, element_at<T>(static_cast<double>(n - 1 - i) * step)); break;
            case Values::Equal: put(i, element_at<T>(0.625)); break;
            case Values::Few: put(i, element_at<T>(static_cast<double>(bits >> 60) / 16)); break;
        }
    }
}

}  // namespace

const char* word_of(Values values) {
    switch (values) {
        case Values::Uniform: return "uniform";
        case Values::Small: return "small";
        case Values::Ascending: return "ascending";
        case Values::Descending: return "descending";
        case Values::Equal: return "equal";
        case Values::Few: return "few16";
    }
    return "?";
}

const std::byte* InputStore::get(ElementType type, std::uint64_t n, Values values, int which) {
    std::uint64_t held = n * element_bytes(type);
    for (const Input& input : inputs_) {
        if (input.type == type && input.n == n && input.values == values && input.which == which)
            return input.memory.data();
        held += input.memory.size();
    }
    for (; held > kBudget && !inputs_.empty(); inputs_.pop_front()) held -= inputs_.front().memory.size();
    inputs_.push_back(Input{type, n, values, which, std::vector<std::byte>(n * element_bytes(type))});
    std::byte* memory = inputs_.back().memory.data();
    const Random random(2026 + static_cast<std::uint64_t>(which));
    visit_element_type(type, [&](auto element) { fill<decltype(element)>(memory, n, values, random); });
    return memory;
}

}  // namespace tegu::bench
