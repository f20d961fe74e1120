// SPDX-License-Identifier: Apache-2.0
// The one rule that makes a colour a number: (19595 R + 38470 G + 7471 B + 32768) >> 16 of the samples as
// they stand. That is the luma of ITU-R BT.601, as Pillow's convert("L") has it.
#pragma once

#include <cstdint>
#include <cstring>

namespace tegu {
namespace formats {

// T: std::uint8_t or std::uint16_t.
template <class T>
T luma(T red, T green, T blue) {
    return static_cast<T>((19595u * std::uint64_t{red} + 38470u * std::uint64_t{green} +
                           7471u * std::uint64_t{blue} + 32768u) >>
                          16);
}

// `pixels` of `channels` samples each, red, green and blue first. They need no alignment.
template <class T>
void luma_of(const void* pixels, std::size_t channels, T* grey, std::uint64_t count) {
    const char* at = static_cast<const char*>(pixels);
    for (std::uint64_t i = 0; i < count; ++i, at += channels * sizeof(T)) {
        T rgb[3];
        std::memcpy(rgb, at, sizeof rgb);
        grey[i] = luma(rgb[0], rgb[1], rgb[2]);
    }
}

}  // namespace formats
}  // namespace tegu
