// SPDX-License-Identifier: Apache-2.0
// What is believed of boards and only a board can show, each with a line of what was found:
// docs/hardware-checklist.md names these tests. On a discrete GPU what is said of boards is skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "kernels/device/device_info.h"
#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/test_device.h"
#include "tests/kernels/cuda/varied_job.h"

namespace tegu::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kBytes = 1 << 20;

class Hardware : public testing::Test {
  protected:
    void SetUp() override {
        const device::DeviceList list = device::probe_devices();
        if (list.devices.empty()) GTEST_SKIP() << "no GPU: " << list.reason;
        device_ = list.devices[0];
    }
    device::DeviceInfo device_;
};

int attribute(cudaDeviceAttr name) {
    int value = 0;
    EXPECT_EQ(cudaSuccess, cudaDeviceGetAttribute(&value, name, 0));
    return value;
}

TEST_F(Hardware, BoardHasItsMemoryClass) {
    const device::MemoryAttributes& has = device_.attributes;
    std::printf(
        "%s, sm_%u: integrated %d, managed %d, concurrent %d, pageable %d, registers %d, maps %d: class %s\n",
        device_.name.c_str(), device_.limits.compute_capability, has.integrated, has.managed_memory,
        has.concurrent_managed_access, has.pageable_memory_access, has.host_register_supported,
        has.can_map_host_memory, std::string(device::memory_class_word(device_.memory_class)).c_str());
    struct {
        unsigned capability;
        device::MemoryClass memory_class;
    } const boards[] = {{53, device::MemoryClass::A},
                        {62, device::MemoryClass::A},
                        {72, device::MemoryClass::B},
                        {87, device::MemoryClass::B},
                        {110, device::MemoryClass::C}};
    if (!has.integrated) GTEST_SKIP() << "no board: a discrete GPU";
    bool is_known = false;
    for (const auto& board : boards) {
        if (board.capability != device_.limits.compute_capability) continue;
        is_known = true;
        EXPECT_EQ(board.memory_class, device_.memory_class);
    }
    EXPECT_TRUE(is_known) << "no board that tegu knows";
}

TEST_F(Hardware, BlocksMayHaveTheSharedMemoryThatPoliciesAskFor) {
    std::printf(
        "shared memory of a block: %d B, when asked for %zu B; of a multiprocessor %d B; registers %d; L2 "
        "%zu B\n",
        attribute(cudaDevAttrMaxSharedMemoryPerBlock), device_.limits.shared_bytes_per_block,
        attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
        attribute(cudaDevAttrMaxRegistersPerMultiprocessor), device_.limits.l2_bytes);
    EXPECT_GE(device_.limits.shared_bytes_per_block, std::size_t{48} << 10);
}

// A mapping of a client's memory, as the daemon registers it.
TEST_F(Hardware, ClientsMemoryIsRegisteredAtItsAddress) {
    if (!device_.attributes.host_register_supported) GTEST_SKIP() << "host memory cannot be registered";
    const int fd = memfd_create("client", MFD_CLOEXEC);
    ASSERT_EQ(0, ftruncate(fd, kBytes));
    void* const data = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ASSERT_NE(MAP_FAILED, data);
    std::memset(data, 7, kBytes);
    ASSERT_EQ(cudaSuccess, cudaHostRegister(data, kBytes, cudaHostRegisterMapped));
    void* address = nullptr;
    ASSERT_EQ(cudaSuccess, cudaHostGetDevicePointer(&address, data, 0));
    std::printf("a registered mapping has %s for kernels\n",
                address == data ? "the same address" : "another address");
    EXPECT_EQ(cudaSuccess, cudaHostUnregister(data));

    munmap(data, kBytes);
    void* const readable = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd, 0);
    ASSERT_NE(MAP_FAILED, readable);
#if CUDART_VERSION >= 11010
    const int promised = attribute(cudaDevAttrHostRegisterReadOnlySupported);
    const cudaError_t registered =
        cudaHostRegister(readable, kBytes, cudaHostRegisterMapped | cudaHostRegisterReadOnly);
    std::printf("a read-only mapping: promised %d, %s\n", promised, cudaGetErrorName(registered));
    if (promised != 0) {
        EXPECT_EQ(cudaSuccess, registered);
    }
#else
    const cudaError_t registered = cudaHostRegister(readable, kBytes, cudaHostRegisterMapped);
    std::printf("a read-only mapping: this toolkit knows none, %s\n", cudaGetErrorName(registered));
#endif
    if (registered == cudaSuccess) {
        EXPECT_EQ(cudaSuccess, cudaHostUnregister(readable));
    }
    (void)cudaGetLastError();  // a refusal is an answer
    munmap(readable, kBytes);
    close(fd);
}

// The longest time for which a stop is not seen is that of one launch.
class Stops : public Hardware {
  protected:
    void SetUp() override {
        Hardware::SetUp();
        if (IsSkipped()) return;
        const char* why_not = "";
        context_ = test_context(&why_not);
        ASSERT_NE(nullptr, context_) << why_not;
        n_ = std::min<std::uint64_t>(largest_test_elements(), device_.memory_bytes / 256);
        x_ = std::make_unique<DeviceBytes>(4 * n_);
        ASSERT_EQ(cudaSuccess, cudaMemset(x_->data(), 0x3e, 4 * n_));
        ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    }

    // Nine runs with a deadline in their midst; prints how long after it they went on.
    void run_with_deadlines(const std::string& name, const Job& job, std::uint64_t row_stride) {
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        ASSERT_TRUE(plan) << name << ": " << plan.error().message;
        std::vector<std::unique_ptr<DeviceBytes>> memory;
        std::vector<kernels::OutputView> outputs;
        for (const ArraySpec& spec : plan->outputs) {
            memory.push_back(std::make_unique<DeviceBytes>(array_bytes(spec)));
            outputs.push_back({memory.back()->data()});
        }
        const std::vector<kernels::InputView> inputs(
            static_cast<std::size_t>(info_of(operation_of(job)).inputs), {x_->data(), row_stride});
        double worst = 0;
        int stopped = 0;
        Result<kernels::RunReport> whole =
            run_on_device(job, inputs, outputs, *context_, kernels::StopToken());
        const Clock::time_point began = Clock::now();
        if (whole) whole = run_on_device(job, inputs, outputs, *context_, kernels::StopToken());  // warm
        const Clock::duration took = Clock::now() - began;
        for (int tenth = 1; tenth < 10; ++tenth) {
            const Clock::time_point deadline = Clock::now() + took * tenth / 10;
            const Result<kernels::RunReport> report =
                run_on_device(job, inputs, outputs, *context_, kernels::StopToken(nullptr, deadline));
            if (report) continue;
            ++stopped;
            EXPECT_EQ(Status::DeadlineExceeded, report.error().status) << report.error().message;
            worst =
                std::max(worst, std::chrono::duration<double, std::milli>(Clock::now() - deadline).count());
        }
        std::printf("%-24s %llu elements, %.2f ms: %d of 9 stopped, at most %.2f ms after their deadline%s\n",
                    name.c_str(), static_cast<unsigned long long>(job.rows * job.cols),
                    std::chrono::duration<double, std::milli>(took).count(), stopped, worst,
                    whole ? "" : (" (" + whole.error().message + ")").c_str());
    }

    const cuda::Context* context_ = nullptr;
    std::uint64_t n_ = 0;
    std::unique_ptr<DeviceBytes> x_;  // 4 * n_ bytes
};

TEST_F(Stops, AreSeenBetweenLaunches) {
    for (const OperationInfo& info : operation_infos()) {
        Job job = varied_job(info.operation, ElementType::F32, n_, 4);
        job.rows = std::min<std::uint64_t>(job.rows, n_ / job.cols);
        run_with_deadlines(std::string(info.stem), job, job.cols);
    }
}

// Of one column, and a gap between its elements: each takes a launch as long as many elements side by side.
TEST_F(Stops, AreSeenInNarrowArrays) {
    HistogramParams histogram;
    histogram.bins = 256;
    histogram.has_range = true;
    histogram.hi = 256;
    EntropyParams entropy;
    entropy.levels = 256;
    EntropyMapParams map;
    map.window_rows = map.window_cols = 5;
    map.levels = 16;
    EntropyMapParams large = map;
    large.window_rows = large.window_cols = 63;
    large.levels = 256;
    const std::pair<const char*, Job> jobs[] = {
        {"histogram, bytes", Job{ElementType::U8, Axis::Whole, 2 * n_, 1, histogram}},
        {"histogram, floats", Job{ElementType::F32, Axis::Whole, n_ / 2, 1, histogram}},
        {"entropy, bytes", Job{ElementType::U8, Axis::Whole, 2 * n_, 1, entropy}},
        {"entropy, floats", Job{ElementType::F32, Axis::Whole, n_ / 2, 1, entropy}},
        {"entropy_map, 5x5", Job{ElementType::U8, Axis::Whole, n_, 1, map}},
        {"entropy_map, 63x63", Job{ElementType::U8, Axis::Whole, n_ / 8, 1, large}},
        {"reduce", Job{ElementType::F32, Axis::Whole, n_ / 2, 1, ReduceParams{kAllStatistics, false, 0}}},
        {"reduce, rows",
         Job{ElementType::F32, Axis::Rows, n_ / 8, 1, ReduceParams{kAllStatistics, false, 0}}},
        {"quantile",
         Job{ElementType::F32, Axis::Whole, n_ / 2, 1, QuantileParams{{0.5}, QuantileMethod::Linear, false}}},
    };
    for (const auto& [name, job] : jobs) run_with_deadlines(name, job, 2);
}

}  // namespace
}  // namespace tegu::test
