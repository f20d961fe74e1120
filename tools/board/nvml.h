// SPDX-License-Identifier: Apache-2.0
// Nvml: readings of one GPU from NVIDIA's management library. The library is opened at run time and nvml.cpp
// declares its few prototypes, so that building and starting do not need it. Jetsons before Thor lack it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tegu::board {

// Each value is empty where the library, the driver or the device does not tell it. One thread at a time.
class Nvml {
  public:
    // Opens the library and finds the GPU: by its PCI address, or the first one where that is empty.
    // Errors: Unavailable (no library, no driver, no such GPU), with the reason.
    static Result<std::unique_ptr<Nvml>> open(const std::string& library, const std::string& pci_address);
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    std::optional<std::string> driver_version() const;  // "580.95.05"
    std::optional<double> temperature_celsius() const;  // of the GPU's die
    std::optional<double> core_clock_mhz() const;       // of the multiprocessors, now
    std::optional<double> memory_clock_mhz() const;     // now
    std::optional<double> max_core_clock_mhz() const;
    std::optional<double> max_memory_clock_mhz() const;
    std::optional<double> power_watts() const;  // drawn by the whole card
    std::optional<double> power_limit_watts() const;
    std::optional<double> energy_joules() const;  // since the driver was loaded; moves every 20 to 100 ms
    std::optional<double> fan_ratio() const;      // 0..1 of its full speed
    // The reasons for lowered clocks: throttle_words() of the library's bits.
    std::vector<std::string> throttle_reasons() const;

  private:
    struct Library;
    explicit Nvml(std::unique_ptr<Library> library);
    std::unique_ptr<Library> library_;
};

// The words of the bits that slow a GPU down below its own choice: "sw_power_cap", "hw_slowdown",
// "sync_boost", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown". Idle clocks and
// clocks set by an administrator are not throttling.
std::vector<std::string> throttle_words(std::uint64_t bits);

}  // namespace tegu::board
