// SPDX-License-Identifier: Apache-2.0
// Power: the rails of INA3221 chips, and hardware counters of over-current and throttling. Supports the
// mainline driver (hwmon, JetPack 5 and later) and that of JetPack 4 (iio). Each read is an I2C transfer or a
// call to the power controller, of up to 100 ms and more.
#pragma once

#include <string>
#include <vector>

#include "daemon/health/board/hwmon.h"
#include "daemon/health/board/reader.h"
#include "daemon/health/board/snapshot.h"

namespace tegu::daemon::health {

struct RailLayout {
    std::string name, chip;
    Source millivolts, milliamperes, milliwatts;  // without milliwatts, power is the product
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
// `previous`: the previous reading, or null.
Power sample_power(Reader& reader, const PowerLayout& layout, const Power* previous, std::uint64_t now_ns);

// The power of the board: the rail that feeds the module, if measured; else the sum of the rails on its
// input.
Value<double> board_watts(const std::vector<Rail>& rails);
// The event rate over a sliding window of one to two minutes, from the counts at its edges.
void count_events(EventCounter& counter, const EventCounter* previous, std::uint64_t now_ns);

}  // namespace tegu::daemon::health
