// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/power.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tegu::daemon::health {
namespace {

constexpr std::size_t kMaxRails = 64;
constexpr int kChannels = 3;  // of an INA3221

// Rounds to the digits that products and sums of thousandths have.
double microwatts(double watts) {
    return std::round(watts * 1e6) / 1e6;
}

// "NC": the channel is not connected.
bool is_rail(const Value<std::string>& label) {
    return label.known() && *label != "NC";
}

// JetPack 4: sys/bus/i2c/drivers/ina3221x/6-0040/iio:device0/in_voltage0_input.
void find_iio_rails(Reader& reader, std::vector<RailLayout>& rails) {
    const std::string driver = "sys/bus/i2c/drivers/ina3221x";
    for (const std::string& chip : reader.list(driver)) {
        for (const std::string& device : reader.list(driver + "/" + chip)) {
            if (device.compare(0, 10, "iio:device") != 0) continue;
            const std::string folder = driver + "/" + chip + "/" + device;
            for (int channel = 0; channel < kChannels; ++channel) {
                const std::string number = std::to_string(channel);
                const Value<std::string> label = reader.word(reader.find(folder + "/rail_name_" + number));
                if (!is_rail(label) || rails.size() >= kMaxRails) continue;
                RailLayout rail;
                rail.name = *label, rail.chip = chip;
                rail.millivolts = reader.find(folder + "/in_voltage" + number + "_input");
                rail.milliamperes = reader.find(folder + "/in_current" + number + "_input");
                rail.milliwatts = reader.find(folder + "/in_power" + number + "_input");
                rail.limit_amperes =
                    divided(reader.integer(reader.find(folder + "/crit_current_limit_" + number),
                                           kMilliamperes, "ma"),
                            1e3);
                rails.push_back(std::move(rail));
            }
        }
    }
}

void find_hwmon_rail(Reader& reader, const std::string& folder, const std::string& chip, int channel,
                     std::vector<RailLayout>& rails) {
    const std::string number = std::to_string(channel);
    const Value<std::string> label = reader.word(reader.find(folder + "/in" + number + "_label"));
    if (!is_rail(label) || rails.size() >= kMaxRails) return;
    const std::string current = folder + "/curr" + number;
    RailLayout rail;
    rail.name = *label, rail.chip = chip;
    rail.millivolts = reader.find(folder + "/in" + number + "_input");
    rail.milliamperes = reader.find(current + "_input");
    rail.limit_amperes = divided(reader.integer(reader.find(current + "_crit"), kMilliamperes), 1e3);
    for (const char* alarm : {"_crit_alarm", "_max_alarm"}) {
        Source source = reader.find(current + alarm);
        if (!source.path.empty()) rail.alarms.push_back(std::move(source));
    }
    rails.push_back(std::move(rail));
}

// Mainline: sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/in1_input.
void find_hwmon_rails(Reader& reader, std::vector<RailLayout>& rails) {
    const std::string driver = "sys/bus/i2c/drivers/ina3221";
    for (const std::string& chip : reader.list(driver)) {
        const std::string parent = driver + "/" + chip + "/hwmon";
        for (const std::string& entry : reader.list(parent))
            for (int channel = 1; channel <= kChannels; ++channel)
                find_hwmon_rail(reader, parent + "/" + entry, chip, channel, rails);
    }
}

std::vector<CounterLayout> find_counters(Reader& reader, const std::vector<HwmonDevice>& hwmon) {
    std::vector<CounterLayout> counters;
    for (const HwmonDevice& device : hwmon) {
        if (device.name != "soctherm_oc") continue;
        for (int i = 1; i <= 3; ++i) {
            const std::string name = "oc" + std::to_string(i);
            Source source = reader.find(device.folder + "/" + name + "_event_cnt");
            if (!source.path.empty()) counters.push_back({name, std::move(source)});
        }
    }
    // Intel
    Source package = reader.find("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count");
    if (!package.path.empty()) counters.push_back({"cpu_package_throttle", std::move(package)});
    return counters;
}

Value<double> rail_watts(Reader& reader, const RailLayout& layout, const Rail& rail) {
    if (!layout.milliwatts.path.empty()) return divided(reader.integer(layout.milliwatts, kMilliwatts), 1e3);
    if (!rail.volts.known()) return rail.volts.unknown();
    return map(rail.amperes, [&](double amperes) { return microwatts(*rail.volts * amperes); });
}

Value<bool> any_alarm(Reader& reader, const RailLayout& layout) {
    if (layout.alarms.empty()) return Unknown{Cause::Missing, layout.name + ": its driver tells no alarms"};
    bool any = false;
    for (const Source& source : layout.alarms) {
        const Value<std::int64_t> alarm = reader.integer(source, kFlag);
        if (!alarm.known()) return alarm.unknown();
        any = any || *alarm != 0;
    }
    return any;
}

Rail sample_rail(Reader& reader, const RailLayout& layout) {
    Rail rail;
    rail.name = layout.name;
    rail.chip = layout.chip;
    rail.volts = divided(reader.integer(layout.millivolts, kMillivolts), 1e3);
    rail.amperes = divided(reader.integer(layout.milliamperes, kMilliamperes), 1e3);
    rail.watts = rail_watts(reader, layout, rail);
    rail.limit_amperes = layout.limit_amperes;
    rail.alarm = any_alarm(reader, layout);
    return rail;
}

}  // namespace

Value<double> board_watts(const std::vector<Rail>& rails) {
    if (rails.empty()) return Unknown{Cause::Missing, "no rail is measured"};
    for (const Rail& rail : rails)
        if (rail.name == "VDD_IN" || rail.name == "POM_5V_IN") return rail.watts;
    // AGX Xavier, AGX Orin and Thor list the 5 V input of the system beside the rails of the module.
    const bool parallel = std::any_of(rails.begin(), rails.end(), [](const Rail& rail) {
        return rail.name == "VIN_SYS_5V0" || rail.name == "SYS5V" || rail.name == "VIN";
    });
    if (!parallel) return Unknown{Cause::Missing, "no rail that is measured feeds the module"};
    double sum = 0;
    for (const Rail& rail : rails) {
        if (rail.name == "VDDQ_VDD2_1V8AO") continue;  // AGX Orin: VIN_SYS_5V0 includes it
        if (!rail.watts.known()) return rail.watts.unknown();
        sum += *rail.watts;
    }
    return microwatts(sum);
}

void count_events(EventCounter& counter, const EventCounter* previous, std::uint64_t now_ns) {
    constexpr std::uint64_t kWindowNs = 60'000'000'000;
    if (!counter.events_total.known()) {
        counter.events_per_minute = counter.events_total.unknown();
        return;
    }
    const EventCounter::Mark now{now_ns, *counter.events_total};
    const bool counts_on =
        previous != nullptr && previous->events_total.known() && *previous->events_total <= now.events;
    counter.earlier = counts_on ? previous->earlier : now;
    counter.later = counts_on ? previous->later : now;
    if (now_ns - counter.later.monotonic_ns >= kWindowNs) {
        counter.earlier = counter.later;
        counter.later = now;
    }
    if (now_ns <= counter.earlier.monotonic_ns) {
        counter.events_per_minute = Unknown{Cause::NotRead, "counts from this reading on"};
        return;
    }
    const double minutes =
        static_cast<double>(std::max(now_ns - counter.earlier.monotonic_ns, kWindowNs)) / 60e9;
    counter.events_per_minute = static_cast<double>(now.events - counter.earlier.events) / minutes;
}

PowerLayout find_power(Reader& reader, const std::vector<HwmonDevice>& hwmon) {
    PowerLayout layout;
    find_iio_rails(reader, layout.rails);
    find_hwmon_rails(reader, layout.rails);
    layout.counters = find_counters(reader, hwmon);
    return layout;
}

Power sample_power(Reader& reader, const PowerLayout& layout, const Power* previous, std::uint64_t now_ns) {
    Power power;
    for (const RailLayout& rail : layout.rails) power.rails.push_back(sample_rail(reader, rail));
    power.board_watts = board_watts(power.rails);
    for (const CounterLayout& from : layout.counters) {
        EventCounter counter;
        counter.name = from.name;
        counter.events_total = reader.integer(from.events, kAnyCount);
        const EventCounter* before = nullptr;
        if (previous != nullptr)
            for (const EventCounter& candidate : previous->events)
                if (candidate.name == counter.name) before = &candidate;
        count_events(counter, before, now_ns);
        power.events.push_back(std::move(counter));
    }
    return power;
}

}  // namespace tegu::daemon::health
