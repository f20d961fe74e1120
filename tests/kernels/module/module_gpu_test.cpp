// SPDX-License-Identifier: Apache-2.0
// ModuleGpu in front of a table of the test: errors as a module may give them, and host memory that is gone.
#include "kernels/module/module_gpu.h"

#include <gtest/gtest.h>

#include <cstring>
#include <new>

#include "kernels/module/device_record.h"

namespace tegu::module {
namespace {

tegu_module_error next_error;
std::int32_t next_outcome = TEGU_MODULE_DONE;

std::int32_t open(const tegu_module_device*, std::uint64_t, tegu_module_gpu** gpu, tegu_module_error* error) {
    *gpu = nullptr;
    *error = next_error;
    return next_outcome;
}
void close(tegu_module_gpu*) {}
std::int32_t use(tegu_module_gpu*, tegu_module_error* error) {
    *error = next_error;
    return next_outcome;
}

class ModuleGpuErrors : public testing::Test {
  protected:
    ModuleGpuErrors() {
        table_.open = open;
        table_.close = close;
        table_.use = use;
        next_outcome = TEGU_MODULE_DONE;
        next_error = {};
        gpu_ = std::move(ModuleGpu::open(table_, device::DeviceInfo(), device::GpuLimits())).value();
    }
    tegu_module table_{};
    std::unique_ptr<device::Gpu> gpu_;
};

TEST_F(ModuleGpuErrors, ComeWithAllTheirParts) {
    next_outcome = TEGU_MODULE_FAILED;
    next_error.status = static_cast<std::int32_t>(Status::Overflow);
    next_error.has_row = 1;
    next_error.row = std::uint64_t{1} << 40;
    std::strcpy(next_error.message, "too much");
    std::strcpy(next_error.field, "sum");
    std::strcpy(next_error.allowed, "less");
    const Error error = gpu_->use().error();
    EXPECT_EQ(Status::Overflow, error.status);
    EXPECT_EQ("too much", error.message);
    EXPECT_EQ("sum", error.field);
    EXPECT_EQ("less", error.allowed);
    EXPECT_EQ(std::uint64_t{1} << 40, error.row);
    next_error.has_row = 0;
    EXPECT_FALSE(gpu_->use().error().row);
}

TEST_F(ModuleGpuErrors, OfAnUnknownStatusAreInternal) {
    next_outcome = TEGU_MODULE_FAILED;
    for (const std::int32_t status : {0, -1, 9999, 1 << 20}) {
        next_error.status = status;
        EXPECT_EQ(Status::Internal, gpu_->use().error().status) << status;
    }
}

TEST_F(ModuleGpuErrors, NeverRunBehindTheirText) {
    next_outcome = TEGU_MODULE_FAILED;
    std::memset(next_error.message, 'x', sizeof next_error.message);
    EXPECT_EQ(std::string(sizeof next_error.message, 'x'), gpu_->use().error().message);
    const std::string longer(5000, 'y');
    copy_text(longer, next_error.message);
    EXPECT_EQ(longer.substr(0, sizeof next_error.message - 1), gpu_->use().error().message);
}

TEST_F(ModuleGpuErrors, WithoutHostMemoryAreTheExceptionOfTheCaller) {
    next_outcome = TEGU_MODULE_NO_MEMORY;
    EXPECT_THROW((void)gpu_->use(), std::bad_alloc);
    EXPECT_THROW((void)ModuleGpu::open(table_, device::DeviceInfo(), device::GpuLimits()), std::bad_alloc);
}

TEST(DeviceRecord, HoldsWhatADeviceHas) {
    device::DeviceInfo device;
    device.ordinal = 3;
    device.name = std::string(400, 'n');
    device.limits = cuda::DeviceLimits{87, 8, 1536, 163 << 10, 2 << 20};
    device.memory_bytes = std::uint64_t{7} << 32;
    device.core_clock_khz = 1300000;
    device.memory_clock_khz = 3200000;
    device.attributes.integrated = device.attributes.managed_memory = true;
    device.attributes.host_register_supported = device.attributes.can_map_host_memory = true;
    device.memory_class = device::MemoryClass::B;
    device.unusable = "it is broken";
    const device::DeviceInfo back = device_of(record_of(device));
    EXPECT_EQ(3, back.ordinal);
    EXPECT_EQ(std::string(255, 'n'), back.name);
    EXPECT_EQ(87u, back.limits.compute_capability);
    EXPECT_EQ(8u, back.limits.multiprocessors);
    EXPECT_EQ(1536u, back.limits.threads_per_multiprocessor);
    EXPECT_EQ(std::size_t{163} << 10, back.limits.shared_bytes_per_block);
    EXPECT_EQ(std::size_t{2} << 20, back.limits.l2_bytes);
    EXPECT_EQ(device.memory_bytes, back.memory_bytes);
    EXPECT_EQ(1300000u, back.core_clock_khz);
    EXPECT_EQ(3200000u, back.memory_clock_khz);
    EXPECT_TRUE(back.attributes.integrated && back.attributes.managed_memory);
    EXPECT_TRUE(back.attributes.host_register_supported && back.attributes.can_map_host_memory);
    EXPECT_FALSE(back.attributes.concurrent_managed_access || back.attributes.pageable_memory_access);
    EXPECT_EQ(device::MemoryClass::B, back.memory_class);
    EXPECT_EQ("it is broken", back.unusable);
}

}  // namespace
}  // namespace tegu::module
