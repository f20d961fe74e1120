// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/arena.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/device/guard_gpu.h"

namespace tegu::device {
namespace {

constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;

TEST(Arena, BlocksComeInFourSizesAnOctave) {
    EXPECT_EQ(64 * kKiB, Arena::block_bytes(0));
    EXPECT_EQ(64 * kKiB, Arena::block_bytes(64 * kKiB));
    EXPECT_EQ(80 * kKiB, Arena::block_bytes(64 * kKiB + 1));
    EXPECT_EQ(80 * kKiB, Arena::block_bytes(80 * kKiB));
    EXPECT_EQ(96 * kKiB, Arena::block_bytes(80 * kKiB + 1));
    EXPECT_EQ(128 * kKiB, Arena::block_bytes(128 * kKiB));
    EXPECT_EQ(160 * kKiB, Arena::block_bytes(128 * kKiB + 1));
    for (std::size_t bytes = 1; bytes < 4 * kMiB; bytes += 997) {
        EXPECT_GE(Arena::block_bytes(bytes), bytes);
        EXPECT_LE(Arena::block_bytes(bytes), std::max(64 * kKiB, bytes + bytes / 4));
        EXPECT_EQ(Arena::block_bytes(bytes), Arena::block_bytes(Arena::block_bytes(bytes)));
    }
}

TEST(Arena, AllocatesNothingWhenWarm) {
    GuardGpu gpu{GuardOptions()};
    Arena arena(gpu, Arena::Kind::Managed, 16 * kMiB);
    for (int round = 0; round < 5; ++round) {
        Result<Block> small = arena.take(1000 + static_cast<std::size_t>(round));
        Result<Block> large = arena.take(kMiB - static_cast<std::size_t>(round));
        ASSERT_TRUE(small.ok() && large.ok());
        EXPECT_EQ(arena.held_bytes(), arena.used_bytes());
    }
    EXPECT_EQ(2u, arena.allocations());
    EXPECT_EQ(0u, arena.used_bytes());
    EXPECT_EQ(kMiB + 64 * kKiB, arena.held_bytes());
}

TEST(Arena, NeverHoldsMoreThanItsLimit) {
    GuardGpu gpu{GuardOptions()};
    Arena arena(gpu, Arena::Kind::Device, kMiB);
    {
        Result<Block> first = arena.take(700 * kKiB);
        ASSERT_TRUE(first.ok());
        const Result<Block> second = arena.take(400 * kKiB);
        ASSERT_FALSE(second.ok());
        EXPECT_EQ(Status::OutOfMemory, second.error().status);
    }
    EXPECT_TRUE(arena.take(400 * kKiB).ok()) << "what is free makes room";
    EXPECT_LE(arena.held_bytes(), kMiB);
    EXPECT_EQ(Status::OutOfMemory, arena.take(kMiB + 1).error().status);
    EXPECT_TRUE(arena.take(kMiB - 1).ok()) << "rounding is no reason to refuse";
}

TEST(Arena, GivesUpFreeBlocksWhenTheDeviceIsFull) {
    GuardOptions options;
    options.memory_bytes = kMiB;
    GuardGpu gpu(options);
    Arena arena(gpu, Arena::Kind::Managed, 64 * kMiB);
    { ASSERT_TRUE(arena.take(700 * kKiB).ok()); }
    EXPECT_TRUE(arena.take(500 * kKiB).ok());
    EXPECT_EQ(Status::OutOfMemory, arena.take(2 * kMiB).error().status);
    EXPECT_TRUE(arena.take(kKiB).ok()) << "it lives on";
}

TEST(Arena, BlocksMove) {
    GuardGpu gpu{GuardOptions()};
    Arena arena(gpu, Arena::Kind::Managed, kMiB);
    Block block = std::move(arena.take(1)).value();
    Block other = std::move(block);
    EXPECT_FALSE(block);
    EXPECT_TRUE(other);
    block = std::move(arena.take(1)).value();
    EXPECT_NE(block.data(), other.data());
    other = std::move(block);
    EXPECT_EQ(64 * kKiB, arena.used_bytes());
    other.reset();
    EXPECT_EQ(0u, arena.used_bytes());
}

}  // namespace
}  // namespace tegu::device
