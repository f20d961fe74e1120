// SPDX-License-Identifier: Apache-2.0
// What the tests of the seed kernels share: arrays in device memory, sizes, and generated values.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/kernels/cuda/cuda_test.h"

namespace tegu::seeds {

using testing_support::SplitMix;

// 0, 1, warps, blocks and tiles, one more and one less.
constexpr std::uint64_t kSizes[] = {0,    1,    2,    31,   32,   33,   63,   64,   65,
                                    127,  128,  129,  255,  257,  1000, 1023, 1024, 1025,
                                    2047, 2049, 4095, 4097, 8191, 8193, 10007};

// `skip` elements lie before the first: the address is a multiple of the element's size, not of 16 bytes.
template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(const std::vector<T>& values, std::size_t skip = 0)
        : skip_(skip), memory_(with_gap(values, skip)) {}
    explicit DeviceArray(std::size_t count) : skip_(0), memory_(count * sizeof(T)) {}
    T* data() const { return reinterpret_cast<T*>(memory_.data()) + skip_; }
    std::vector<T> download(std::size_t count) const {
        const std::vector<std::byte> bytes = memory_.download();
        std::vector<T> values(count);
        if (count != 0) std::memcpy(values.data(), bytes.data() + skip_ * sizeof(T), count * sizeof(T));
        return values;
    }

  private:
    static std::vector<std::byte> with_gap(const std::vector<T>& values, std::size_t skip) {
        std::vector<std::byte> bytes((values.size() + skip) * sizeof(T));
        if (!values.empty())
            std::memcpy(bytes.data() + skip * sizeof(T), values.data(), values.size() * sizeof(T));
        return bytes;
    }
    std::size_t skip_;
    test::DeviceBytes memory_;
};

inline std::vector<std::int32_t> random_integers(std::uint64_t n, std::uint64_t seed) {
    SplitMix random(seed);
    std::vector<std::int32_t> values(n);
    for (std::int32_t& value : values)
        value = static_cast<std::int32_t>(static_cast<std::uint32_t>(random.next()));
    return values;
}
// Of both signs, and of 40 binary orders of magnitude.
inline std::vector<float> random_floats(std::uint64_t n, std::uint64_t seed) {
    SplitMix random(seed);
    std::vector<float> values(n);
    for (float& value : values)
        value = std::ldexp(static_cast<float>(static_cast<std::int32_t>(random.next() >> 40) - (1 << 23)),
                           -static_cast<int>(random.next() % 40));
    return values;
}
// Sums of so many are exact in f32 in every order, if `most` times their number is below 2^24.
inline std::vector<float> random_whole_floats(std::uint64_t n, std::uint64_t seed, unsigned most) {
    SplitMix random(seed);
    std::vector<float> values(n);
    for (float& value : values)
        value = static_cast<float>(random.next() % (2 * most + 1)) - static_cast<float>(most);
    return values;
}

// The largest error of a f32 sum with so many additions for each element.
inline long double sum_bound(std::uint64_t additions, const std::vector<float>& summands) {
    long double sizes = 0;
    for (const float value : summands) sizes += std::fabs(static_cast<long double>(value));
    const long double units = static_cast<long double>(additions) * 0x1p-24L;
    EXPECT_LT(units, 0.01L);
    return units / (1 - units) * sizes;
}

class SeedsTest : public test::CudaTest {
  protected:
    void wait() { ASSERT_TRUE(context_.workspace->synchronize()); }
};

}  // namespace tegu::seeds
