// SPDX-License-Identifier: Apache-2.0
// When a reason comes, how long it stays, and that nothing flaps.
#include "daemon/health/assessment.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "daemon/health/bounds.h"

namespace tegu::daemon::health {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

// A life of one reading a second.
class Life {
  public:
    Snapshot snapshot;
    DaemonFacts facts;

    Life() { snapshot.number = 1; }
    const Assessment& after(std::uint64_t seconds) {
        now_.monotonic_ns += seconds * kSecondNs;
        now_.unix_ms += static_cast<std::int64_t>(seconds) * 1000;
        snapshot.taken = now_;
        return judge();
    }
    // Time passes, and no reading comes.
    const Assessment& without_reading(std::uint64_t seconds) {
        now_.monotonic_ns += seconds * kSecondNs;
        return judge();
    }
    bool has(Code code) const {
        for (const Reason& reason : assessment_.reasons)
            if (reason.code == code) return true;
        return false;
    }
    Zone& zone(double celsius, double throttles_at = 99, double critical_at = 104.5) {
        snapshot.thermal.zones.resize(1);
        Zone& zone = snapshot.thermal.zones[0];
        zone.name = "gpu-thermal";
        zone.temperature_celsius = celsius;
        zone.throttles_at_celsius = throttles_at;
        zone.critical_at_celsius = critical_at;
        zone.throttle_margin_celsius = throttles_at - celsius;
        zone.critical_margin_celsius = critical_at - celsius;
        return zone;
    }

  private:
    const Assessment& judge() {
        assessment_ = assess(snapshot, facts, now_, assessment_);
        return assessment_;
    }
    Times now_{1000 * kSecondNs, 1'750'000'000'000};
    Assessment assessment_;
};

TEST(Assessment, IsOkWhereNothingIsKnown) {
    Life life;
    life.snapshot = Snapshot();
    EXPECT_EQ(life.after(0).state, State::Ok);
    EXPECT_EQ(life.without_reading(1000).state, State::Ok) << "there was no reading to grow old";
}

TEST(Assessment, WarnsBeforeClocksAreLoweredOnceItLasts) {
    Life life;
    life.zone(93.9);
    EXPECT_EQ(life.after(1).state, State::Ok);
    life.zone(94.1);
    EXPECT_EQ(life.after(1).state, State::Ok) << "for a moment";
    EXPECT_EQ(life.after(1).state, State::Ok);
    const Assessment& hot = life.after(1);
    EXPECT_EQ(hot.state, State::Degraded);
    ASSERT_EQ(hot.reasons.size(), 1u);
    EXPECT_STREQ(code_info(hot.reasons[0].code).word, "thermal_near_limit");
    EXPECT_EQ(hot.reasons[0].subject, "gpu-thermal");
    EXPECT_EQ(hot.reasons[0].sentence, "gpu-thermal is at 94.1 C, clocks are lowered from 99.0 C on");
    EXPECT_EQ(hot.reasons[0].since_unix_ms, 1'750'000'000'000 + 2000) << "since it was first seen";
}

TEST(Assessment, DoesNotFlapAroundABound) {
    Life life;
    const unsigned seed = 99;
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    int changes = 0;
    bool before = false;
    for (int second = 0; second < 1000; ++second) {
        life.zone(94 + static_cast<double>(random() % 41) / 10 - 2);  // 92 to 96: the bound is 94
        life.after(1);
        const bool now = life.has(Code::ThermalNear);
        changes += now != before;
        before = now;
    }
    EXPECT_EQ(changes, 1) << "it comes, and stays";
}

TEST(Assessment, LetsGoAboveTheLaxerBoundAfterAWhile) {
    Life life;
    life.zone(95);
    life.after(1), life.after(2);
    ASSERT_TRUE(life.has(Code::ThermalNear));
    life.zone(91.5);  // 7.5 C below: no reason to come, none to go
    life.after(100);
    EXPECT_TRUE(life.has(Code::ThermalNear));
    life.zone(90);
    life.after(1);
    EXPECT_TRUE(life.has(Code::ThermalNear));
    life.after(8);
    EXPECT_TRUE(life.has(Code::ThermalNear));
    EXPECT_EQ(life.after(1).state, State::Ok) << "10 s after it was last seen";
}

TEST(Assessment, FailsBeforeTheBoardShutsDown) {
    Life life;
    life.zone(101.6);
    EXPECT_EQ(life.after(1).state, State::Failing) << "at once";
    EXPECT_TRUE(life.has(Code::ThermalCritical));
}

TEST(Assessment, PutsTheWorstFirst) {
    Life life;
    life.zone(103);
    life.facts.gpu_unavailable = true;
    life.facts.gpu_reason = "no device";
    life.snapshot.stuck.push_back({"a", 0});
    life.after(1);
    const Assessment& now = life.after(2);
    ASSERT_EQ(now.reasons.size(), 4u);
    for (std::size_t i = 1; i < now.reasons.size(); ++i)
        EXPECT_GE(code_info(now.reasons[i - 1].code).state, code_info(now.reasons[i].code).state);
    EXPECT_EQ(now.reasons[0].code, Code::ThermalCritical);
}

TEST(Assessment, TellsUndervoltageOfFiveVoltInputsOnly) {
    Life life;
    Rail rail;
    rail.name = "VDD_IN", rail.chip = "0-0041", rail.volts = 12.1;
    life.snapshot.power.rails = {rail};
    life.after(1), life.after(5);
    EXPECT_FALSE(life.has(Code::UnderVoltage));
    life.snapshot.power.rails[0].volts = 4.7;
    life.after(1), life.after(5);
    EXPECT_TRUE(life.has(Code::UnderVoltage));
    life.snapshot.power.rails[0].volts = 4.8;
    life.after(100);
    EXPECT_TRUE(life.has(Code::UnderVoltage)) << "not well yet";
    life.snapshot.power.rails[0].volts = 5.0;
    life.after(100);
    EXPECT_FALSE(life.has(Code::UnderVoltage));
    life.snapshot.power.rails[0].name = "VDD_SOC";
    life.snapshot.power.rails[0].volts = 4.0;
    life.after(1), life.after(5);
    EXPECT_FALSE(life.has(Code::UnderVoltage)) << "feeds nothing";
}

TEST(Assessment, ToleratesMomentaryPeaksOfTheCurrent) {
    Life life;
    EventCounter counter;
    counter.name = "oc3", counter.events_per_minute = 40.0;
    life.snapshot.power.events = {counter};
    EXPECT_EQ(life.after(1).state, State::Ok);
    life.snapshot.power.events[0].events_per_minute = 61.0;
    EXPECT_EQ(life.after(1).state, State::Degraded);
    life.snapshot.power.events[0].name = "oc1";
    life.snapshot.power.events[0].events_per_minute = 1.0;
    life.after(100);
    EXPECT_TRUE(life.has(Code::OverCurrent));
}

TEST(Assessment, SeesAGpuHeldBackForHalfAMinute) {
    Life life;
    life.snapshot.gpu.load_ratio = 0.99;
    life.snapshot.gpu.clock_hz = 614'400'000;
    life.snapshot.gpu.max_hz = 921'600'000;
    for (int second = 0; second < 30; ++second) EXPECT_EQ(life.after(1).state, State::Ok) << second;
    EXPECT_EQ(life.after(1).state, State::Degraded);
    life.snapshot.gpu.clock_hz = 921'600'000;
    EXPECT_EQ(life.after(11).state, State::Ok);
}

TEST(Assessment, SharesOfMemorySwapAndDisk) {
    Life life;
    Memory& memory = life.snapshot.memory;
    memory.total_bytes = 1000, memory.available_bytes = 99;
    EXPECT_EQ(life.after(1).state, State::Degraded);
    EXPECT_TRUE(life.has(Code::MemoryLow));
    memory.available_bytes = 29;
    EXPECT_EQ(life.after(1).state, State::Failing);
    memory.available_bytes = 500;
    EXPECT_EQ(life.after(11).state, State::Ok);
    memory.swap_total_bytes = 0, memory.swap_free_bytes = 0;
    EXPECT_EQ(life.after(1).state, State::Ok) << "no swap is no full swap";
    memory.swap_total_bytes = 1000, memory.swap_free_bytes = 50;
    EXPECT_EQ(life.after(1).state, State::Degraded);
    memory.swap_free_bytes = 500;
    life.snapshot.disk.total_bytes = 1000, life.snapshot.disk.available_bytes = 9;
    EXPECT_EQ(life.after(11).state, State::Failing);
    EXPECT_TRUE(life.has(Code::DiskFull));
}

TEST(Assessment, KnowsTheDaemon) {
    Life life;
    life.facts.gpu_unavailable = true;
    life.facts.gpu_reason = "cuInit: no device";
    EXPECT_EQ(life.after(1).state, State::Degraded);
    EXPECT_EQ(life.after(1).reasons[0].sentence, "no GPU runs jobs: cuInit: no device");
    life.facts.gpu_runs = true;
    life.facts.gpu_reason = "there is no GPU 3 (gpu.devices)";
    EXPECT_EQ(life.after(1).reasons[0].sentence, "not all GPUs run jobs: there is no GPU 3 (gpu.devices)");
    life.facts.gpu_unavailable = false;
    EXPECT_EQ(life.after(1).state, State::Ok) << "at once";
    life.facts.executors = {{"CPU", 29.9}, {"GPU 0", 0}, {"GPU 1", 31}};
    EXPECT_EQ(life.after(1).state, State::Failing);
    ASSERT_EQ(life.after(1).reasons.size(), 1u);
    EXPECT_EQ(life.after(1).reasons[0].subject, "GPU 1");
    EXPECT_EQ(life.after(1).reasons[0].sentence, "the executor GPU 1 has work and was silent for 31 s");
    life.facts.executors[2].seconds = 0;
    EXPECT_EQ(life.after(1).state, State::Ok);
    life.facts.internal_errors_total = 1;
    life.facts.last_internal_error = "x";
    EXPECT_EQ(life.after(1).state, State::Degraded);
    EXPECT_EQ(life.after(599).state, State::Degraded) << "for ten minutes";
    EXPECT_EQ(life.after(1).state, State::Ok);
}

TEST(Assessment, SeesReadingsThatDoNotComeAnyMore) {
    Life life;
    EXPECT_EQ(life.after(1).state, State::Ok);
    EXPECT_EQ(life.without_reading(9).state, State::Ok);
    EXPECT_EQ(life.without_reading(1).state, State::Degraded);
    EXPECT_TRUE(life.has(Code::ReadingsStale));
    EXPECT_EQ(life.after(1).state, State::Ok);
}

TEST(Assessment, DegradesWhileTheLastReloadFailed) {
    Life life;
    life.facts.reload_failed = true;
    life.facts.reload_error = "tegud.toml:3:1: limits.jobs: unknown key";
    EXPECT_EQ(life.after(1).state, State::Degraded);
    EXPECT_EQ(life.after(3600).reasons.at(0).sentence,
              "the last reload was refused: tegud.toml:3:1: limits.jobs: unknown key");
    life.facts.reload_failed = false;
    EXPECT_EQ(life.after(1).state, State::Ok);
}

TEST(Assessment, DegradesWhenTheWatchdogHadLittleMarginAndNotForEver) {
    Life life;
    EXPECT_EQ(life.after(1).state, State::Ok) << "nobody watches";
    life.facts.watchdog_interval_seconds = 30;
    life.facts.watchdog_gap_seconds = 23.9;
    EXPECT_EQ(life.after(1).state, State::Ok);
    life.facts.watchdog_gap_seconds = 24;
    EXPECT_EQ(life.after(1).state, State::Degraded);
    EXPECT_EQ(life.after(1).reasons.at(0).sentence,
              "no sign of life went to the service manager for 24.0 s of 30.0 s that it allows");
    EXPECT_EQ(life.after(597).state, State::Degraded) << "once in ten minutes is enough to be seen";
    EXPECT_EQ(life.after(2).state, State::Ok) << "it has not come again";
    life.facts.watchdog_gap_seconds = 25;
    EXPECT_EQ(life.after(1).state, State::Degraded) << "it was longer";
}

TEST(Assessment, DegradesForAStoreThatLastsInItsTrouble) {
    Life life;
    life.facts.store_degraded = true;
    life.facts.store_reason = "the store is full";
    EXPECT_EQ(life.after(1).state, State::Ok) << "for a moment";
    EXPECT_EQ(life.after(59).state, State::Ok);
    EXPECT_EQ(life.after(1).state, State::Degraded);
    life.facts.store_degraded = false;
    EXPECT_EQ(life.after(9).state, State::Degraded);
    EXPECT_EQ(life.after(1).state, State::Ok);
}

TEST(Assessment, DependsOnNothingButItsArguments) {
    Life life;
    life.zone(103);
    const Times now{5 * kSecondNs, 5000};
    const Assessment one = assess(life.snapshot, life.facts, now, {}),
                     two = assess(life.snapshot, life.facts, now, {});
    ASSERT_EQ(one.reasons.size(), two.reasons.size());
    EXPECT_EQ(one.reasons[0].sentence, two.reasons[0].sentence);
}

TEST(HealthReasons, HaveBoundsThatLetGoLaterThanTheyRaise) {
    for (const Bound& below : {kNearCelsius, kCriticalCelsius, kUnderVolts, kMemoryLow, kMemoryExhausted,
                               kSwapLow, kDiskLow, kDiskFull})
        EXPECT_LT(below.raise, below.release);
    for (const Bound& above : {kEvents, kMomentaryEvents, kBusyLoad, kMemoryPressure})
        EXPECT_GT(above.raise, above.release);
}

TEST(HealthReasons, HaveWordsActionsAndTheWorstFirst) {
    std::set<std::string> words;
    State before = State::Failing;
    for (int i = 0; i <= static_cast<int>(Code::ReadingsStale); ++i) {
        const CodeInfo& info = code_info(static_cast<Code>(i));
        EXPECT_EQ(static_cast<int>(info.code), i);
        EXPECT_TRUE(words.insert(info.word).second);
        EXPECT_GT(std::string(info.action).size(), 10u);
        EXPECT_LE(info.state, before);
        before = info.state;
    }
}

}  // namespace
}  // namespace tegu::daemon::health
