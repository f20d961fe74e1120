// SPDX-License-Identifier: Apache-2.0
// The shapes of launches of reduce and dot, on a small and on a large GPU: a pure function, so no GPU is
// needed.
#include "kernels/statistics/cuda/shape.h"

#include <gtest/gtest.h>

#include <string>

namespace tegu::test {
namespace {

const cuda::ReducePolicy kPolicies[] = {
    {128, 16, 4, 64 << 20}, {512, 4, 1, 64 << 20}, {256, 16, 2, 1}, {32, 1, 1, 100000}, {64, 2, 3, 4096}};

const cuda::DeviceLimits kNano{53, 1, 2048, 48 << 10, 256 << 10};
const cuda::DeviceLimits kServer{90, 132, 2048, 227 << 10, 50 << 20};

cuda::ReduceShape shape_of(std::uint64_t segments, std::uint64_t n, const cuda::DeviceLimits& limits,
                           unsigned max_tiles = 16) {
    return cuda::choose_reduce_shape({segments, n, 1024, 4, max_tiles, 512}, cuda::kDefaultReducePolicy,
                                     limits);
}

TEST(ReduceShape, GroupsCoverTheSegmentAndAreChunksAtLeast) {
    for (const cuda::DeviceLimits& limits : {kNano, kServer})
        for (const std::uint64_t segments : {1, 2, 1000, 10000000})
            for (std::uint64_t n :
                 {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1025}, std::uint64_t{16384},
                  std::uint64_t{16385}, std::uint64_t{10000000}, std::uint64_t{1} << 40})
                for (const cuda::ReducePolicy& policy : kPolicies) {
                    const cuda::ReduceShape shape =
                        cuda::choose_reduce_shape({segments, n, 1024, 4, 4, 256}, policy, limits);
                    const std::string at = std::to_string(segments) + " x " + std::to_string(n);
                    EXPECT_LE(shape.threads, 256u) << at;
                    EXPECT_LE(shape.tiles_per_warp, 4u) << at;
                    EXPECT_EQ(shape.threads % 32, 0u) << at;
                    if (shape.row_lanes != 0) {
                        EXPECT_GE(shape.row_lanes * 4, n) << at;
                        EXPECT_LE(shape.row_lanes, 32u) << at;
                        EXPECT_GE(shape.blocks, 1u) << at;
                        continue;
                    }
                    const std::uint64_t group = std::uint64_t{shape.team_warps} * shape.tiles_per_warp;
                    EXPECT_GE(group * shape.groups * 1024, n) << at;
                    EXPECT_EQ(shape.threads / 32 % shape.team_warps, 0u) << at;
                    if (shape.groups > 1) {
                        EXPECT_GE(group, cuda::kTilesPerChunk) << at;
                        EXPECT_EQ(shape.teams(), 1u) << at;
                        EXPECT_EQ(shape.closing.fan, 2 * shape.threads) << at;
                        EXPECT_GE(shape.closing.tickets * shape.closing.fan, shape.closing.partials) << at;
                        EXPECT_EQ(shape.closing.partials + 1, shape.groups + shape.closing.tickets) << at;
                    }
                }
}

TEST(ReduceShape, SmallWorkSpreadsAndLargeWorkTakesSeveralTilesAWarp) {
    EXPECT_EQ(shape_of(1, 10000, kServer), (cuda::ReduceShape{512, 1, 16, 1, 0, 0}));
    EXPECT_EQ(shape_of(1, 1000000, kServer), (cuda::ReduceShape{512, 1, 16, 62, 0, 0}));
    EXPECT_EQ(shape_of(1, 10000000, kServer), (cuda::ReduceShape{256, 4, 8, 306, 0, 0}));
    EXPECT_EQ(shape_of(1, std::uint64_t{1} << 29, kServer), (cuda::ReduceShape{128, 16, 4, 8192, 0, 0}));
    EXPECT_EQ(shape_of(1, 1000000, kNano).tiles_per_warp, 16u);
    EXPECT_EQ(shape_of(1, 10000, kNano), (cuda::ReduceShape{256, 2, 8, 1, 0, 0}));
    EXPECT_EQ(shape_of(1000000, 16, kServer), (cuda::ReduceShape{128, 4, 1, 1, 1, 7813}));
    EXPECT_EQ(shape_of(1000000, 128, kServer).row_lanes, 4u);
    EXPECT_EQ(shape_of(100, 128, kServer).row_lanes, 32u);
    EXPECT_EQ(shape_of(100000, 1000, kServer).team_warps, 1u);
    EXPECT_EQ(shape_of(1000, 100000, kServer), (cuda::ReduceShape{256, 16, 8, 1, 0, 0}));
}

TEST(ReduceShape, GroupsWithoutOrderAreSmallWhereMultiprocessorsAreFree) {
    const auto bytes = [](std::uint64_t n, const cuda::DeviceLimits& limits) {
        cuda::ReduceWorkload work{1, n, 4096, 16, 16, 512};
        work.any_groups = true;
        return cuda::choose_reduce_shape(work, cuda::kDefaultReducePolicy, limits);
    };
    EXPECT_EQ(bytes(65536, kServer), (cuda::ReduceShape{512, 1, 16, 1, 0, 0}));
    EXPECT_EQ(bytes(65537, kServer), (cuda::ReduceShape{128, 1, 4, 5, 0, 0}));
    EXPECT_EQ(bytes(1000000, kServer), (cuda::ReduceShape{128, 1, 4, 62, 0, 0}));
    EXPECT_EQ(bytes(4000000, kServer), (cuda::ReduceShape{256, 1, 8, 123, 0, 0}));
    EXPECT_EQ(bytes(1000000, kNano).tiles_per_warp, 16u);
}

}  // namespace
}  // namespace tegu::test
