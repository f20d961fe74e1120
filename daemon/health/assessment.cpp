// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/assessment.h"

#include <algorithm>
#include <utility>

#include "daemon/health/board/text.h"
#include "daemon/health/bounds.h"

namespace tegu::daemon::health {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

double seconds_between(std::uint64_t earlier_ns, std::uint64_t later_ns) {
    return later_ns > earlier_ns ? static_cast<double>(later_ns - earlier_ns) / 1e9 : 0;
}

// The causes of this assessment and of earlier ones.
class Assessor {
  public:
    Assessor(Times now, const Assessment& previous) : now_(now), previous_(previous) {}

    // Records a cause if the value is below its bound (smaller is worse), or above it. Calls `sentence()`
    // only then.
    template <class F>
    void below(Code code, const std::string& subject, double value, Bound bound, const F& sentence) {
        if (value < (stands(code, subject) ? bound.release : bound.raise)) see(code, subject, sentence());
    }
    template <class F>
    void above(Code code, const std::string& subject, double value, Bound bound, const F& sentence) {
        if (value >= (stands(code, subject) ? bound.release : bound.raise)) see(code, subject, sentence());
    }
    void see(Code code, const std::string& subject, const std::string& sentence) {
        const Assessment::Watch* before = find(code, subject);
        Assessment::Watch watch;
        watch.reason = {code, subject, sentence,
                        before != nullptr ? before->reason.since_unix_ms : now_.unix_ms};
        watch.first_ns = before != nullptr ? before->first_ns : now_.monotonic_ns;
        watch.last_ns = now_.monotonic_ns;
        const std::uint64_t wait_ns = code_info(code).seconds_before * 1'000'000'000;
        watch.raised = (before != nullptr && before->raised) || now_.monotonic_ns - watch.first_ns >= wait_ns;
        seen_.push_back(std::move(watch));
    }
    bool stands(Code code, const std::string& subject) const {
        const Assessment::Watch* watch = find(code, subject);
        return watch != nullptr && watch->raised;
    }

    Assessment finish() {
        keep_recent();
        Assessment result;
        std::stable_sort(seen_.begin(), seen_.end(),
                         [](const Assessment::Watch& a, const Assessment::Watch& b) {
                             return a.reason.code < b.reason.code;
                         });
        for (const Assessment::Watch& watch : seen_) {
            if (!watch.raised) continue;
            result.reasons.push_back(watch.reason);
            result.state = std::max(result.state, code_info(watch.reason.code).state);
        }
        result.watches = std::move(seen_);
        return result;
    }

  private:
    static bool same(const Assessment::Watch& watch, Code code, const std::string& subject) {
        return watch.reason.code == code && watch.reason.subject == subject;
    }
    const Assessment::Watch* find(Code code, const std::string& subject) const {
        for (const Assessment::Watch& watch : previous_.watches)
            if (same(watch, code, subject)) return &watch;
        return nullptr;
    }
    // Reasons without a present cause stay for their minimum time.
    void keep_recent() {
        for (const Assessment::Watch& watch : previous_.watches) {
            const bool seen_now =
                std::any_of(seen_.begin(), seen_.end(), [&](const Assessment::Watch& other) {
                    return same(other, watch.reason.code, watch.reason.subject);
                });
            const std::uint64_t stays_ns = code_info(watch.reason.code).seconds_stays * 1'000'000'000;
            if (watch.raised && !seen_now && now_.monotonic_ns - watch.last_ns < stays_ns)
                seen_.push_back(watch);
        }
    }

    const Times now_;
    const Assessment& previous_;
    std::vector<Assessment::Watch> seen_;
};

void judge_thermal(const Thermal& thermal, Assessor& assessor) {
    for (const Zone& zone : thermal.zones) {
        if (!zone.temperature_celsius.known()) continue;
        const auto is = [&] {
            return zone.name + " is at " + text_of(*zone.temperature_celsius, 1) + " C, ";
        };
        if (zone.critical_margin_celsius.known())
            assessor.below(
                Code::ThermalCritical, zone.name, *zone.critical_margin_celsius, kCriticalCelsius, [&] {
                    return is() + "the board shuts down at " + text_of(*zone.critical_at_celsius, 1) + " C";
                });
        if (zone.throttle_margin_celsius.known())
            assessor.below(Code::ThermalNear, zone.name, *zone.throttle_margin_celsius, kNearCelsius, [&] {
                return is() + "clocks are lowered from " + text_of(*zone.throttles_at_celsius, 1) + " C on";
            });
    }
    for (const Throttle& throttle : thermal.throttles)
        if (throttle.state.value_or(0) > 0)
            assessor.see(Code::ThermalThrottling, throttle.name,
                         throttle.name + " is at step " + std::to_string(*throttle.state));
}

void judge_power(const Power& power, Assessor& assessor) {
    for (const Rail& rail : power.rails) {
        const std::string subject = rail.chip + " " + rail.name;
        const bool feeds = rail.name == "VDD_IN" || rail.name == "POM_5V_IN" || rail.name == "VIN_SYS_5V0";
        const double volts = rail.volts.value_or(0);
        if (feeds && volts >= kFiveVoltRailVolts && volts < kFiveVoltRailHighest)
            assessor.below(Code::UnderVoltage, subject, volts, kUnderVolts,
                           [&] { return rail.name + " has " + text_of(volts, 2) + " V of 5 V"; });
        if (rail.alarm.value_or(false))
            assessor.see(Code::RailAlarm, subject, rail.name + " is over its limit");
    }
    for (const EventCounter& counter : power.events) {
        if (!counter.events_per_minute.known()) continue;
        assessor.above(Code::OverCurrent, counter.name, *counter.events_per_minute,
                       counter.name == "oc3" ? kMomentaryEvents : kEvents, [&] {
                           return counter.name + " counts " + text_of(*counter.events_per_minute, 1) +
                                  " events a minute";
                       });
    }
}

void judge_gpu(const Gpu& gpu, Assessor& assessor) {
    if (!gpu.load_ratio.known() || !gpu.clock_hz.known() || !gpu.max_hz.known()) return;
    if (static_cast<double>(*gpu.clock_hz) >= kHeldBackClock * static_cast<double>(*gpu.max_hz)) return;
    assessor.above(Code::ClockHeldBack, {}, *gpu.load_ratio, kBusyLoad, [&] {
        return "the GPU is busy at " + std::to_string(*gpu.clock_hz / 1'000'000) + " MHz of " +
               std::to_string(*gpu.max_hz / 1'000'000) + " MHz";
    });
}

// Calls judge(share, sentence) if both are known and there is a whole; sentence() is "x MiB of y MiB <what>".
template <class F>
void with_share(const Value<std::int64_t>& part, const Value<std::int64_t>& whole, const char* what,
                F&& judge) {
    if (!part.known() || !whole.known() || *whole <= 0) return;
    const auto a = static_cast<double>(*part), b = static_cast<double>(*whole);
    judge(a / b, [&] { return text_of(a / kMiB, 0) + " MiB of " + text_of(b / kMiB, 0) + " MiB " + what; });
}

void judge_memory(const Memory& memory, Assessor& assessor) {
    with_share(memory.available_bytes, memory.total_bytes, "of memory are available",
               [&](double share, const auto& sentence) {
                   assessor.below(Code::MemoryExhausted, {}, share, kMemoryExhausted, sentence);
                   assessor.below(Code::MemoryLow, {}, share, kMemoryLow, sentence);
               });
    with_share(memory.swap_free_bytes, memory.swap_total_bytes, "of swap are free",
               [&](double share, const auto& sentence) {
                   assessor.below(Code::SwapFull, {}, share, kSwapLow, sentence);
               });
    if (!memory.memory_pressure.full_ratio.known()) return;
    const double share = *memory.memory_pressure.full_ratio;
    assessor.above(Code::MemoryPressure, {}, share, kMemoryPressure, [&] {
        return "every task waited for memory in " + text_of(100 * share, 0) + " % of the last 10 s";
    });
}

void judge_disk(const Disk& disk, Assessor& assessor) {
    with_share(disk.available_bytes, disk.total_bytes, "of the state directory's disk are left",
               [&](double share, const auto& sentence) {
                   assessor.below(Code::DiskFull, {}, share, kDiskFull, sentence);
                   assessor.below(Code::DiskLow, {}, share, kDiskLow, sentence);
               });
}

void judge_readings(const Snapshot& snapshot, Times now, Assessor& assessor) {
    for (const StuckRead& read : snapshot.stuck)
        assessor.see(Code::ReadStuck, read.path,
                     "the read of " + read.path + " has not returned for " +
                         text_of(seconds_between(read.since_ns, now.monotonic_ns), 0) + " s");
    const double age = seconds_between(snapshot.taken.monotonic_ns, now.monotonic_ns);
    if (snapshot.number != 0 && age >= kStaleSeconds)
        assessor.see(Code::ReadingsStale, {},
                     "the last reading of the board is " + text_of(age, 0) + " s old");
}

void judge_daemon(const DaemonFacts& facts, const Assessment& previous, Assessor& assessor) {
    if (facts.gpu_unavailable)
        assessor.see(Code::GpuUnavailable, {},
                     (facts.gpu_runs ? "not all GPUs run jobs: " : "no GPU runs jobs: ") + facts.gpu_reason);
    for (const ExecutorSilence& silence : facts.executors)
        if (silence.seconds >= kExecutorSilentSeconds)
            assessor.see(Code::ExecutorStalled, silence.executor,
                         "the executor " + silence.executor + " has work and was silent for " +
                             text_of(silence.seconds, 0) + " s");
    if (facts.internal_errors_total > previous.internal_errors)
        assessor.see(Code::InternalErrors, {},
                     "jobs ended with internal errors: " + facts.last_internal_error);
    if (facts.reload_failed)
        assessor.see(Code::ReloadFailed, {}, "the last reload was refused: " + facts.reload_error);
    if (facts.store_degraded) assessor.see(Code::StoreDegraded, {}, facts.store_reason);
    const bool longer = facts.watchdog_gap_seconds > previous.watchdog_gap_seconds;
    if (longer && facts.watchdog_gap_seconds >= kWatchdogShare * facts.watchdog_interval_seconds)
        assessor.see(Code::WatchdogMargin, {},
                     "no sign of life went to the service manager for " +
                         text_of(facts.watchdog_gap_seconds, 1) + " s of " +
                         text_of(facts.watchdog_interval_seconds, 1) + " s that it allows");
}

}  // namespace

const char* state_word(State state) {
    return state == State::Ok ? "ok" : state == State::Degraded ? "degraded" : "failing";
}

const CodeInfo& code_info(Code code) {
    static constexpr CodeInfo kInfos[] = {
#define TEGU_X(Name, code, state, before, stays, action) \
    {Code::Name, #code, State::state, before, stays, action},
        TEGU_HEALTH_REASONS(TEGU_X)
#undef TEGU_X
    };
    return kInfos[static_cast<std::size_t>(code)];
}

Assessment assess(const Snapshot& snapshot, const DaemonFacts& facts, Times now, const Assessment& previous) {
    Assessor assessor(now, previous);
    judge_daemon(facts, previous, assessor);
    judge_thermal(snapshot.thermal, assessor);
    judge_power(snapshot.power, assessor);
    judge_gpu(snapshot.gpu, assessor);
    judge_memory(snapshot.memory, assessor);
    judge_disk(snapshot.disk, assessor);
    judge_readings(snapshot, now, assessor);
    Assessment result = assessor.finish();
    result.internal_errors = facts.internal_errors_total;
    result.watchdog_gap_seconds = facts.watchdog_gap_seconds;
    return result;
}

}  // namespace tegu::daemon::health
