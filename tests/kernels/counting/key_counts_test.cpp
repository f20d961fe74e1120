// SPDX-License-Identifier: Apache-2.0
// Counters of keys against one counter a key: bytes that go to planes of bits and those that do not, at any
// address, in calls of any size.
#include "kernels/counting/cpu/key_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <vector>

namespace tegu::kernels {
namespace {

struct FreeCounters {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
};

class Counters {
  public:
    explicit Counters(std::uint32_t keys)
        : memory_(static_cast<std::byte*>(::operator new[](KeyCounts::bytes(keys), std::align_val_t{64}))),
          counts(memory_.get(), keys) {
        std::memset(memory_.get(), 0xa5, KeyCounts::bytes(keys));  // clear() must not rely on zeros
        counts.clear();
    }

  private:
    std::unique_ptr<std::byte[], FreeCounters> memory_;

  public:
    KeyCounts counts;
};

using Bytes = std::vector<std::uint8_t>;

const std::byte* bytes_of(const Bytes& values) {
    return reinterpret_cast<const std::byte*>(values.data());
}

std::vector<std::uint64_t> counted(const Bytes& values, std::size_t begin) {
    std::vector<std::uint64_t> counts(256, 7);  // add_to() adds
    for (std::size_t i = begin; i < values.size(); ++i) ++counts[values[i]];
    return counts;
}

std::vector<std::uint64_t> totals_of(const KeyCounts& counts) {
    std::vector<std::uint64_t> totals(256, 7);
    counts.add_to(totals.data(), 256);
    return totals;
}

struct Kind {
    const char* name;
    std::function<std::uint8_t(std::size_t, std::mt19937&)> make;
};

const Kind kKinds[] = {
    {"uniform", [](std::size_t, std::mt19937& random) { return static_cast<std::uint8_t>(random()); }},
    {"two values",
     [](std::size_t, std::mt19937& random) { return static_cast<std::uint8_t>(random() % 2 * 255); }},
    {"equal", [](std::size_t, std::mt19937&) { return std::uint8_t{200}; }},
    {"steps", [](std::size_t i, std::mt19937&) { return static_cast<std::uint8_t>(i / 3000); }},
    {"ascending", [](std::size_t i, std::mt19937&) { return static_cast<std::uint8_t>(i); }},
    {"flat but for one",
     [](std::size_t i, std::mt19937&) { return static_cast<std::uint8_t>(i % 6001 == 6000); }},
};

Bytes make(const Kind& kind, std::size_t n, std::mt19937& random) {
    Bytes values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = kind.make(i, random);
    return values;
}

TEST(KeyCounts, CountBytesOfAnyNumberAndAddress) {
    std::mt19937 random(20261);
    for (const Kind& kind : kKinds)
        for (const std::size_t n : {0, 1, 31, 1023, 1024, 2048, 16384, 18431, 18432, 18433, 40000, 100001}) {
            const std::size_t skipped = random() % 64;
            const Bytes values = make(kind, n + skipped, random);
            Counters counters(256);
            counters.counts.count_u8(bytes_of(values) + skipped, n);
            EXPECT_EQ(totals_of(counters.counts), counted(values, skipped))
                << kind.name << ", " << n << " bytes";
        }
}

TEST(KeyCounts, CountBytesInCallsOfAnySize) {
    const unsigned seed = std::random_device{}();
    std::mt19937 random(seed);
    for (const Kind& kind : kKinds) {
        const Bytes values = make(kind, 200000, random);
        Counters counters(256);
        for (int round = 0; round < 2; ++round) {  // the second after a clear()
            for (std::size_t begin = 0; begin < values.size();) {
                const std::size_t n = std::min<std::size_t>(random() % 9000, values.size() - begin);
                counters.counts.count_u8(bytes_of(values) + begin, n);
                begin += n;
            }
            EXPECT_EQ(totals_of(counters.counts), counted(values, 0)) << kind.name << ", seed " << seed;
            counters.counts.clear();
            EXPECT_EQ(totals_of(counters.counts), std::vector<std::uint64_t>(256, 7));
        }
    }
}

TEST(KeyCounts, AddNoMoreKeysThanAskedFor) {
    std::mt19937 random(20262);
    const Bytes values = make(kKinds[0], 60000, random);
    Counters counters(256);
    counters.counts.count_u8(bytes_of(values), values.size() / 2);
    counters.counts.count_u8(bytes_of(values) + values.size() / 2, values.size() / 2);
    std::vector<std::uint64_t> totals(256, 7), wanted = counted(values, 0);
    counters.counts.add_to(totals.data(), 100);
    std::fill(wanted.begin() + 100, wanted.end(), 7);
    EXPECT_EQ(totals, wanted);
}

TEST(KeyCounts, HaveRoomUntilTheCountersCouldOverflow) {
    Counters counters(256);
    const Bytes values(1 << 20, 3);
    while (counters.counts.has_capacity(values.size()))
        counters.counts.count_u8(bytes_of(values), values.size());
    EXPECT_EQ(totals_of(counters.counts)[3], 7 + (std::uint64_t{4095} << 20));
    EXPECT_TRUE(counters.counts.has_capacity((1 << 20) - 1));
    counters.counts.count_u8(bytes_of(values), (1 << 20) - 1);
    EXPECT_FALSE(counters.counts.has_capacity(1));
    EXPECT_EQ(totals_of(counters.counts)[3], 7 + std::uint64_t{0xffffffff});
}

TEST(BytePlanes, CountEveryByteOfABlock) {
    if (!has_byte_planes()) GTEST_SKIP() << "this machine, or its instruction set by wish, counts no planes";
    std::mt19937 random(20263);
    for (const Kind& kind : kKinds) {
        const Bytes values = make(kind, 3 * kPlaneBlock + 5, random);
        PlaneSums sums = {};
        for (int block = 0; block < 3; ++block)
            count_byte_planes(bytes_of(values) + 5 + block * kPlaneBlock, &sums);
        std::vector<std::uint64_t> counts(256, 7);
        add_plane_counts(sums, 3 * kPlaneBlock, counts.data());
        EXPECT_EQ(counts, counted(values, 5)) << kind.name;
    }
}

}  // namespace
}  // namespace tegu::kernels
