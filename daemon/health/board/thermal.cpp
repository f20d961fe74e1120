// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/thermal.h"

#include <algorithm>
#include <cmath>

#include "base/ascii.h"

namespace tegu::daemon::health {
namespace {

constexpr std::size_t kMaxZones = 64, kMaxTrips = 32, kMaxThrottles = 128;

// PMIC-Die of JetPack 4 reports 100 C always.
bool is_real(std::string_view zone) {
    return zone != "PMIC-Die";
}

// The passive trip of the PLL on JetPack 4 raises the refresh rate of the memory. It lowers no clock.
bool trips_throttle(std::string_view zone) {
    return zone != "PLL-therm";
}

std::string_view without_number(std::string_view text) {
    while (!text.empty() && is_digit(text.back())) text.remove_suffix(1);
    return text;
}

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}
bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Lowers the bound to a trip point. An unreadable one gives its reason while no trip point is known.
void lower(Value<double>& bound, const Value<double>& celsius) {
    if (celsius.known() ? !bound.known() || *celsius < *bound : !bound.known()) bound = celsius;
}

void find_trips(Reader& reader, const std::string& folder, ZoneLayout& zone) {
    zone.throttles_at_celsius = Unknown{Cause::Missing, folder + ": has no trip point that throttles"};
    zone.critical_at_celsius = Unknown{Cause::Missing, folder + ": has no critical trip point"};
    for (std::size_t i = 0; i < kMaxTrips; ++i) {
        const std::string trip = folder + "/trip_point_" + std::to_string(i);
        const Source source = reader.find(trip + "_type");
        if (source.path.empty()) return;
        const Value<std::string> type = reader.word(source);
        const Value<double> celsius =
            divided(reader.integer(reader.find(trip + "_temp"), kTripMillidegrees), 1e3);
        // zero or less: the trip is not set
        if (!type.known() || (celsius.known() && *celsius <= 0)) continue;
        if (*type == "critical") lower(zone.critical_at_celsius, celsius);
        if ((*type == "passive" || *type == "hot") && trips_throttle(zone.name))
            lower(zone.throttles_at_celsius, celsius);
    }
}

std::vector<ZoneLayout> find_zones(Reader& reader) {
    std::vector<ZoneLayout> zones;
    for (const std::string& entry : reader.list("sys/class/thermal")) {
        if (without_number(entry) != "thermal_zone" || zones.size() >= kMaxZones) continue;
        const std::string folder = "sys/class/thermal/" + entry;
        ZoneLayout zone;
        const Value<std::string> type = reader.word(reader.find(folder + "/type"));
        zone.name = type.known() ? *type : entry;
        if (!is_real(zone.name)) continue;
        zone.temperature = reader.find(folder + "/temp");
        find_trips(reader, folder, zone);
        zones.push_back(std::move(zone));
    }
    return zones;
}

// Sensors of a PC's processors and drives, which are no thermal zones.
void find_sensors(Reader& reader, const HwmonDevice& device, std::vector<ZoneLayout>& zones) {
    if (device.name != "coretemp" && device.name != "k10temp" && device.name != "nvme") return;
    for (int i = 1; i <= 3; ++i) {
        const std::string stem = device.folder + "/temp" + std::to_string(i);
        const Source source = reader.find(stem + "_input");
        if (source.path.empty() || zones.size() >= kMaxZones) continue;
        const Value<std::string> label = reader.word(reader.find(stem + "_label"));
        ZoneLayout zone;
        zone.name = device.name + " " + label.value_or(std::to_string(i));
        zone.temperature = source;
        const Range range{1, kTripMillidegrees.high};
        zone.throttles_at_celsius = divided(reader.integer(reader.find(stem + "_max"), range), 1e3);
        zone.critical_at_celsius = divided(reader.integer(reader.find(stem + "_crit"), range), 1e3);
        zones.push_back(std::move(zone));
    }
}

std::vector<ThrottleLayout> find_throttles(Reader& reader) {
    std::vector<ThrottleLayout> throttles;
    for (const std::string& entry : reader.list("sys/class/thermal")) {
        if (without_number(entry) != "cooling_device" || throttles.size() >= kMaxThrottles) continue;
        const std::string folder = "sys/class/thermal/" + entry;
        const Value<std::string> type = reader.word(reader.find(folder + "/type"));
        if (type.known() && slows_down(*type))
            throttles.push_back({*type, reader.find(folder + "/cur_state")});
    }
    return throttles;
}

// Numbers zones of the same name, because each is a separate series in reports.
template <class T>
void number_namesakes(std::vector<T>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        int count = 1;
        const std::string name = list[i].name;
        for (std::size_t j = i + 1; j < list.size(); ++j)
            if (list[j].name == name) list[j].name += "-" + std::to_string(++count);
    }
}

Value<double> margin(const Value<double>& bound, const Value<double>& temperature) {
    if (!bound.known()) return bound.unknown();
    if (!temperature.known()) return temperature.unknown();
    return std::round((*bound - *temperature) * 1e3) / 1e3;  // both have no more digits
}

}  // namespace

bool slows_down(std::string_view type) {
    if (ends_with(type, "-throttle-alert")) return true;  // JetPack 6
    // JetPack 4
    for (const char* name : {"cpu-balanced", "gpu-balanced", "emergency-balanced", "tegra_heavy"})
        if (type == name) return true;
    for (const char* start : {"cpufreq-", "thermal-cpufreq-", "thermal-devfreq-", "devfreq-", "Processor"})
        if (starts_with(type, start)) return true;
    return false;
}

ThermalLayout find_thermal(Reader& reader, const std::vector<HwmonDevice>& hwmon) {
    ThermalLayout layout;
    layout.zones = find_zones(reader);
    for (const HwmonDevice& device : hwmon) find_sensors(reader, device, layout.zones);
    number_namesakes(layout.zones);
    layout.throttles = find_throttles(reader);
    number_namesakes(layout.throttles);
    return layout;
}

Thermal sample_thermal(Reader& reader, const ThermalLayout& layout) {
    Thermal thermal;
    for (const ZoneLayout& from : layout.zones) {
        Zone zone;
        zone.name = from.name;
        zone.temperature_celsius = divided(reader.integer(from.temperature, kMillidegrees), 1e3);
        zone.throttles_at_celsius = from.throttles_at_celsius;
        zone.critical_at_celsius = from.critical_at_celsius;
        zone.throttle_margin_celsius = margin(from.throttles_at_celsius, zone.temperature_celsius);
        zone.critical_margin_celsius = margin(from.critical_at_celsius, zone.temperature_celsius);
        thermal.zones.push_back(std::move(zone));
    }
    for (const ThrottleLayout& from : layout.throttles)
        thermal.throttles.push_back({from.name, reader.integer(from.state, {0, 1'000'000})});
    return thermal;
}

}  // namespace tegu::daemon::health
