// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/content.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/random.h"

namespace tegu::tune {
namespace {

constexpr std::uint64_t kBlock = 1 << 16;  // elements of one seed: the same whatever the threads
constexpr std::uint64_t kPeriod = 400;     // elements of the pattern

// The middle half of [0, 1): a triangle wave with noise of an eighth.
double image_value(std::uint64_t i, std::uint64_t bits) {
    const double phase = static_cast<double>(i % kPeriod) / kPeriod;
    const double wave = phase < 0.5 ? 2 * phase : 2 - 2 * phase;
    const double noise = static_cast<double>(bits >> 40) * 0x1p-24;
    return 0.25 + 0.375 * wave + 0.125 * noise;
}

template <class T>
T float_of(double value) {
    if constexpr (std::is_same<T, Half>::value)
        return float_to_half(static_cast<float>(value));
    else
        return static_cast<T>(value);
}

template <class T>
T element(Content content, std::uint64_t i, std::uint64_t bits) {
    if constexpr (std::is_integral<T>::value) {
        if (content == Content::Uniform) return static_cast<T>(bits);
        if (content == Content::Small) return static_cast<T>(static_cast<T>(bits) / 4);
        const double min = static_cast<double>(std::numeric_limits<T>::min());
        const double max = static_cast<double>(std::numeric_limits<T>::max());
        return static_cast<T>(min + (max - min) * image_value(i, bits));
    } else {
        if (content == Content::Image) return float_of<T>(image_value(i, bits));
        return float_of<T>(static_cast<double>(bits >> 40) * 0x1p-23 - 1);
    }
}

template <class T>
void fill_block(Content content, unsigned which, std::byte* memory, std::uint64_t begin, std::uint64_t end) {
    Random random(begin + (std::uint64_t{which} << 48));
    for (std::uint64_t i = begin; i < end; ++i) {
        const T value = element<T>(content, i, random());
        std::memcpy(memory + i * sizeof value, &value, sizeof value);
    }
}

}  // namespace

void fill(ElementType type, Content content, unsigned which, std::byte* memory, std::uint64_t n,
          kernels::ThreadPool& pool) {
    visit_element_type(type, [&](auto value) {
        using T = decltype(value);
        pool.parallel_for((n + kBlock - 1) / kBlock, [&](std::uint64_t block, unsigned) {
            fill_block<T>(content, which, memory, block * kBlock, std::min(n, (block + 1) * kBlock));
        });
    });
}

}  // namespace tegu::tune
