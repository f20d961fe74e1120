// SPDX-License-Identifier: Apache-2.0
// The report of the ladder: tables as text, and rows in the format of the other benchmarks.
// scripts/plot-ladder.py draws it.
#include "tools/bench/ladder/ladder_bench.h"

namespace tegu::bench {
namespace {

// Three significant digits or more.
std::string microseconds_text(double ns) {
    const double us = ns / 1e3;
    return decimal_text(us, us < 100 ? 2 : us < 1000 ? 1 : 0);
}

std::string table_text(const LadderTable& table) {
    const bool sums = table.rows.front().partials > 0;
    std::string out = "\n### " + table.title +
                      "\n\n| kernel | what it changes | us | noise | GB/s | of copy | faster by |" +
                      (sums ? " left to add |" : "") + "\n|---|---|---|---|---|---|---|" +
                      (sums ? "---|" : "") + "\n";
    for (const LadderRow& row : table.rows) {
        const bool has_bytes = row.of_copy > 0;
        out += "| " + row.title + " | " + row.change + " | " + microseconds_text(row.row.median_ns) + " | " +
               decimal_text(100 * row.row.noise, 1) + " % | " +
               (has_bytes ? decimal_text(gigabytes_per_second(row.row), 0) : "") + " | " +
               (has_bytes ? decimal_text(100 * row.of_copy, 0) + " %" : "") + " | " +
               (row.speedup > 0 ? decimal_text(row.speedup, 2) : "") + " |" +
               (sums ? " " + std::to_string(row.partials) + " |" : "") + "\n";
    }
    return out;
}

}  // namespace

std::string ladder_markdown(const LadderReport& report, const Device& device) {
    std::string out = "`" + device.command + "`, commit " + device.commit + ", " + device.date + "\n";
    out += "on " + report.gpu + "; a copy of " + std::to_string(report.copied_bytes >> 20) + " MiB moves " +
           decimal_text(report.copy_gigabytes_per_second, 0) + " GB/s, read and written\n";
    for (const LadderTable& table : report.tables) out += table_text(table);
    return out;
}

std::string ladder_json(const LadderReport& report, const Device& device) {
    std::vector<Row> rows;
    for (const LadderTable& table : report.tables)
        for (const LadderRow& row : table.rows) {
            rows.push_back(row.row);
            rows.back().policy = row.title;
            if (row.of_copy > 0) rows.back().more.emplace_back("of_copy", row.of_copy);
            if (row.speedup > 0) rows.back().more.emplace_back("speedup", row.speedup);
            if (row.partials > 0)
                rows.back().more.emplace_back("partials", static_cast<double>(row.partials));
        }
    Device with_gpu = device;
    with_gpu.gpu = report.gpu;
    return json(rows, with_gpu);
}

}  // namespace tegu::bench
