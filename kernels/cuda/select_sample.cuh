// SPDX-License-Identifier: Apache-2.0
// Where samples lie. Tests know it, too: values that betray a sample are easy to make with it.
#pragma once

#include "kernels/cuda/simt.cuh"

namespace tegu {
namespace cuda {

// Of element `number` of a sample of n elements: at chance within part `number` of the sequence. REQUIRES: number < sample <= n.
TEGU_DEVICE std::uint64_t sample_index(std::uint64_t number, std::uint64_t n, std::uint64_t sample) {
    const std::uint64_t part = n / sample;
    const std::uint64_t longer = n % sample;  // parts with one element more
    const std::uint64_t begin = number * part + (number < longer ? number : longer);
    const std::uint64_t width = part < 0xffffffffu ? part : 0xffffffffu;
    std::uint32_t chance = static_cast<std::uint32_t>(number) * 0x9e3779b9u + 0x7f4a7c15u;
    chance = (chance ^ (chance >> 16)) * 0x85ebca6bu;
    chance = (chance ^ (chance >> 13)) * 0xc2b2ae35u;
    chance ^= chance >> 16;
    return begin + (chance * width >> 32);
}

}  // namespace cuda
}  // namespace tegu
