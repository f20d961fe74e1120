// SPDX-License-Identifier: Apache-2.0
// Snapshot: one reading of the board, as plain structs with units in their names. A published snapshot is
// immutable, so any thread may hold it. Each value is known or has a cause; lists contain only parts of this
// board.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/health/board/value.h"

namespace tegu::daemon::health {

struct Times {
    std::uint64_t monotonic_ns = 0;
    std::int64_t unix_ms = 0;
};

struct PowerMode {
    std::int64_t id = 0;
    std::string name;  // "?" if the configuration has no name
};

struct Board {
    Value<std::string> model;     // "NVIDIA Jetson AGX Orin Developer Kit"
    Value<std::string> soc;       // "tegra234"
    Value<std::string> l4t;       // "36.4.4"
    Value<std::string> kernel;    // "5.15.148-tegra"
    Value<PowerMode> power_mode;  // of nvpmodel
};

struct CpuTicks {  // of /proc/stat since boot
    unsigned index = 0;
    std::uint64_t busy = 0;
    std::uint64_t all = 0;
};
struct Core {
    unsigned index = 0;
    Value<double> load_ratio;  // since the previous reading
};
struct Cluster {               // cores that share a clock
    std::string name;          // "policy0"
    Value<std::string> cores;  // "0-3"
    Value<std::int64_t> clock_hz, min_hz, max_hz;
    Value<std::int64_t> hardware_max_hz;
    Value<std::string> governor;
};
struct Cpu {
    Value<std::int64_t> cores_present, cores_online;
    Value<std::int64_t> idle_states_disabled;  // of the first core: jetson_clocks disables them
    Value<double> load_ratio;                  // of all cores, since the previous reading
    std::vector<Core> cores;                   // online ones
    std::vector<Cluster> clusters;
    std::vector<CpuTicks> ticks;  // of each core, for the next reading
};

struct Gpu {
    Value<double> load_ratio;
    Value<std::int64_t> clock_hz, min_hz, max_hz;
    Value<std::string> governor;
    Value<bool> powered_off;  // railgated: the kernel switches it off while idle
};
struct Emc {  // the memory controller; most values need root
    Value<std::int64_t> clock_hz, max_hz;
    Value<std::int64_t> cap_hz;  // of the power mode; 0 is none
    Value<double> load_ratio;
};

struct Zram {
    std::int64_t devices = 0;
    std::int64_t disk_bytes = 0;    // nominal size
    std::int64_t stored_bytes = 0;  // size of the stored data
    std::int64_t memory_bytes = 0;  // memory used for it
};
struct Pressure {  // share of the last 10 s in which at least one, or every task waited
    Value<double> some_ratio, full_ratio;
    Value<double> some_seconds_total;
};
struct Memory {
    Value<std::int64_t> total_bytes, available_bytes, free_bytes, cached_bytes;
    Value<std::int64_t> gpu_mapped_bytes;  // NvMapMemUsed: JetPack 4
    Value<std::int64_t> swap_total_bytes, swap_free_bytes;
    Value<Zram> zram;
    Pressure cpu_pressure, memory_pressure, io_pressure;
};

struct Zone {
    std::string name;  // "gpu-thermal"
    Value<double> temperature_celsius;
    Value<double> throttles_at_celsius;  // the lowest trip point that slows a device down
    Value<double> critical_at_celsius;   // the kernel shuts the board down
    Value<double> throttle_margin_celsius, critical_margin_celsius;  // below these; negative above
};
struct Throttle {               // a cooling device that slows a part down
    std::string name;           // "gpu-throttle-alert"
    Value<std::int64_t> state;  // 0: no slowdown
};
struct Thermal {
    std::vector<Zone> zones;
    std::vector<Throttle> throttles;
};

struct Rail {
    std::string name;  // "VDD_IN"
    std::string chip;  // "1-0040": bus and address
    Value<double> volts, amperes, watts;
    Value<double> limit_amperes;  // critical
    Value<bool> alarm;            // over one of its limits since the last reading
};
struct EventCounter {
    std::string name;                  // "oc1"
    Value<std::int64_t> events_total;  // since boot
    Value<double> events_per_minute;   // of the last one to two minutes
    struct Mark {
        std::uint64_t monotonic_ns = 0;
        std::int64_t events = 0;
    };
    Mark earlier, later;  // counts at the edges of the window, for the next reading
};
struct Power {
    std::vector<Rail> rails;
    Value<double> board_watts;         // of the rail that feeds the module, else the sum of its rails
    std::vector<EventCounter> events;  // over-current, under-voltage, throttling in hardware
};

struct Fan {
    std::string name;
    Value<double> duty_ratio;
    Value<std::int64_t> revolutions_per_minute;
};

struct Disk {  // of the state directory
    Value<std::int64_t> total_bytes, available_bytes;
};

struct StuckRead {
    std::string path;
    std::uint64_t since_ns = 0;  // monotonic
};

struct Snapshot {
    std::uint64_t number = 0;  // of the reading, from 1; 0: no reading yet
    Times taken;
    double seconds_taken = 0;  // by this reading
    std::uint64_t files_read = 0;
    Board board;
    Cpu cpu;
    Gpu gpu;
    Emc emc;
    Memory memory;
    Thermal thermal;
    Power power;
    std::vector<Fan> fans;
    Disk disk;
    std::vector<StuckRead> stuck;
};

}  // namespace tegu::daemon::health
