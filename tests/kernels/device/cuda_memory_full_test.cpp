// SPDX-License-Identifier: Apache-2.0
// A GPU whose memory somebody else holds, and one that is lost. Skipped without a GPU.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "tests/kernels/device/runner_cases.h"

namespace tegu::device {
namespace {

using test::ClientFile;
using test::RunnerCase;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kCount = 16 * kMiB;  // of i32: 64 MiB

// All memory of the current device that can be had.
class Holder {
  public:
    Holder() {
        for (std::size_t piece = std::size_t{64} << 30; piece >= kMiB / 2; piece /= 2) {
            void* memory = nullptr;
            while (cudaMalloc(&memory, piece) == cudaSuccess) held_.push_back(memory);
            (void)cudaGetLastError();
        }
    }
    ~Holder() {
        for (void* const memory : held_) (void)cudaFree(memory);
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    bool empty() const { return held_.empty(); }

  private:
    std::vector<void*> held_;
};

struct OpenedGpu {
    explicit OpenedGpu(MemoryClass memory_class) {
        Result<DeviceInfo> device = choose_device(probe_devices(), {-1, memory_class});
        if (!device) return;
        gpu = std::move(open_gpu(*device, GpuLimits())).value();
        runner = std::move(GpuRunner::create(*gpu, GpuRunnerLimits())).value();
    }
    std::unique_ptr<Gpu> gpu;
    std::unique_ptr<GpuRunner> runner;
};

class FullGpu : public testing::TestWithParam<MemoryClass> {
  protected:
    void SetUp() override {
        if (opened.runner == nullptr) GTEST_SKIP() << "no GPU of this class";
    }
    OpenedGpu opened{GetParam()};
};

TEST_P(FullGpu, AnswersAndRunsJobsAgainWhenThereIsMemory) {
    RunnerCase jobs(*opened.runner);
    ClientFile file(1, kCount * 4), other(2, kCount * 4);
    file.values()[7] = 5;
    other.values()[7] = 6;
    EXPECT_EQ(6, jobs.sum(other, 1, 0, kCount)) << jobs.error.message;
    {
        const Holder holder;
        ASSERT_FALSE(holder.empty());
        for (int i = 0; i < 3; ++i) {
            const std::int64_t sum = jobs.sum(file, 1, 0, kCount);
            if (sum != 5) {
                EXPECT_EQ(Status::OutOfMemory, jobs.error.status) << jobs.error.message;
            }
            // Memory of the device is the only kind there: what the other copy held is not enough twice.
            RecordProperty("full", sum == 5 ? "ran" : jobs.error.message);
        }
    }
    EXPECT_EQ(5, jobs.sum(file, 1, 0, kCount)) << jobs.error.message;
    EXPECT_EQ(6, jobs.sum(other, 1, 0, kCount)) << jobs.error.message;
    EXPECT_TRUE(jobs.add(file, other, file, kCount)) << jobs.error.message;
    EXPECT_EQ(11, file.values()[7]);
}

TEST_P(FullGpu, OfAFreshProcessAnswers) {
    const Holder holder;
    RunnerCase jobs(*opened.runner);
    ClientFile file(1, kCount * 4);
    file.values()[7] = 5;
    const std::int64_t sum = jobs.sum(file, 1, 0, kCount);
    if (GetParam() == MemoryClass::Discrete) {
        EXPECT_EQ(-1, sum);
    }
    if (sum != 5) {
        EXPECT_EQ(Status::OutOfMemory, jobs.error.status) << jobs.error.message;
    }
}

TEST_P(FullGpu, ARefusedCallIsNoLoss) {
    const Result<void> refused = opened.gpu->copy(nullptr, nullptr, 64, nullptr);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(Status::Internal, refused.error().status) << refused.error().message;
    RunnerCase jobs(*opened.runner);
    ClientFile file(1, kMiB);
    file.values()[7] = 5;
    EXPECT_EQ(5, jobs.sum(file, 0, 0, kMiB / 4)) << jobs.error.message;
}

// In a process of its own: a kernel reads where nothing is.
void lose_the_device(MemoryClass memory_class) {
    OpenedGpu opened(memory_class);
    const Stream stream = opened.gpu->create_stream().value();
    void* const result = opened.gpu->allocate_device(64).value();
    Job job;
    job.type = ElementType::I32;
    job.cols = 1024;
    ReduceParams params;
    params.statistics = statistic_bit(Statistic::Sum);
    job.params = params;
    const kernels::InputView input{reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 20), job.cols};
    const kernels::OutputView output{static_cast<std::byte*>(result)};
    const Result<kernels::RunReport> report =
        opened.gpu->run({job, {}, {&input, 1}, {&output, 1}, {}}, stream);
    const Result<void*> next = opened.gpu->allocate_device(64);
    std::fprintf(stderr, "%s\n", report ? "it ran" : report.error().message.c_str());
    const bool lost = !report && report.error().status == Status::DeviceLost && !next &&
                      next.error().status == Status::DeviceLost;
    std::_Exit(lost ? 0 : 1);
}

TEST_P(FullGpu, AnIllegalAccessLosesTheDevice) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(lose_the_device(GetParam()), testing::ExitedWithCode(0), "illegal memory access");
}

INSTANTIATE_TEST_SUITE_P(Memory, FullGpu,
                         testing::Values(MemoryClass::A, MemoryClass::B, MemoryClass::C,
                                         MemoryClass::Discrete),
                         [](const auto& each) { return std::string(memory_class_word(each.param)); });

}  // namespace
}  // namespace tegu::device
