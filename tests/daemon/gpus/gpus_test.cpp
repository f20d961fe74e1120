// SPDX-License-Identifier: Apache-2.0
#include "daemon/gpus/gpus.h"

#include <gtest/gtest.h>

#include "kernels/device/guard_gpu.h"

namespace tegu::daemon {
namespace {

using device::DeviceList;
using device::MemoryClass;

DeviceList devices(const std::vector<MemoryClass>& classes) {
    DeviceList list;
    for (const MemoryClass memory_class : classes) {
        device::GuardOptions options;
        options.memory_class = memory_class == MemoryClass::None ? MemoryClass::A : memory_class;
        list.devices.push_back(device::guard_device(options));
        list.devices.back().ordinal = static_cast<int>(list.devices.size()) - 1;
        if (memory_class == MemoryClass::None) list.devices.back().unusable = "it is broken";
    }
    return list;
}

std::vector<int> chosen(const DeviceList& list, const std::string& wish, std::string* reason = nullptr,
                        config::GpuMemory memory_class = config::GpuMemory::Auto) {
    config::Settings::Gpu settings;
    settings.devices = wish;
    settings.memory_class = memory_class;
    const GpuStatus status = choose_devices(list, settings);
    if (reason != nullptr) *reason = status.reason;
    EXPECT_EQ(status.runs(), !status.devices.empty());
    std::vector<int> ordinals;
    for (const device::DeviceInfo& device : status.devices) ordinals.push_back(device.ordinal);
    return ordinals;
}

TEST(ChooseDevices, AutoIsTheFirstThatCanBeUsed) {
    std::string reason;
    EXPECT_EQ((std::vector<int>{0}), chosen(devices({MemoryClass::A, MemoryClass::B}), "auto", &reason));
    EXPECT_EQ("", reason);
    EXPECT_EQ((std::vector<int>{1}), chosen(devices({MemoryClass::None, MemoryClass::B}), "auto", &reason));
    EXPECT_EQ("", reason);
    EXPECT_TRUE(chosen(devices({MemoryClass::None}), "auto", &reason).empty());
    EXPECT_EQ("GPU 0 (guarded memory): it is broken", reason);
}

TEST(ChooseDevices, AllAreThoseThatCanBeUsed) {
    std::string reason;
    const DeviceList list = devices({MemoryClass::B, MemoryClass::None, MemoryClass::B});
    EXPECT_EQ((std::vector<int>{0, 2}), chosen(list, "all", &reason));
    EXPECT_EQ("", reason);
    EXPECT_TRUE(chosen(devices({MemoryClass::None, MemoryClass::None}), "all", &reason).empty());
    EXPECT_EQ("GPU 0 (guarded memory): it is broken", reason);
}

TEST(ChooseDevices, AListIsWhatItSaysAndWhatIsMissingIsNamed) {
    std::string reason;
    const DeviceList list = devices({MemoryClass::B, MemoryClass::None, MemoryClass::B});
    EXPECT_EQ((std::vector<int>{2, 0}), chosen(list, "2,0", &reason));
    EXPECT_EQ("", reason);
    EXPECT_EQ((std::vector<int>{0}), chosen(list, "0,1,5", &reason));
    EXPECT_EQ("GPU 1 (guarded memory): it is broken; there is no GPU 5 (gpu.devices)", reason);
    EXPECT_TRUE(chosen(list, "63", &reason).empty());
    EXPECT_EQ("there is no GPU 63 (gpu.devices)", reason);
}

TEST(ChooseDevices, WithoutAnyTheReasonIsWhatTheProbeSays) {
    std::string reason;
    for (const char* wish : {"auto", "all", "0", "1,2"}) {
        EXPECT_TRUE(chosen({{}, "no NVIDIA driver"}, wish, &reason).empty());
        EXPECT_EQ("no NVIDIA driver", reason);
    }
}

TEST(ChooseDevices, AClassThatNoneCanHaveIsSaidOnce) {
    std::string reason;
    EXPECT_TRUE(
        chosen(devices({MemoryClass::A, MemoryClass::A}), "all", &reason, config::GpuMemory::C).empty());
    EXPECT_EQ(
        "memory class C needs access to pageable memory, which this device does not have (gpu.memory_class)",
        reason);
    EXPECT_EQ((std::vector<int>{1}),
              chosen(devices({MemoryClass::A, MemoryClass::C}), "all", &reason, config::GpuMemory::C));
    EXPECT_NE("", reason);
}

}  // namespace
}  // namespace tegu::daemon
