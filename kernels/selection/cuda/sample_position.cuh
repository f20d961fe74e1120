// SPDX-License-Identifier: Apache-2.0
// The positions of samples. Tests use it to make values that mislead a sample.
#pragma once

#include "kernels/execution/cuda/simt.cuh"

namespace tegu {
namespace cuda {

// The position of pair `number` of a sample within its part of the elements.
TEGU_DEVICE std::uint64_t position_in_part(std::uint32_t number, std::uint32_t part) {
    std::uint32_t chance = number * 0x9e3779b9u + 0x7f4a7c15u;
    chance = (chance ^ (chance >> 16)) * 0x85ebca6bu;
    chance = (chance ^ (chance >> 13)) * 0xc2b2ae35u;
    chance ^= chance >> 16;
    return std::uint64_t{chance} * part >> 32;
}

// The indices of a sample of n elements: each is random within its own part. Needs two divisions in total.
// REQUIRES: 1 <= sample <= n.
class SampleSpread {
  public:
    TEGU_DEVICE SampleSpread(std::uint64_t n, std::uint64_t sample)
        : part_(n / sample), longer_(n - part_ * sample) {}
    // REQUIRES: number < sample.
    TEGU_DEVICE std::uint64_t index(std::uint64_t number) const {
        const std::uint64_t begin = number * part_ + (number < longer_ ? number : longer_);
        return begin +
               position_in_part(static_cast<std::uint32_t>(number),
                                static_cast<std::uint32_t>(part_ < 0xffffffffu ? part_ : 0xffffffffu));
    }

  private:
    std::uint64_t part_;
    std::uint64_t longer_;  // parts with one element more
};
TEGU_DEVICE std::uint64_t sample_index(std::uint64_t number, std::uint64_t n, std::uint64_t sample) {
    return SampleSpread(n, sample).index(number);
}

}  // namespace cuda
}  // namespace tegu
