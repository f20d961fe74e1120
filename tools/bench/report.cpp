// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tegu::bench {
namespace {

std::string time_text(double ns) {
    if (ns < 1e3) return decimal_text(ns, 0) + " ns";
    if (ns < 1e6) return decimal_text(ns / 1e3, ns < 1e4 ? 2 : 1) + " us";
    return decimal_text(ns / 1e6, ns < 1e7 ? 3 : ns < 1e8 ? 2 : 1) + " ms";
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

std::string number(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", std::isfinite(value) ? value : 0.0);
    return text;
}

}  // namespace

std::string decimal_text(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

double gigabytes_per_second(const Row& row) {
    return row.median_ns > 0 ? static_cast<double>(row.bytes) / row.median_ns : 0;
}

double median(std::vector<double> values) {
    const std::size_t middle = values.size() / 2;
    std::sort(values.begin(), values.end());
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void set_times(Row& row, const std::vector<double>& runs_ns) {
    row.median_ns = median(runs_ns);
    row.min_ns = *std::min_element(runs_ns.begin(), runs_ns.end());
    std::vector<double> deviations;
    for (const double run : runs_ns) deviations.push_back(std::abs(run - row.median_ns));
    row.noise = row.median_ns > 0 ? median(deviations) / row.median_ns : 0;
}

std::string markdown(const std::vector<Row>& rows, const Device& device) {
    std::string out = "`" + device.command + "`, commit " + device.commit + ", " + device.date + "\n";
    out += "on " + device.cpu + ", " + std::to_string(device.cores) + " cores, " + device.isa +
           " kernels, Linux " + device.kernel + ", " + device.build + ", load before " +
           decimal_text(device.load, 2) + "\n\n";
    out += "| case | median | min | noise | GB/s | more |\n|---|---|---|---|---|---|\n";
    for (const Row& row : rows) {
        out += "| " + row.name + " | " + time_text(row.median_ns) + " | " + time_text(row.min_ns) + " | " +
               decimal_text(100 * row.noise, 1) + " % | " +
               (row.bytes > 0 ? decimal_text(gigabytes_per_second(row), 1) : "") + " | ";
        for (std::size_t i = 0; i < row.more.size(); ++i)
            out += (i == 0 ? "" : ", ") + row.more[i].first + " " +
                   decimal_text(row.more[i].second, row.more[i].second < 10 ? 3 : 1);
        out += (row.policy.empty() || row.more.empty() ? "" : ", ") + row.policy + " |\n";
    }
    return out;
}

std::string json(const std::vector<Row>& rows, const Device& device) {
    std::string out = "{\"command\": " + quoted(device.command) + ", \"commit\": " + quoted(device.commit) +
                      ", \"date\": " + quoted(device.date) +
                      ",\n \"device\": {\"cpu\": " + quoted(device.cpu) +
                      ", \"cores\": " + std::to_string(device.cores) + ", \"isa\": " + quoted(device.isa) +
                      (device.gpu.empty() ? "" : ", \"gpu\": " + quoted(device.gpu)) +
                      ", \"kernel\": " + quoted(device.kernel) + ", \"build\": " + quoted(device.build) +
                      ", \"load\": " + number(device.load) + "},\n \"cases\": [";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        out += std::string(i == 0 ? "" : ",") + "\n  {\"name\": " + quoted(row.name) +
               ", \"median_ns\": " + number(row.median_ns) + ", \"min_ns\": " + number(row.min_ns) +
               ", \"noise\": " + number(row.noise) + ", \"elements\": " + std::to_string(row.elements) +
               ", \"bytes\": " + std::to_string(row.bytes);
        if (!row.policy.empty()) out += ", \"policy\": " + quoted(row.policy);
        for (const auto& figure : row.more) out += ", " + quoted(figure.first) + ": " + number(figure.second);
        out += "}";
    }
    return out + "\n ]}\n";
}

}  // namespace tegu::bench
