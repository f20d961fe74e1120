// SPDX-License-Identifier: Apache-2.0
// The closed list of reasons for a state other than ok, with durations and remedies. No client can cause one
// by load or malformed requests alone. Full queues, full stores and refused requests are values only; the
// operator may alert on them.
#pragma once

#include <cstdint>

namespace tegu::daemon::health {

enum class State : std::uint8_t { Ok, Degraded, Failing };  // numbers: the exit code of a health command
const char* state_word(State state);                        // "degraded"

// X(Name, code, state, seconds before it counts, seconds that it stays, what to do). Codes do not change.
#define TEGU_HEALTH_REASONS(X)                                                                               \
    X(ExecutorStalled, executor_stalled, Failing, 0, 0,                                                      \
      "a job does not end, and those behind it wait: restart the daemon; of a GPU, dmesg may say why")       \
    X(ThermalCritical, thermal_critical, Failing, 0, 10,                                                     \
      "take load off now: the kernel shuts the board down at this temperature; then look at fan and heat "   \
      "sink")                                                                                                \
    X(MemoryExhausted, memory_exhausted, Failing, 0, 10,                                                     \
      "end what needs the memory, or lower the limits of the daemon, before the kernel chooses what to "     \
      "kill")                                                                                                \
    X(DiskFull, disk_full, Failing, 0, 10, "make room on the file system of the state directory")            \
    X(GpuUnavailable, gpu_unavailable, Degraded, 0, 0,                                                       \
      "jobs run without it; backend_reason of tegu info says what is missing: a driver, a module, a device " \
      "node, a group")                                                                                       \
    X(InternalErrors, internal_errors, Degraded, 0, 600,                                                     \
      "read the journal of tegud, and report what it says")                                                  \
    X(ReloadFailed, reload_failed, Degraded, 0, 0,                                                           \
      "the settings before it are in force: mend the file that is named, and reload again")                  \
    X(WatchdogMargin, watchdog_margin, Degraded, 0, 600,                                                     \
      "the service manager ends a daemon that is silent for longer: see what else the board computes, or "   \
      "raise "                                                                                               \
      "WatchdogSec=")                                                                                        \
    X(StoreDegraded, descriptor_store_degraded, Degraded, 60, 10,                                            \
      "buffers would not outlive a restart, and clients register them again: raise FileDescriptorStoreMax=") \
    X(ThermalThrottling, thermal_throttling, Degraded, 2, 10,                                                \
      "clocks are lowered to cool the board: look at fan and heat sink, or choose a lower power mode")       \
    X(ThermalNear, thermal_near_limit, Degraded, 2, 10,                                                      \
      "clocks will be lowered soon: look at fan and heat sink, or choose a lower power mode")                \
    X(UnderVoltage, under_voltage, Degraded, 2, 60,                                                          \
      "use a power supply and a cable for the current that this board draws, or choose a lower power mode")  \
    X(OverCurrent, over_current, Degraded, 0, 60,                                                            \
      "the hardware limits peaks of the current: choose a lower power mode, or look at the power supply")    \
    X(RailAlarm, rail_alarm, Degraded, 0, 60, "a rail is over its limit: choose a lower power mode")         \
    X(ClockHeldBack, gpu_clock_held_back, Degraded, 30, 10,                                                  \
      "the GPU is busy below its highest clock: look at temperature, power supply and power mode")           \
    X(MemoryLow, memory_low, Degraded, 0, 10,                                                                \
      "end what needs the memory, or lower the limits of the daemon")                                        \
    X(MemoryPressure, memory_pressure, Degraded, 0, 30, "tasks wait for memory: end what needs it")          \
    X(SwapFull, swap_full, Degraded, 0, 10, "end what needs the memory, or make the swap larger")            \
    X(DiskLow, disk_low, Degraded, 0, 10, "make room on the file system of the state directory")             \
    X(ReadStuck, read_stuck, Degraded, 0, 10,                                                                \
      "a driver does not answer: dmesg may say why; all else is read on")                                    \
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

}  // namespace tegu::daemon::health
