// SPDX-License-Identifier: Apache-2.0
// The report of the ladder: tables for people, the rows of every other benchmark for programs, and a picture.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/bench/ladder/ladder_bench.h"

namespace tegu::bench {
namespace {

std::string text_of(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

double gigabytes_per_second(const Row& row) {
    return row.median_ns > 0 ? static_cast<double>(row.bytes) / row.median_ns : 0;
}

// Three significant digits or more.
std::string time_text(double ns) {
    const double us = ns / 1e3;
    return text_of(us, us < 100 ? 2 : us < 1000 ? 1 : 0);
}

std::string table_text(const LadderTable& table) {
    const bool sums = table.rows.front().partials > 0;
    std::string out = "\n### " + table.title +
                      "\n\n| kernel | what it changes | us | noise | GB/s | of copy | faster by |" +
                      (sums ? " left to add |" : "") + "\n|---|---|---|---|---|---|---|" + (sums ? "---|" : "") + "\n";
    for (const LadderRow& row : table.rows) {
        const bool has_bytes = row.of_copy > 0;
        out += "| " + row.title + " | " + row.change + " | " + time_text(row.row.median_ns) + " | " +
               text_of(100 * row.row.noise, 1) + " % | " +
               (has_bytes ? text_of(gigabytes_per_second(row.row), 0) : "") + " | " +
               (has_bytes ? text_of(100 * row.of_copy, 0) + " %" : "") + " | " +
               (row.speedup > 0 ? text_of(row.speedup, 2) : "") + " |" +
               (sums ? " " + std::to_string(row.partials) + " |" : "") + "\n";
    }
    return out;
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
}

}  // namespace

std::string ladder_markdown(const LadderReport& report, const Device& device) {
    std::string out = "`" + device.command + "`, commit " + device.commit + ", " + device.date + "\n";
    out += "on " + report.gpu + "; a copy of " + std::to_string(report.copied_bytes >> 20) + " MiB moves " +
           text_of(report.copy_gigabytes_per_second, 0) + " GB/s, read and written\n";
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
            if (row.partials > 0) rows.back().more.emplace_back("partials", static_cast<double>(row.partials));
        }
    Device with_gpu = device;
    with_gpu.gpu = report.gpu;
    return json(rows, with_gpu);
}

std::string ladder_svg(const LadderReport& report) {
    constexpr int kLeft = 250, kWidth = 420, kBar = 22, kStep = 32, kTop = 56;
    const std::vector<LadderRow>& rows = report.tables.front().rows;
    double most = report.copy_gigabytes_per_second;
    for (const LadderRow& row : rows) most = std::max(most, gigabytes_per_second(row.row));
    const auto pixels = [&](double rate) { return std::to_string(std::lround(rate / most * kWidth)); };
    const int height = kTop + kStep * static_cast<int>(rows.size()) + 12;
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"780\" height=\"" + std::to_string(height) +
                      "\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" "
                      "fill=\"#ffffff\"/>\n<text x=\"12\" y=\"20\" font-size=\"15\">" +
                      escaped(report.tables.front().title) +
                      ": GB/s</text>\n<text x=\"12\" y=\"40\" fill=\"#555555\">" + escaped(report.gpu) + "</text>\n";
    int y = kTop;
    for (const LadderRow& row : rows) {
        const double rate = gigabytes_per_second(row.row);
        const bool own = row.row.name.size() > 4 && row.row.name.compare(row.row.name.size() - 4, 4, "tegu") == 0;
        const std::string line = std::to_string(y + kBar - 6);
        out += "<text x=\"" + std::to_string(kLeft - 8) + "\" y=\"" + line + "\" text-anchor=\"end\">" +
               escaped(row.title) + "</text>\n<rect x=\"" + std::to_string(kLeft) + "\" y=\"" + std::to_string(y) +
               "\" width=\"" + pixels(rate) + "\" height=\"" + std::to_string(kBar) + "\" fill=\"" +
               (own ? "#2a7a3b" : "#3b6ea8") + "\"/>\n<text x=\"" +
               std::to_string(kLeft + 6 + std::lround(rate / most * kWidth)) + "\" y=\"" + line + "\">" +
               text_of(rate, 0) + "</text>\n";
        y += kStep;
    }
    const std::string at = std::to_string(kLeft + std::lround(report.copy_gigabytes_per_second / most * kWidth));
    out += "<line x1=\"" + at + "\" y1=\"" + std::to_string(kTop - 6) + "\" x2=\"" + at + "\" y2=\"" +
           std::to_string(y - 4) + "\" stroke=\"#b03030\" stroke-dasharray=\"4 3\"/>\n<text x=\"" + at + "\" y=\"" +
           std::to_string(kTop - 10) + "\" text-anchor=\"middle\" fill=\"#b03030\">copy</text>\n</svg>\n";
    return out;
}

}  // namespace tegu::bench
