// SPDX-License-Identifier: Apache-2.0
// The unsigned integer types by width. C++14, because device code includes it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tegu {

template <std::size_t Bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
    using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
    using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
    using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
    using type = std::uint64_t;
};

// As wide as T.
template <class T>
using UnsignedBits = typename UnsignedOf<sizeof(T)>::type;

}  // namespace tegu
