// SPDX-License-Identifier: Apache-2.0
// The data paths of every memory class on the GPU at hand, as far as its attributes allow to force them. Skipped without one.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

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
        for (std::uint64_t i = 0; i < kCount; ++i) ASSERT_EQ(expected[i], z.values()[i]) << i << ", " << jobs.policy;
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

// Ranges that overlap, lie within each other, or are too much to be held at once.
TEST_P(CudaGpus, RangesOfALargeBufferGiveTheSumsOfTheirContent) {
    GpuRunnerLimits limits;
    limits.arena_bytes = std::size_t{48} << 20;
    limits.registered_bytes = std::size_t{32} << 20;
    const std::unique_ptr<GpuRunner> small = std::move(GpuRunner::create(*gpu, limits)).value();
    RunnerCase jobs(*small);
    constexpr std::uint64_t kValues = 16 << 20;  // 64 MiB
    ClientFile file(1, kValues * 4);
    for (std::uint64_t i = 0; i < kValues; ++i) file.values()[i] = static_cast<std::int32_t>(i % 1000);
    std::uint64_t generation = 1;
    std::mt19937_64 random(11);
    for (int job = 0; job < 200; ++job) {
        const std::uint64_t most[] = {100, 100000, 6 << 20};
        const std::uint64_t count = 1 + random() % most[random() % 3];
        const std::uint64_t first = random() % (kValues - count);
        if (random() % 4 == 0) {
            file.values()[first] += 17;
            ++generation;
        }
        const std::int32_t* const from = file.values() + first;
        const std::uint64_t promised = random() % 2 == 0 ? generation : 0;
        ASSERT_EQ(std::accumulate(from, from + count, std::int64_t{0}), jobs.sum(file, promised, first, count))
            << "seed 11, job " << job << ": " << jobs.error.message << ", " << jobs.policy;
        if (job == 100) small->allow_registering(1, true);  // lets go of all
    }
    EXPECT_LE(small->registered_bytes(), limits.registered_bytes);
    EXPECT_LE(small->arena().held_bytes(), limits.arena_bytes);
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
                         testing::Values(MemoryClass::A, MemoryClass::B, MemoryClass::C, MemoryClass::Discrete),
                         [](const auto& each) { return std::string(memory_class_word(each.param)); });

}  // namespace
}  // namespace tegu::device
