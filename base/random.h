// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>

namespace tegu {

// A pseudo-random permutation of the 64-bit integers.
constexpr std::uint64_t scramble(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// SplitMix64 (Steele, Lea, Flood 2014). Any seed is good.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    // Random(seed).at(i) is the number that call i of operator() returns, the first being call 0.
    constexpr std::uint64_t at(std::uint64_t i) const { return scramble(state_ + i * kStep); }
    std::uint64_t operator()() {
        const std::uint64_t word = scramble(state_);
        state_ += kStep;
        return word;
    }
    // In [0, count). REQUIRES: 0 < count < 2^32.
    std::uint64_t below(std::uint64_t count) { return ((*this)() >> 32) * count >> 32; }

  private:
    static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
    std::uint64_t state_;
};

// The linear congruential generator of Knuth's MMIX: only its high bits are random.
class LinearRandom {
  public:
    explicit LinearRandom(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() { return state_ = state_ * 6364136223846793005u + 1442695040888963407u; }

  private:
    std::uint64_t state_;
};

}  // namespace tegu
