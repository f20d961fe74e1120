// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/gpu_probe.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/device/guard_gpu.h"

namespace tegu::device {
namespace {

class EveryClass : public testing::TestWithParam<MemoryClass> {
  protected:
    static GuardOptions options() {
        GuardOptions options;
        options.memory_class = GetParam();
        return options;
    }
};

TEST_P(EveryClass, ADeviceThatComputesPassesAndKeepsNoMoreMemoryEachTime) {
    GuardGpu gpu(options());
    const auto runner = GpuRunner::create(gpu, {}).value();
    ASSERT_TRUE(probe_gpu(*runner).ok());
    EXPECT_EQ(1u, gpu.kernels_run());
    const std::size_t held = runner->arena().held_bytes();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(probe_gpu(*runner).ok());
    EXPECT_EQ(held, runner->arena().held_bytes());
}

TEST_P(EveryClass, ADeviceThatIsLostFails) {
    GuardGpu gpu(options());
    const auto runner = GpuRunner::create(gpu, {}).value();
    gpu.fail_next(make_error(Status::DeviceLost, "it fell off the bus"));
    const Result<void> lost = probe_gpu(*runner);
    ASSERT_FALSE(lost.ok());
    EXPECT_EQ(Status::DeviceLost, lost.error().status);
}

TEST_P(EveryClass, ADeviceWithoutMemoryHasAnswered) {
    GuardGpu gpu(options());
    const auto runner = GpuRunner::create(gpu, {}).value();
    gpu.take_elsewhere(gpu.info().memory_bytes);
    EXPECT_TRUE(probe_gpu(*runner).ok());
    gpu.throw_next();
    EXPECT_TRUE(probe_gpu(*runner).ok());
}

// Each result is one off.
class WrongGpu final : public GuardGpu {
  public:
    using GuardGpu::GuardGpu;
    Result<kernels::RunReport> run(const cuda::JobRun& run, Stream stream,
                                   const cuda::JobPolicies& policies = cuda::JobPolicies()) override {
        Job other = run.job;
        --other.cols;
        return GuardGpu::run({other, {}, run.inputs, run.outputs, run.stop}, stream, policies);
    }
};

TEST_P(EveryClass, ADeviceThatComputesWrongSumsFails) {
    WrongGpu gpu(options());
    const auto runner = GpuRunner::create(gpu, {}).value();
    const Result<void> wrong = probe_gpu(*runner);
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(Status::Internal, wrong.error().status);
    EXPECT_NE(std::string::npos, wrong.error().message.find("wrong sums")) << wrong.error().message;
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryClass,
                         testing::Values(MemoryClass::A, MemoryClass::B, MemoryClass::C,
                                         MemoryClass::Discrete),
                         [](const auto& each) { return std::string(memory_class_word(each.param)); });

}  // namespace
}  // namespace tegu::device
