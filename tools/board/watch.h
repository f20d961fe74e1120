// SPDX-License-Identifier: Apache-2.0
// BoardWatch: the present state of the board: temperatures, clocks, power and throttling. Benchmarks and the
// tuner read it around each measurement, to mark results of a throttled board.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kernels/device/device_info.h"
#include "tools/board/identity.h"
#include "tools/board/source.h"

namespace tegu::board {

// Lists hold the devices of this board; an unknown value is missing.
struct BoardState {
    std::vector<std::pair<std::string, double>>
        temperatures_c;  // "gpu" 48.5: names of zones without "-thermal" and "-therm"
    std::optional<double> gpu_clock_mhz, cpu_clock_mhz, memory_clock_mhz;  // of the CPU: of its fastest core
    std::optional<double> power_w;      // of the module where it has rails, else of the GPU's card
    std::vector<std::string> throttle;  // reasons for throttling, now or since the last now()
    std::vector<std::pair<std::string, std::uint64_t>>
        events;  // over-current events since the last now(): "oc3" 2; no clock has to fall for them
    std::optional<FanState> fan;
};

// Whose energy EnergyMeter (energy.h) counts.
enum class EnergySource { None, BoardRails, GpuCounter };

class BoardWatch {
  public:
    // `gpu`: as of identify_board(). Errors: Io (the root cannot be opened).
    static Result<std::unique_ptr<BoardWatch>> open(const BoardSource& source, const device::DeviceInfo* gpu);
    ~BoardWatch();
    BoardWatch(const BoardWatch&) = delete;
    BoardWatch& operator=(const BoardWatch&) = delete;

    // All of it. Takes milliseconds; on boards whose rails answer slowly up to some tenths of a second. One
    // thread at a time.
    BoardState now();
    // Reasons for throttling, now or since the last call of either function. Much cheaper than now(), and
    // takes nothing from the next now(). One thread at a time, the same as now().
    std::vector<std::string> throttling();

    // Any thread.
    EnergySource energy_source() const;
    std::optional<double> power_watts();        // of the module's rails, else of the card
    std::optional<double> gpu_energy_joules();  // of GpuCounter alone; only differences mean something

  private:
    struct State;
    explicit BoardWatch(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Waits until nothing slows the board down but standing reasons (throttle_reasons.h), at most `seconds`.
// Returns whether that is so; false at once when `stop` returns true, which is polled ten times a second. The
// first reading comes after one second.
bool wait_for_full_speed(BoardWatch& watch, double seconds, const std::function<bool()>& stop);

}  // namespace tegu::board
