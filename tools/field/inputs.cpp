// SPDX-License-Identifier: Apache-2.0
#include "tools/field/inputs.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/random.h"

namespace tegu::field {
namespace {

constexpr std::uint64_t kPiece = 1 << 18;  // elements that a thread fills at a time

template <class T>
T element_of(std::uint64_t bits, Values values) {
    if constexpr (std::is_same<T, Half>::value)
        return float_to_half(static_cast<float>(bits >> 40) * 0x1p-24f);
    else if constexpr (std::is_floating_point<T>::value)
        return static_cast<T>(static_cast<double>(bits >> 40) * 0x1p-24);
    else
        return static_cast<T>(static_cast<T>(bits) / (values == Values::Small ? 4 : 1));
}

template <class T>
void fill(std::byte* memory, std::uint64_t begin, std::uint64_t end, Values values, std::uint64_t seed) {
    const Random random(seed);
    for (std::uint64_t i = begin; i < end; ++i) {
        const T value = element_of<T>(random.at(i), values);
        std::memcpy(memory + i * sizeof value, &value, sizeof value);
    }
}

}  // namespace

Bytes InputStore::get(ElementType type, std::uint64_t n, Values values, int which) {
    std::uint64_t held = n * element_bytes(type);
    for (const Kept& kept : kept_) {
        if (kept.type == type && kept.n == n && kept.values == values && kept.which == which)
            return kept.bytes;
        held += kept.bytes->size();
    }
    for (; held > limit_ && !kept_.empty(); kept_.pop_front()) held -= kept_.front().bytes->size();
    const auto made = std::make_shared<std::vector<std::byte>>(n * element_bytes(type));
    std::byte* const memory = made->data();
    const std::uint64_t seed = 2026 + static_cast<std::uint64_t>(which);
    pool_.parallel_for((n + kPiece - 1) / kPiece, [&](std::uint64_t piece, unsigned) {
        const std::uint64_t begin = piece * kPiece, end = std::min(begin + kPiece, n);
        visit_element_type(type,
                           [&](auto element) { fill<decltype(element)>(memory, begin, end, values, seed); });
    });
    kept_.push_back({type, n, values, which, made});
    return made;
}

}  // namespace tegu::field
