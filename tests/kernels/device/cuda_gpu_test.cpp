// SPDX-License-Identifier: Apache-2.0
// The data paths of every memory class on the GPU at hand, as far as its attributes allow to force them.
// Skipped without one.
#include <gtest/gtest.h>

#include "kernels/device/gpu_runner.h"
#include "tests/kernels/device/runner_cases.h"

namespace tegu::device {
namespace {

using test::ClientFile;
using test::copies;
using test::RunnerCase;

constexpr std::uint64_t kCount = 300000;

class CudaGpus : public testing::TestWithParam<MemoryClass> {
  protected:
    void SetUp() override {
        const Result<DeviceInfo> device = choose_device(probe_devices(), {-1, GetParam()});
        if (!device) GTEST_SKIP() << device.error().message;
        Result<std::unique_ptr<Gpu>> opened = open_gpu(*device, GpuLimits());
        ASSERT_TRUE(opened.ok()) << opened.error().message;
        gpu = std::move(opened).value();
        Result<std::unique_ptr<GpuRunner>> made = GpuRunner::create(*gpu, GpuRunnerLimits());
        ASSERT_TRUE(made.ok()) << made.error().message;
        runner = std::move(made).value();
    }
    // x + y into z, and what z then has to be.
    void expect_sum(RunnerCase& jobs, ClientFile& x, ClientFile& y, ClientFile& z) {
        std::vector<std::int32_t> expected(kCount);
        for (std::uint64_t i = 0; i < kCount; ++i) expected[i] = x.values()[i] + y.values()[i];
        ASSERT_TRUE(jobs.add(x, y, z, kCount)) << jobs.error.message;
        for (std::uint64_t i = 0; i < kCount; ++i)
            ASSERT_EQ(expected[i], z.values()[i]) << i << ", " << jobs.policy;
    }
    std::unique_ptr<Gpu> gpu;
    std::unique_ptr<GpuRunner> runner;
};

TEST_P(CudaGpus, SeesEveryChangeAndWritesResults) {
    RunnerCase jobs(*runner);
    ClientFile x(1, kCount * 4), y(2, kCount * 4), z(3, kCount * 4);
    test::fill(x, kCount);
    test::fill(y, kCount);
    expect_sum(jobs, x, y, z);
    x.values()[5] += 70;  // no commit
    expect_sum(jobs, x, y, z);
    RecordProperty("policy", jobs.policy);
    if (copies(GetParam())) {
        EXPECT_EQ(3 * kCount * 4, jobs.cost.moved.bytes_copied);
    } else {
        // Inputs are registered as read-only, which not every driver can do: then they are copied, and the
        // policy says so.
        const bool refused =
            GetParam() == MemoryClass::B && jobs.policy.find("cudaHostRegister") != std::string::npos;
        std::printf("%s\n", refused ? jobs.policy.c_str() : "nothing was copied");
        EXPECT_EQ(refused ? 2 * kCount * 4 : 0, jobs.cost.moved.bytes_copied) << jobs.policy;
    }
}

TEST_P(CudaGpus, CopiesOnceForEachGeneration) {
    if (!copies(GetParam())) GTEST_SKIP() << "this class copies nothing";
    RunnerCase jobs(*runner);
    ClientFile x(1, kCount * 4);
    test::fill(x, kCount);
    const std::int64_t sum = std::int64_t{kCount} * (kCount + 1) / 2;
    for (const std::uint64_t generation : {1, 2}) {
        EXPECT_EQ(sum, jobs.sum(x, generation, 0, kCount)) << jobs.error.message;
        EXPECT_GE(jobs.cost.moved.bytes_copied, kCount * 4) << generation;
        EXPECT_EQ(sum, jobs.sum(x, generation, 0, kCount)) << jobs.error.message;
        EXPECT_LT(jobs.cost.moved.bytes_copied, 64u) << generation << ": the result alone";
    }
}

TEST_P(CudaGpus, WorksInPlace) {
    RunnerCase jobs(*runner);
    ClientFile x(1, kCount * 4), y(2, kCount * 4);
    test::fill(x, kCount);
    test::fill(y, kCount);
    expect_sum(jobs, x, y, x);
    expect_sum(jobs, x, y, x);
}

TEST_P(CudaGpus, AllocatesNothingWhenWarm) {
    RunnerCase jobs(*runner);
    ClientFile x(1, kCount * 4), y(2, kCount * 4), z(3, kCount * 4);
    expect_sum(jobs, x, y, z);
    const std::uint64_t allocations = runner->arena().allocations();
    for (int i = 0; i < 10; ++i) expect_sum(jobs, x, y, z);
    EXPECT_EQ(allocations, runner->arena().allocations());
}

TEST_P(CudaGpus, RandomRangesOfALargeBufferAreSeen) {
    const GpuRunnerLimits little{6 << 20, 4 << 20};
    const std::unique_ptr<GpuRunner> small = std::move(GpuRunner::create(*gpu, little)).value();
    test::read_random_ranges(*small);
    EXPECT_LE(small->arena().held_bytes(), little.arena_bytes);
}

TEST_P(CudaGpus, ADroppedBufferMayEnd) {
    RunnerCase jobs(*runner);
    ClientFile y(2, kCount * 4), z(3, kCount * 4);
    for (std::uint64_t i = 0; i < 5; ++i) {
        ClientFile x(10 + i, kCount * 4);
        test::fill(x, kCount);
        expect_sum(jobs, x, y, z);
        runner->drop(10 + i);
    }
}

INSTANTIATE_TEST_SUITE_P(Memory, CudaGpus,
                         testing::Values(MemoryClass::A, MemoryClass::B, MemoryClass::C,
                                         MemoryClass::Discrete),
                         [](const auto& each) { return std::string(memory_class_word(each.param)); });

}  // namespace
}  // namespace tegu::device
