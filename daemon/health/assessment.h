// SPDX-License-Identifier: Apache-2.0
// The judgement: ok, degraded or failing, and why. A pure function of a snapshot, of what the daemon knows of itself, of the time and of the
// judgement before. The last is what keeps it calm: a reason that stands is judged by a laxer bound than one that would be new, some must
// last before they count, and all stay for a while after their cause has gone. What is unknown is never a reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/health/snapshot.h"

namespace tegu::daemon::health {

enum class State : std::uint8_t { Ok, Degraded, Failing };  // numbers: the exit code of a health command
const char* state_word(State state);                        // "degraded"

// X(Name, code, state, seconds before it counts, seconds that it stays, what to do). Codes do not change.
#define TEGU_HEALTH_REASONS(X)                                                                                    \
    X(ExecutorStalled, executor_stalled, Failing, 0, 0,                                                           \
      "a job does not end, and those behind it wait: restart the daemon; of a GPU, dmesg may say why")            \
    X(ThermalCritical, thermal_critical, Failing, 0, 10,                                                          \
      "take load off now: the kernel shuts the board down at this temperature; then look at fan and heat sink")   \
    X(MemoryExhausted, memory_exhausted, Failing, 0, 10,                                                          \
      "end what needs the memory, or lower the limits of the daemon, before the kernel chooses what to kill")     \
    X(DiskFull, disk_full, Failing, 0, 10, "make room on the file system of the state directory")                 \
    X(GpuUnavailable, gpu_unavailable, Degraded, 0, 0,                                                            \
      "jobs run without it; backend_reason of tegu info says what is missing: a driver, a device node, a group")  \
    X(InternalErrors, internal_errors, Degraded, 0, 600, "read the journal of tegud, and report what it says")    \
    X(ThermalThrottling, thermal_throttling, Degraded, 2, 10,                                                     \
      "clocks are lowered to cool the board: look at fan and heat sink, or choose a lower power mode")            \
    X(ThermalNear, thermal_near_limit, Degraded, 2, 10,                                                           \
      "clocks will be lowered soon: look at fan and heat sink, or choose a lower power mode")                     \
    X(UnderVoltage, under_voltage, Degraded, 2, 60,                                                               \
      "use a power supply and a cable for the current that this board draws, or choose a lower power mode")       \
    X(OverCurrent, over_current, Degraded, 0, 60,                                                                 \
      "the hardware limits peaks of the current: choose a lower power mode, or look at the power supply")         \
    X(RailAlarm, rail_alarm, Degraded, 0, 60, "a rail is over its limit: choose a lower power mode")              \
    X(ClockHeldBack, gpu_clock_held_back, Degraded, 30, 10,                                                       \
      "the GPU is busy below its highest clock: look at temperature, power supply and power mode")                \
    X(MemoryLow, memory_low, Degraded, 0, 10, "end what needs the memory, or lower the limits of the daemon")     \
    X(MemoryPressure, memory_pressure, Degraded, 0, 30, "tasks wait for memory: end what needs it")               \
    X(SwapFull, swap_full, Degraded, 0, 10, "end what needs the memory, or make the swap larger")                 \
    X(DiskLow, disk_low, Degraded, 0, 10, "make room on the file system of the state directory")                  \
    X(ReadStuck, read_stuck, Degraded, 0, 10, "a driver does not answer: dmesg may say why; all else is read on") \
    X(ReadingsStale, readings_stale, Degraded, 0, 0, "the board is not read any more: see the other reasons")

enum class Code : std::uint8_t {
#define TEGU_X(Name, code, state, before, stays, action) Name,
    TEGU_HEALTH_REASONS(TEGU_X)
#undef TEGU_X
};
struct CodeInfo {
    Code code;
    const char* word;
    State state;
    std::uint64_t seconds_before, seconds_stays;
    const char* action;
};
const CodeInfo& code_info(Code code);

// Bounds: the first raises a reason, the second, which is laxer, lets go of it.
struct Bound {
    double raise;
    double release;
};
// Temperatures below the trip point. The trip points of L4T come with 0 to 1 C of hysteresis, and a board under load swings by some degrees.
inline constexpr Bound kNearCelsius{5, 8};
inline constexpr Bound kCriticalCelsius{3, 6};
// A 5 V input: 4.75 V is the lowest that USB and the Nano's input allow.
inline constexpr Bound kUnderVolts{4.75, 4.85};
inline constexpr double kFiveVoltRailVolts = 3.5, kFiveVoltRailHighest = 6;  // what counts as one
// Events in a minute. oc3 of an Orin counts moments above its limit, which bursts of GPU work bring about without a loss that shows.
inline constexpr Bound kEvents{1, 0.5};
inline constexpr Bound kMomentaryEvents{60, 30};
// A GPU with this load, below this share of the highest clock that its mode allows.
inline constexpr Bound kBusyLoad{0.9, 0.8};
inline constexpr double kHeldBackClock = 0.95;
// Shares of the whole.
inline constexpr Bound kMemoryLow{0.10, 0.12};
inline constexpr Bound kMemoryExhausted{0.03, 0.04};
inline constexpr Bound kSwapLow{0.10, 0.15};
inline constexpr Bound kDiskLow{0.05, 0.07};
inline constexpr Bound kDiskFull{0.01, 0.02};
// Share of the last 10 s in which no task could run for want of memory.
inline constexpr Bound kMemoryPressure{0.10, 0.05};
// Age of the newest reading, of one a second.
inline constexpr double kStaleSeconds = 10;
// How long an executor may be silent while it has work, beyond what its job may take.
inline constexpr double kExecutorSilentSeconds = 30;

struct ExecutorSilence {
    std::string executor;
    double seconds = 0;  // since it got on, beyond what its job may take; 0 if it has no work
};

struct DaemonFacts {
    bool gpu_unavailable = false;  // one should run jobs and does not
    bool gpu_runs = false;         // another one does
    std::string gpu_reason;
    std::vector<ExecutorSilence> executors;
    std::uint64_t internal_errors_total = 0;
    std::string last_internal_error;
};

struct Reason {
    Code code = Code::ReadingsStale;
    std::string subject;   // the zone, rail, file, executor; may be empty
    std::string sentence;  // without a full stop
    std::int64_t since_unix_ms = 0;
};

struct Assessment {
    State state = State::Ok;
    std::vector<Reason> reasons;  // in the order of TEGU_HEALTH_REASONS, then as the board lists them

    struct Watch {  // for the next assessment: a cause that is there or was lately
        Reason reason;
        std::uint64_t first_ns = 0, last_ns = 0;  // seen, monotonic
        bool raised = false;
    };
    std::vector<Watch> watches;
    std::uint64_t internal_errors = 0;
};

Assessment assess(const Snapshot& snapshot, const DaemonFacts& facts, Times now, const Assessment& previous);

}  // namespace tegu::daemon::health
