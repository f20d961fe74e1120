// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/device_info.h"

#include <gtest/gtest.h>

#include "kernels/device/gpu.h"

namespace tegu::device {
namespace {

constexpr unsigned kJetsons[] = {53, 62, 72, 87};
constexpr unsigned kCards[] = {75, 80, 90};

TEST(DeviceInfo, CodeOfAnIntegratedDeviceRunsThereAlone) {
    EXPECT_TRUE(runs_code_for(87, 87, true));
    EXPECT_FALSE(runs_code_for(80, 87, true));
    EXPECT_FALSE(runs_code_for(87, 89, false));
    EXPECT_FALSE(runs_code_for(53, 52, false));
}

TEST(DeviceInfo, CodeOfACardRunsOnHigherMinorNumbers) {
    EXPECT_TRUE(runs_code_for(80, 86, false));
    EXPECT_TRUE(runs_code_for(80, 80, false));
    EXPECT_FALSE(runs_code_for(86, 80, false));
    EXPECT_FALSE(runs_code_for(80, 90, false));
}

TEST(DeviceInfo, MissingCodeIsNamedWithWhatIsThere) {
    EXPECT_EQ("", missing_code_reason(kJetsons, 53, true));
    EXPECT_EQ("", missing_code_reason(kCards, 89, false));
    EXPECT_EQ("no machine code for sm_110; there is code for sm_53, sm_62, sm_72, sm_87",
              missing_code_reason(kJetsons, 110, true));
    EXPECT_EQ("built without CUDA", missing_code_reason({}, 87, true));
}

TEST(DeviceInfo, AFailedProbeIsToldInWords) {
    EXPECT_EQ("no CUDA device", probe_failure_reason(ProbeFailure::NoDevice, 13000, 13000, ""));
    EXPECT_EQ("no NVIDIA driver", probe_failure_reason(ProbeFailure::DriverTooOld, 0, 13000,
                                                       "CUDA driver version is insufficient"));
    EXPECT_EQ("the NVIDIA driver is too old: it is made for CUDA 11.4, the GPU backend for CUDA 12.6",
              probe_failure_reason(ProbeFailure::DriverTooOld, 11040, 12060, ""));
    EXPECT_EQ("the parts of the NVIDIA driver do not match: system has unsupported display driver",
              probe_failure_reason(ProbeFailure::DriverMismatch, 12020, 12060,
                                   "system has unsupported display driver"));
    EXPECT_EQ("the CUDA runtime 12.6 cannot use the driver (CUDA 12.2): unknown error",
              probe_failure_reason(ProbeFailure::Other, 12020, 12060, "unknown error"));
    EXPECT_EQ("the CUDA runtime 12.6 cannot use the driver: it is a stub library",
              probe_failure_reason(ProbeFailure::Other, 0, 12060, "it is a stub library"));
}

DeviceInfo card(int ordinal, std::string unusable = {}) {
    DeviceInfo device;
    device.ordinal = ordinal;
    device.name = "card";
    device.attributes = {false, true, true, false, true, true};
    device.memory_class = MemoryClass::Discrete;
    device.unusable = std::move(unusable);
    return device;
}

TEST(ChooseDevice, TakesTheFirstThatCanBeUsed) {
    const DeviceList list{{card(0, "too old"), card(1), card(2)}, ""};
    EXPECT_EQ(1, choose_device(list, {}).value().ordinal);
    EXPECT_EQ(2, choose_device(list, {2, MemoryClass::None}).value().ordinal);
}

TEST(ChooseDevice, SaysWhyThereIsNone) {
    const Result<DeviceInfo> none = choose_device({{}, "no NVIDIA driver"}, {});
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(Status::Unavailable, none.error().status);
    EXPECT_EQ("no NVIDIA driver", none.error().message);
    const Result<DeviceInfo> all_bad = choose_device({{card(0, "too old")}, ""}, {});
    ASSERT_FALSE(all_bad.ok());
    EXPECT_EQ("GPU 0 (card): too old", all_bad.error().message);
}

TEST(ChooseDevice, RefusesAnIndexThatIsNotThere) {
    const Result<DeviceInfo> one = choose_device({{card(0)}, ""}, {1, MemoryClass::None});
    ASSERT_FALSE(one.ok());
    EXPECT_EQ(Status::BadRange, one.error().status);
    EXPECT_EQ("gpu.devices", one.error().field);
    EXPECT_EQ("0", one.error().allowed);
    EXPECT_EQ("0..1", choose_device({{card(0), card(1)}, ""}, {7, MemoryClass::None}).error().allowed);
}

TEST(ChooseDevice, ForcesTheClass) {
    const DeviceList list{{card(0)}, ""};
    EXPECT_EQ(MemoryClass::Discrete, choose_device(list, {}).value().memory_class);
    EXPECT_EQ(MemoryClass::A, choose_device(list, {0, MemoryClass::A}).value().memory_class);
    EXPECT_EQ("gpu.memory_class", choose_device(list, {0, MemoryClass::C}).error().field);
}

// Whatever this machine has: no probe fails, and one without devices says why.
TEST(ProbeDevices, NeverFails) {
    const DeviceList list = probe_devices();
    EXPECT_EQ(list.devices.empty(), !list.reason.empty()) << list.reason;
    for (const DeviceInfo& device : list.devices) EXPECT_FALSE(device.name.empty());
    if (built_architectures().empty()) {
        EXPECT_EQ("built without CUDA", list.reason);
        EXPECT_EQ(Status::Unavailable, open_gpu(DeviceInfo(), GpuLimits()).error().status);
    }
}

}  // namespace
}  // namespace tegu::device
