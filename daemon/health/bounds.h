// SPDX-License-Identifier: Apache-2.0
// Thresholds of the health assessment. Those for temperatures and the 5 V input follow the trip points of L4T
// and the input of the Nano. Those for shares of memory, disk and time are chosen, not measured.
#pragma once

namespace tegu::daemon::health {

// Hysteresis: `raise` starts a reason, the laxer `release` ends it.
struct Bound {
    double raise;
    double release;
};
// Temperatures below the trip point. The trip points of L4T come with 0 to 1 C of hysteresis, and a board
// under load swings by some degrees.
inline constexpr Bound kNearCelsius{5, 8};
inline constexpr Bound kCriticalCelsius{3, 6};
// A 5 V input: 4.75 V is the lowest that USB and the Nano's input allow.
inline constexpr Bound kUnderVolts{4.75, 4.85};
inline constexpr double kFiveVoltRailVolts = 3.5, kFiveVoltRailHighest = 6;  // range of a 5 V rail
// Events in a minute. oc3 of an Orin counts moments above its limit; bursts of GPU work cause them without
// visible loss.
inline constexpr Bound kEvents{1, 0.5};
inline constexpr Bound kMomentaryEvents{60, 30};
// A GPU with this load counts as held back below this share of the highest clock of its power mode.
inline constexpr Bound kBusyLoad{0.9, 0.8};
inline constexpr double kHeldBackClock = 0.95;
// Shares of the whole.
inline constexpr Bound kMemoryLow{0.10, 0.12};
inline constexpr Bound kMemoryExhausted{0.03, 0.04};
inline constexpr Bound kSwapLow{0.10, 0.15};
inline constexpr Bound kDiskLow{0.05, 0.07};
inline constexpr Bound kDiskFull{0.01, 0.02};
// Share of the last 10 s in which no task could run for lack of memory.
inline constexpr Bound kMemoryPressure{0.10, 0.05};
// Age of the newest reading, of one a second.
inline constexpr double kStaleSeconds = 10;
// How long an executor may be silent while it has work, beyond what its job may take.
inline constexpr double kExecutorSilentSeconds = 30;
// Share of the watchdog interval; a longer gap between two keep-alive messages raises a reason.
inline constexpr double kWatchdogShare = 0.8;

}  // namespace tegu::daemon::health
