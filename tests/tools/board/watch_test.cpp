// SPDX-License-Identifier: Apache-2.0
// The state of boards that are trees of files, at rest and slowed down, and of a GPU that its management
// library tells of.
#include "tools/board/watch.h"

#include <chrono>
#include <thread>

#include "tests/daemon/health/board_tree.h"
#include "tests/tools/board/fake_gpu.h"
#include "tools/board/energy.h"
#include "tools/board/nvml.h"

namespace tegu::board {
namespace {

using daemon::health::BoardTree;
using Words = std::vector<std::string>;

std::unique_ptr<BoardWatch> watch_of(const BoardTree& tree, const device::DeviceInfo* gpu = nullptr,
                                     const std::string& nvml = "") {
    Result<std::unique_ptr<BoardWatch>> watch = BoardWatch::open(source_of(tree.root(), nvml), gpu);
    EXPECT_TRUE(watch.ok());
    return watch ? std::move(*watch) : nullptr;
}

double temperature(const BoardState& state, const std::string& name) {
    for (const auto& [zone, celsius] : state.temperatures_c)
        if (zone == name) return celsius;
    ADD_FAILURE() << "no zone " << name;
    return 0;
}

TEST(Watch, ReadsAnOrinNano) {
    BoardTree tree("orin-nano");
    const auto watch = watch_of(tree);
    const BoardState state = watch->now();
    EXPECT_DOUBLE_EQ(temperature(state, "gpu"), 53.343);
    EXPECT_DOUBLE_EQ(temperature(state, "cpu"), 53.968);
    EXPECT_EQ(state.gpu_clock_mhz, 621.0);
    EXPECT_EQ(state.cpu_clock_mhz, 729.6);
    EXPECT_FALSE(state.memory_clock_mhz);  // for root alone
    ASSERT_TRUE(state.power_w);
    EXPECT_NEAR(*state.power_w, 12.478656, 1e-9);
    EXPECT_EQ(state.throttle, Words());
    EXPECT_TRUE(state.events.empty());
    ASSERT_TRUE(state.fan);
    EXPECT_EQ(state.fan->revolutions_per_minute, 1636.0);
    EXPECT_EQ(watch->energy_source(), EnergySource::BoardRails);
}

TEST(Watch, NamesOfZonesAreTheSameOnOldAndNewBoards) {
    const BoardTree nano("nano"), orin("agx-orin");
    EXPECT_GT(temperature(watch_of(nano)->now(), "gpu"), 0);
    EXPECT_GT(temperature(watch_of(orin)->now(), "cpu"), 0);
}

TEST(Watch, SeesACoolingDeviceAndCountersThatGrow) {
    BoardTree tree("orin-nano");
    const auto watch = watch_of(tree);
    EXPECT_EQ(watch->throttling(), Words());
    tree.write("sys/class/thermal/cooling_device4/cur_state", "1\n");
    EXPECT_EQ(watch->throttling(), Words{"gpu-throttle-alert"});
    tree.write("sys/class/thermal/cooling_device4/cur_state", "0\n");
    tree.advance();  // oc3 counts three dips, which cost no clock
    EXPECT_EQ(watch->throttling(), Words());
    EXPECT_EQ(watch->now().throttle, Words{"gpu-throttle-alert"});  // seen since the watch began
    EXPECT_EQ(watch->now().throttle, Words());
}

TEST(Watch, QuestionsAboutThrottlingLoseNoOverCurrent) {
    for (const int questions : {0, 1, 2}) {
        BoardTree tree("orin-nano");
        const auto watch = watch_of(tree);
        tree.advance();  // oc3 counts three dips
        for (int i = 0; i < questions; ++i) EXPECT_EQ(watch->throttling(), Words());
        const BoardState state = watch->now();
        EXPECT_EQ(state.throttle, Words());
        ASSERT_EQ(state.events.size(), 1u) << questions;
        EXPECT_EQ(state.events[0].first, "oc3");
        EXPECT_EQ(state.events[0].second, 3u);
        EXPECT_TRUE(watch->now().events.empty());
    }
}

TEST(Watch, AddsUpEventsAndReasonsBetweenTwoStates) {
    BoardTree tree("orin-nano");
    const auto watch = watch_of(tree);
    const std::string counter = "sys/class/hwmon/hwmon2/oc3_event_cnt";
    for (const char* const count : {"119\n", "123\n"}) {
        tree.write(counter, count);
        tree.write("sys/class/thermal/cooling_device4/cur_state", "1\n");
        EXPECT_EQ(watch->throttling(), Words{"gpu-throttle-alert"});
    }
    tree.write("sys/class/thermal/cooling_device4/cur_state", "0\n");
    const BoardState state = watch->now();
    EXPECT_EQ(state.throttle, Words{"gpu-throttle-alert"});
    ASSERT_EQ(state.events.size(), 1u);
    EXPECT_EQ(state.events[0].second, 5u);  // from 118 on
}

TEST(Watch, SeesThePackageOfAPcThrottle) {
    BoardTree tree("pc");
    const auto watch = watch_of(tree);
    EXPECT_EQ(watch->throttling(), Words());
    tree.write("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "13\n");
    EXPECT_EQ(watch->throttling().size(), 1u);
    EXPECT_EQ(watch->throttling(), Words());
}

TEST(Watch, ReadsADiscreteGpu) {
    const BoardTree tree("pc");
    const FakeNvml nvml(
        "temperature 48\ncore_clock 1980\nmemory_clock 3201\npower 91250\nenergy 5000\nthrottle 0x1\nfan "
        "35\n");
    const device::DeviceInfo gpu = discrete_gpu();
    const auto watch = watch_of(tree, &gpu, TEGU_FAKE_NVML_LIBRARY);
    BoardState state = watch->now();
    EXPECT_EQ(temperature(state, "gpu"), 48.0);
    EXPECT_EQ(state.gpu_clock_mhz, 1980.0);
    EXPECT_EQ(state.memory_clock_mhz, 3201.0);
    EXPECT_EQ(state.cpu_clock_mhz, 2715.678);
    EXPECT_EQ(state.power_w, 91.25);
    EXPECT_EQ(state.throttle, Words());  // idle is no throttling
    EXPECT_EQ(watch->energy_source(), EnergySource::GpuCounter);

    EnergyMeter meter(*watch);
    meter.start();
    nvml.tell("energy 7500\nthrottle 0x44\n");
    EXPECT_EQ(meter.stop(), 2.5);
    EXPECT_EQ(watch->throttling(), (Words{"sw_power_cap", "hw_thermal_slowdown"}));
}

TEST(Watch, WithoutAGpuAsksNoLibrary) {
    const BoardTree tree("pc");
    const FakeNvml nvml("temperature 48\nenergy 5000\n");
    const auto watch = watch_of(tree, nullptr, TEGU_FAKE_NVML_LIBRARY);
    EXPECT_EQ(watch->energy_source(), EnergySource::None);
    EXPECT_FALSE(watch->power_watts());
    EnergyMeter meter(*watch);
    meter.start();
    EXPECT_FALSE(meter.stop());
}

TEST(Watch, AddsUpThePowerOfRails) {
    const BoardTree tree("orin-nano");
    const auto watch = watch_of(tree);
    EnergyMeter meter(*watch);
    const auto began = std::chrono::steady_clock::now();
    meter.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    const std::optional<double> joules = meter.stop();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    ASSERT_TRUE(joules);
    EXPECT_GT(*joules, 0);
    EXPECT_LE(*joules, 12.478656 * seconds + 1e-6);
}

TEST(Watch, WaitsForFullSpeedAndGivesUp) {
    BoardTree tree("orin-nano");
    const auto watch = watch_of(tree);
    EXPECT_TRUE(wait_for_full_speed(*watch, 5, [] { return false; }));
    tree.write("sys/class/thermal/cooling_device4/cur_state", "1\n");
    EXPECT_FALSE(wait_for_full_speed(*watch, 0.5, [] { return false; }));
    EXPECT_FALSE(wait_for_full_speed(*watch, 1e9, [] { return true; }));
}

TEST(Watch, WaitsForHeatAndNotForALimitOfPower) {
    const BoardTree tree("pc");
    const FakeNvml nvml("throttle 0x14\n");
    const device::DeviceInfo gpu = discrete_gpu();
    const auto watch = watch_of(tree, &gpu, TEGU_FAKE_NVML_LIBRARY);
    EXPECT_TRUE(wait_for_full_speed(*watch, 0.5, [] { return false; }));
    nvml.tell("throttle 0x44\n");
    EXPECT_FALSE(wait_for_full_speed(*watch, 0.5, [] { return false; }));
    nvml.tell("throttle 0\n");
    EXPECT_EQ(watch->now().throttle, (Words{"sw_power_cap", "sync_boost", "hw_thermal_slowdown"}));
}

TEST(Nvml, SaysWhyItIsNotThere) {
    const auto message = [](const std::string& library, const std::string& address) {
        const Result<std::unique_ptr<Nvml>> nvml = Nvml::open(library, address);
        return nvml ? std::string() : nvml.error().message;
    };
    EXPECT_NE(message("libno-such-library.so", "").find("libno-such-library.so"), std::string::npos);
    EXPECT_NE(message("libm.so.6", "").find("is not the management library"), std::string::npos);
    const FakeNvml nvml("init 9\naddress 0000:9B:00.0\n");
    EXPECT_NE(message(TEGU_FAKE_NVML_LIBRARY, "").find("Driver Not Loaded"), std::string::npos);
    nvml.tell("address 0000:9B:00.0\n");
    EXPECT_EQ(message(TEGU_FAKE_NVML_LIBRARY, "0000:9B:00.0"), "");
    EXPECT_NE(message(TEGU_FAKE_NVML_LIBRARY, "0000:01:00.0").find("the GPU at 0000:01:00.0"),
              std::string::npos);
}

TEST(Nvml, TellsNothingThatTheLibraryDoesNot) {
    const FakeNvml lines("");
    const Result<std::unique_ptr<Nvml>> nvml = Nvml::open(TEGU_FAKE_NVML_LIBRARY, "");
    ASSERT_TRUE(nvml.ok());
    EXPECT_FALSE((*nvml)->temperature_celsius() || (*nvml)->power_watts() || (*nvml)->energy_joules());
    EXPECT_FALSE((*nvml)->driver_version() || (*nvml)->max_memory_clock_mhz());
    EXPECT_EQ((*nvml)->throttle_reasons(), Words());
}

}  // namespace
}  // namespace tegu::board
