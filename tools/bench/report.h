// SPDX-License-Identifier: Apache-2.0
// A measurement, and the output of a list of them: a Markdown table or JSON. Every time has its noise: the
// median of the absolute deviations from the median, relative to the median.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/device.h"

namespace tegu::bench {

struct Row {
    std::string name;      // "reduce/f32/n=10000000/threads=2"
    std::string policy;    // of kernels: how the last run was made; may be empty
    double median_ns = 0;  // of one run of the case
    double min_ns = 0;
    double noise = 0;            // may be zero
    std::uint64_t elements = 0;  // may be zero: not a case about data
    std::uint64_t bytes = 0;     // read and written by one run
    // further figures, with the unit in the name: {"p99_us", 12.5}
    std::vector<std::pair<std::string, double>> more;
};

double median(std::vector<double> values);
// Fills the three times of a row from the runs of the case. REQUIRES: !runs_ns.empty().
void set_times(Row& row, const std::vector<double>& runs_ns);
// Of the median; 0 without one.
double gigabytes_per_second(const Row& row);
// With so many digits after the point.
std::string decimal_text(double value, int digits);

std::string markdown(const std::vector<Row>& rows, const Device& device);
std::string json(const std::vector<Row>& rows, const Device& device);

}  // namespace tegu::bench
