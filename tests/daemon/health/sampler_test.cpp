// SPDX-License-Identifier: Apache-2.0
// One reading after another: what is found again, what is counted between two, and what it costs.
#include "daemon/health/board/sampler.h"

#include <gtest/gtest.h>

#include "tests/daemon/health/board_tree.h"

namespace tegu::daemon::health {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

class SamplerOfOrin : public testing::Test {
  protected:
    Snapshot after(std::uint64_t seconds) {
        now_.monotonic_ns += seconds * kSecondNs;
        return sampler_.sample();
    }
    BoardTree tree_{"orin-nano"};
    Times now_{1000 * kSecondNs, 0};
    Sampler sampler_{tree_.files(), "/var/lib/tegud", [this] { return now_; }};
};

TEST_F(SamplerOfOrin, FindsAGpuThatComesLateWithinAMinute) {
    tree_.edit("remove sys/class/devfreq");
    EXPECT_FALSE(after(0).gpu.clock_hz.known());
    tree_.edit(
        "link sys/class/devfreq/17000000.gpu ../../devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu");
    EXPECT_FALSE(after(30).gpu.clock_hz.known());
    const Snapshot snapshot = after(30);
    ASSERT_TRUE(snapshot.gpu.clock_hz.known());
    EXPECT_EQ(*snapshot.gpu.clock_hz, 621000000);
}

TEST_F(SamplerOfOrin, FindsAFileThatHasMovedSoon) {
    ASSERT_TRUE(after(0).power.rails[0].volts.known());
    tree_.edit("remove sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon1");
    const std::string folder = "sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon7/";
    tree_.write(folder + "in1_label", "VDD_IN\n");
    tree_.write(folder + "in1_input", "5000\n");
    tree_.write(folder + "curr1_input", "1000\n");
    EXPECT_EQ(after(1).power.rails[0].volts.unknown().cause, Cause::Missing);
    const Snapshot snapshot = after(5);
    ASSERT_EQ(snapshot.power.rails.size(), 1u);
    EXPECT_DOUBLE_EQ(*snapshot.power.board_watts, 5);
}

TEST_F(SamplerOfOrin, CountsLoadsBetweenTwoReadings) {
    EXPECT_EQ(after(0).cpu.load_ratio.unknown().cause, Cause::NotRead);
    tree_.advance();
    const Snapshot snapshot = after(1);
    ASSERT_EQ(snapshot.cpu.cores.size(), 6u);
    EXPECT_DOUBLE_EQ(*snapshot.cpu.cores[0].load_ratio, 0.05);
    EXPECT_DOUBLE_EQ(*snapshot.cpu.cores[3].load_ratio, 0.35);
    EXPECT_EQ(after(1).cpu.load_ratio.unknown().cause, Cause::NotRead) << "no tick since";
}

TEST_F(SamplerOfOrin, ReadsFewerFilesThanItSearches) {
    const Snapshot first = after(0), second = after(1);
    EXPECT_EQ(first.number, 1u);
    EXPECT_EQ(second.number, 2u);
    EXPECT_EQ(second.files_read, first.files_read) << "searching is not counted";
    EXPECT_LT(second.files_read, 100u);
}

TEST_F(SamplerOfOrin, LeavesOutZonesBeyondAnyBoard) {
    tree_.edit("copies sys/class/thermal/thermal_zone0 200");
    const Snapshot snapshot = after(0);
    EXPECT_EQ(snapshot.thermal.zones.size(), 64u);
    EXPECT_EQ(snapshot.thermal.zones[0].name, "cpu-thermal");
    EXPECT_EQ(snapshot.thermal.zones[9].name, "cpu-thermal-2");
    EXPECT_EQ(snapshot.thermal.zones[63].name, "cpu-thermal-56");
}

TEST(CountEvents, TellsTheRateOfTheLastOneToTwoMinutes) {
    EventCounter previous, counter;
    const auto count = [&](std::uint64_t second, std::int64_t events) {
        counter = EventCounter();
        counter.events_total = events;
        count_events(counter, second == 0 ? nullptr : &previous, second * kSecondNs + kSecondNs);
        previous = counter;
        return counter.events_per_minute;
    };
    EXPECT_FALSE(count(0, 100).known()) << "needs two readings";
    EXPECT_DOUBLE_EQ(*count(1, 103), 3) << "a short window counts as a minute";
    EXPECT_DOUBLE_EQ(*count(60, 103), 3);
    EXPECT_DOUBLE_EQ(*count(119, 103), 3 / (119 / 60.0));
    EXPECT_DOUBLE_EQ(*count(120, 103), 0) << "the window has moved on";
    EXPECT_FALSE(count(121, 7).known()) << "the counter has started again";
    EXPECT_DOUBLE_EQ(*count(122, 9), 2);
}

TEST(BoardWatts, CountsNoRailTwice) {
    const auto rail = [](const char* name, Value<double> watts) {
        Rail made;
        made.name = name;
        made.watts = std::move(watts);
        return made;
    };
    EXPECT_EQ(board_watts({}).unknown().cause, Cause::Missing);
    EXPECT_DOUBLE_EQ(*board_watts({rail("VDD_SOC", 2.0), rail("VDD_IN", 9.0)}), 9);
    EXPECT_DOUBLE_EQ(
        *board_watts({rail("VDD_GPU_SOC", 2.5), rail("VIN_SYS_5V0", 4.0), rail("VDDQ_VDD2_1V8AO", 0.5)}),
        6.5);
    EXPECT_EQ(board_watts({rail("VIN_SYS_5V0", 2.5), rail("VDD_CPU_CV", Unknown{Cause::Absurd, ""})})
                  .unknown()
                  .cause,
              Cause::Absurd);
    EXPECT_EQ(board_watts({rail("VDD_SOC", 2.0), rail("VDD_SYS_CPU", 1.0)}).unknown().cause, Cause::Missing)
        << "what they share is not measured";
    EXPECT_FALSE(board_watts({rail("VDD_IN", Unknown{Cause::Missing, ""}), rail("VDD_SOC", 2.0)}).known());
}

}  // namespace
}  // namespace tegu::daemon::health
