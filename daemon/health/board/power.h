// SPDX-License-Identifier: Apache-2.0
// Power: the rails that INA3221 chips measure, in the layout of the mainline driver (hwmon, JetPack 5 and
// later) and in that of JetPack 4 (iio), and the counters of over-current and throttling in hardware. Each
// read is an I2C transfer or a call to the power controller: some take 100 ms and more.
#pragma once

#include <string>
#include <vector>

#include "daemon/health/board/hwmon.h"
#include "daemon/health/board/reader.h"
#include "daemon/health/board/snapshot.h"

namespace tegu::daemon::health {

struct RailLayout {
    std::string name, chip;
    Source millivolts, milliamperes, milliwatts;  // without the last it is the product
    Value<double> limit_amperes;
    std::vector<Source> alarms;
};
struct CounterLayout {
    std::string name;
    Source events;
};
struct PowerLayout {
    std::vector<RailLayout> rails;
    std::vector<CounterLayout> counters;
};

PowerLayout find_power(Reader& reader, const std::vector<HwmonDevice>& hwmon);
// `previous`: the reading before, or null.
Power sample_power(Reader& reader, const PowerLayout& layout, const Power* previous, std::uint64_t now_ns);

// What the board draws: the rail that feeds the module, if it is measured; else the sum of those that share
// its input.
Value<double> board_watts(const std::vector<Rail>& rails);
// Counts at both edges of a window of one to two minutes, moved on to now, and the rate between them.
void count_events(EventCounter& counter, const EventCounter* previous, std::uint64_t now_ns);

}  // namespace tegu::daemon::health
