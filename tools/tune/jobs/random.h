// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood 2014). Any seed is good.
#pragma once

#include <cstdint>

namespace tegu::tune {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() {
        std::uint64_t word = state_ += 0x9e3779b97f4a7c15;
        word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
        word = (word ^ word >> 27) * 0x94d049bb133111eb;
        return word ^ word >> 31;
    }
    // In [0, count). REQUIRES: 0 < count < 2^32.
    std::uint64_t below(std::uint64_t count) { return ((*this)() >> 32) * count >> 32; }

  private:
    std::uint64_t state_;
};

}  // namespace tegu::tune
