// SPDX-License-Identifier: Apache-2.0
// GuardGpu: it computes as the CPU does, and refuses what a GPU could not do.
#include "kernels/device/guard_gpu.h"

#include <sys/mman.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "tests/kernels/device/guard_util.h"

namespace tegu::device {
namespace {

class GuardGpus : public testing::Test {
  protected:
    // Managed memory with 1, 2, 3, ...
    void* numbers(std::size_t count) {
        void* const memory = gpu.allocate_managed(count * 4).value();
        std::iota(static_cast<std::int32_t*>(memory), static_cast<std::int32_t*>(memory) + count, 1);
        return memory;
    }
    Result<kernels::RunReport> sum(const void* from, std::uint64_t count, void* to) {
        const kernels::InputView input{static_cast<const std::byte*>(from), count};
        const kernels::OutputView output{static_cast<std::byte*>(to)};
        return gpu.run({test::sum_job(count), {}, {&input, 1}, {&output, 1}, {}}, stream);
    }
    void to_host(void* memory) {
        ASSERT_TRUE(gpu.attach_to_host(memory, stream).ok());
        ASSERT_TRUE(gpu.synchronize(stream).ok());
    }
    GuardGpu gpu{GuardOptions()};
    Stream stream = gpu.create_stream().value();
};

TEST_F(GuardGpus, ComputeOnManagedMemory) {
    void* const input = numbers(100);
    void* const output = gpu.allocate_managed(8).value();
    ASSERT_TRUE(gpu.attach_to_stream(input, stream).ok());
    ASSERT_TRUE(gpu.attach_to_stream(output, stream).ok());
    const Result<kernels::RunReport> report = sum(input, 100, output);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(0u, report->policy.text().rfind("guard cpu", 0)) << report->policy.text();
    to_host(output);
    EXPECT_EQ(5050, *static_cast<std::int64_t*>(output));
    EXPECT_EQ(1u, gpu.kernels_run());
    to_host(input);
    gpu.free_managed(input);
    gpu.free_managed(output);
}

TEST_F(GuardGpus, ComputeOnDeviceMemory) {
    std::int32_t values[] = {1, 2, 4};
    std::int64_t result = 0;
    void* const memory = gpu.allocate_device(64).value();
    ASSERT_TRUE(gpu.copy(memory, values, sizeof values, stream).ok());
    ASSERT_TRUE(sum(memory, 3, static_cast<std::byte*>(memory) + 16).ok());
    ASSERT_TRUE(gpu.copy(&result, static_cast<std::byte*>(memory) + 16, 8, stream).ok());
    ASSERT_TRUE(gpu.synchronize(stream).ok());
    EXPECT_EQ(7, result);
    gpu.free_device(memory);
}

TEST_F(GuardGpus, WorkOfAStreamComesInOrderAndOfTwoSideBySide) {
    const Stream second = gpu.create_stream().value();
    void* const input = numbers(10);
    void* const output = gpu.allocate_managed(8).value();
    ASSERT_TRUE(gpu.attach_to_stream(input, stream).ok());
    ASSERT_TRUE(gpu.attach_to_stream(output, stream).ok());
    gpu.hold_kernels();
    std::atomic<bool> done{false};
    std::thread runs([&] {
        EXPECT_TRUE(sum(input, 10, output).ok());
        done = true;
    });
    gpu.wait_for_kernel();
    std::int32_t value = 3;
    std::int32_t back = 0;
    void* const apart = gpu.allocate_device(4).value();
    ASSERT_TRUE(gpu.copy(apart, &value, 4, second).ok());
    ASSERT_TRUE(gpu.copy(&back, apart, 4, second).ok());
    ASSERT_TRUE(gpu.synchronize(second).ok());
    EXPECT_EQ(3, back);
    EXPECT_FALSE(done.load());
    gpu.release_kernels();
    runs.join();
    to_host(output);
    EXPECT_EQ(55, *static_cast<std::int64_t*>(output));
    to_host(input);
    gpu.free_managed(input);
    gpu.free_managed(output);
}

// Each is an access that a GPU would answer with a sticky error.
TEST_F(GuardGpus, ARunWithMemoryOfTheHostLosesTheDevice) {
    std::int64_t result = 0;
    EXPECT_EQ(Status::DeviceLost, sum(numbers(4), 4, &result).error().status);
    EXPECT_EQ(Status::DeviceLost, gpu.synchronize(stream).error().status);
    EXPECT_EQ(Status::DeviceLost, gpu.allocate_device(4).error().status);
}

TEST_F(GuardGpus, ARunWithManagedMemoryOfTheHostLosesTheDevice) {
    void* const memory = gpu.allocate_device(64).value();
    const Result<kernels::RunReport> report = sum(numbers(4), 4, memory);
    ASSERT_FALSE(report.ok());
    EXPECT_NE(std::string::npos, report.error().message.find("attached to the host"))
        << report.error().message;
}

TEST_F(GuardGpus, ARunBeyondTheEndOfItsMemoryLosesTheDevice) {
    void* const memory = gpu.allocate_device(64).value();
    const Result<kernels::RunReport> report = sum(memory, 17, memory);
    ASSERT_FALSE(report.ok());
    EXPECT_NE(std::string::npos, report.error().message.find("beyond the end")) << report.error().message;
}

TEST_F(GuardGpus, FullMemoryIsAnAnswer) {
    GuardOptions small;
    small.memory_bytes = 1 << 20;
    GuardGpu full(small);
    EXPECT_EQ(Status::OutOfMemory, full.allocate_managed(2 << 20).error().status);
    EXPECT_TRUE(full.allocate_managed(1 << 19).ok());
    EXPECT_EQ(Status::OutOfMemory, full.allocate_device(1 << 20).error().status);
}

TEST_F(GuardGpus, FailAsTheyAreTold) {
    void* const memory = gpu.allocate_device(64).value();
    gpu.fail_next(make_error(Status::OutOfMemory, "no work space"));
    EXPECT_EQ(Status::OutOfMemory, sum(memory, 4, memory).error().status);
    EXPECT_TRUE(sum(memory, 4, static_cast<std::byte*>(memory) + 32).ok());
}

TEST(GuardMappings, AreRegisteredWhereTheClassHasIt) {
    void* const shared = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    void* const own = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(MAP_FAILED, shared);
    ASSERT_NE(MAP_FAILED, own);
    GuardOptions options;
    options.memory_class = MemoryClass::B;
    GuardGpu orin(options);
    const Result<void*> address = orin.register_mapping(shared, 8192, false);
    ASSERT_TRUE(address.ok()) << address.error().message;
    EXPECT_NE(shared, *address);
    EXPECT_EQ(Status::Unsupported, orin.register_mapping(own, 8192, false).error().status);
    static_cast<std::int32_t*>(shared)[0] = 5;
    static_cast<std::int32_t*>(shared)[1] = 6;
    const Stream stream = orin.create_stream().value();
    const kernels::InputView input{static_cast<std::byte*>(*address), 2};
    const kernels::OutputView output{static_cast<std::byte*>(*address) + 8};
    ASSERT_TRUE(orin.run({test::sum_job(2), {}, {&input, 1}, {&output, 1}, {}}, stream).ok());
    EXPECT_EQ(11, static_cast<std::int64_t*>(shared)[1]);
    orin.unregister_mapping(shared);
    GuardGpu nano{GuardOptions()};
    EXPECT_EQ(Status::Unsupported, nano.register_mapping(shared, 8192, false).error().status);
    ::munmap(shared, 8192);
    ::munmap(own, 8192);
}

// What could read the memory of somebody else.
TEST(GuardMappings, AMappingThatEndsWhileItIsRegisteredLosesTheDevice) {
    for (const bool replaced : {false, true}) {
        for (const bool run : {false, true}) {
            GuardOptions options;
            options.memory_class = MemoryClass::B;
            GuardGpu orin(options);
            const Stream stream = orin.create_stream().value();
            void* const shared =
                ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            void* const address = orin.register_mapping(shared, 8192, false).value();
            ASSERT_EQ(0, ::munmap(shared, 8192));
            if (replaced) {
                ASSERT_EQ(shared, ::mmap(shared, 8192, PROT_READ | PROT_WRITE,
                                         MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
            }
            const kernels::InputView input{static_cast<std::byte*>(address), 2};
            const kernels::OutputView output{static_cast<std::byte*>(address) + 8};
            if (run) {
                EXPECT_FALSE(orin.run({test::sum_job(2), {}, {&input, 1}, {&output, 1}, {}}, stream).ok());
            }
            orin.unregister_mapping(shared);
            EXPECT_EQ(Status::DeviceLost, orin.synchronize(stream).error().status);
            if (replaced) (void)::munmap(shared, 8192);
        }
    }
}

}  // namespace
}  // namespace tegu::device
