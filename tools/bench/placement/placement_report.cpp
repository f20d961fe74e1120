// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_report.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>

namespace tegu::bench {
namespace {

constexpr std::size_t kWorst = 12;  // cases that are listed

__attribute__((format(printf, 1, 2))) std::string format(const char* pattern, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

std::string quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return quoted + '"';
}

std::string machine_json(const Device& device) {
    return "\"command\": " + quoted(device.command) + ", \"commit\": " + quoted(device.commit) +
           ", \"date\": " + quoted(device.date) + ", \"cpu\": " + quoted(device.cpu) +
           ", \"cores\": " + std::to_string(device.cores);
}

std::string machine_text(const Device& device) {
    return device.cpu + ", " + std::to_string(device.cores) + " cores, commit " + device.commit + ", " +
           device.date + format(", load before %.2f", device.load);
}

std::vector<PlacementRow> worst_first(std::vector<PlacementRow> rows) {
    std::sort(rows.begin(), rows.end(),
              [](const PlacementRow& a, const PlacementRow& b) { return a.ratio() > b.ratio(); });
    return rows;
}

std::string row_text(const std::string& name, const std::vector<PlacementRow>& rows) {
    const PlacementSummary summary = summary_of(rows);
    const auto faster = std::count_if(rows.begin(), rows.end(),
                                      [](const PlacementRow& row) { return row.gpu_us < row.cpu_us; });
    return "| " + name +
           format(" | %zu | %zu | %.2f | %.2f | %.2f | %.2f |\n", summary.cases,
                  static_cast<std::size_t>(faster), summary.p50, summary.p90, summary.p95, summary.worst);
}

std::string latencies_json(const Latencies& found) {
    return format(
        "{\"jobs\": %zu, \"p50_us\": %.2f, \"p90_us\": %.2f, \"p99_us\": %.2f, \"max_us\": %.2f, \"on_gpu\": "
        "%.4f}",
        found.jobs, found.p50_us, found.p90_us, found.p99_us, found.max_us, found.on_gpu);
}

}  // namespace

PlacementSummary summary_of(const std::vector<PlacementRow>& rows) {
    PlacementSummary summary;
    summary.cases = rows.size();
    if (rows.empty()) return summary;
    std::vector<double> ratios;
    for (const PlacementRow& row : rows) ratios.push_back(row.ratio());
    std::sort(ratios.begin(), ratios.end());
    const auto at = [&](double share) {
        return ratios[std::min(ratios.size() - 1,
                               static_cast<std::size_t>(share * static_cast<double>(ratios.size())))];
    };
    summary.p50 = at(0.5);
    summary.p90 = at(0.9);
    summary.p95 = at(0.95);
    summary.worst = ratios.back();
    return summary;
}

std::string placement_markdown(const PlacementResult& result, const Device& device) {
    std::map<std::string, std::vector<PlacementRow>> operations;
    for (const PlacementRow& row : result.rows) operations[row.operation].push_back(row);
    std::string text = result.gpu + " (memory class " + result.memory_class + ") beside " +
                       machine_text(device) + ". Times that the daemon began with: of the CPU " +
                       result.cpu_source + ", of the GPU " + result.gpu_source +
                       ".\n\nTime where the daemon chooses, over that of the better backend:\n\n";
    text +=
        "| operation | cases | sooner on the GPU | p50 | p90 | p95 | worst "
        "|\n|---|---|---|---|---|---|---|\n";
    for (const auto& [operation, rows] : operations) text += row_text(operation, rows);
    text += row_text("all", result.rows);
    text +=
        "\n| worst cases | CPU, us | GPU, us | chosen, us | ratio | noise | on the GPU "
        "|\n|---|---|---|---|---|---|---|\n";
    const std::vector<PlacementRow> worst = worst_first(result.rows);
    for (std::size_t i = 0; i < std::min(kWorst, worst.size()); ++i)
        text +=
            "| " + worst[i].name +
            format(" | %.1f | %.1f | %.1f | %.2f | %.0f %% | %.0f %% |\n", worst[i].cpu_us, worst[i].gpu_us,
                   worst[i].auto_us, worst[i].ratio(), worst[i].noise * 100, worst[i].on_gpu * 100);
    text += "\n";
    for (const auto& [name, count] : result.placed) text += name + " " + std::to_string(count) + "\n";
    if (result.skipped > 0) text += std::to_string(result.skipped) + " cases were refused\n";
    return text;
}

std::string placement_json(const PlacementResult& result, const Device& device) {
    const PlacementSummary summary = summary_of(result.rows);
    std::string text =
        "{" + machine_json(device) + ", \"gpu\": " + quoted(result.gpu) +
        ", \"memory_class\": " + quoted(result.memory_class) + ", \"cpu_isa\": " + quoted(result.cpu_isa) +
        ", \"cpu_source\": " + quoted(result.cpu_source) + ", \"gpu_source\": " + quoted(result.gpu_source);
    text += format(
        ",\n \"summary\": {\"cases\": %zu, \"p50\": %.4f, \"p90\": %.4f, \"p95\": %.4f, \"worst\": %.4f},\n "
        "\"placed\": {",
        summary.cases, summary.p50, summary.p90, summary.p95, summary.worst);
    for (const auto& [name, count] : result.placed)
        text +=
            (&name == &result.placed.front().first ? "" : ", ") + quoted(name) + ": " + std::to_string(count);
    text += "},\n \"rows\": [";
    for (const PlacementRow& row : result.rows)
        text += std::string(&row == &result.rows.front() ? "" : ",") + "\n  {\"name\": " + quoted(row.name) +
                ", \"operation\": " + quoted(row.operation) + ", \"type\": " + quoted(row.type) +
                format(
                    ", \"elements\": %llu, \"cpu_us\": %.3f, \"gpu_us\": %.3f, \"auto_us\": %.3f, \"noise\": "
                    "%.4f, "
                    "\"on_gpu\": %.3f, \"turns\": %d}",
                    static_cast<unsigned long long>(row.elements), row.cpu_us, row.gpu_us, row.auto_us,
                    row.noise, row.on_gpu, row.turns);
    return text + "\n]}\n";
}

std::string beside_markdown(const BesideResult& result, const BesideOptions& options, const Device& device) {
    std::string text = machine_text(device) +
                       "\n\n| sum of 1e6 f32, backend auto | jobs | p50, us | p90, us | p99, us | "
                       "max, us | on the GPU |\n|---|---|---|---|---|---|---|\n";
    const auto add = [&text](const std::string& name, const Latencies& found) {
        text += "| " + name +
                format(" | %zu | %.1f | %.1f | %.1f | %.1f | %.0f %% |\n", found.jobs, found.p50_us,
                       found.p90_us, found.p99_us, found.max_us, found.on_gpu * 100);
    };
    add("alone", result.alone);
    const LongJob job = long_job();
    add("beside " + std::to_string(result.maps) + " " + job.name + " " + job.detail + " of " +
            std::to_string(options.side) + "^2 u8, " + std::to_string(options.depth) + " in flight",
        result.beside);
    return text;
}

std::string beside_json(const BesideResult& result, const BesideOptions& options, const Device& device) {
    return "{" + machine_json(device) + ", \"side\": " + std::to_string(options.side) +
           ", \"depth\": " + std::to_string(options.depth) + ", \"maps\": " + std::to_string(result.maps) +
           ", \"alone\": " + latencies_json(result.alone) + ", \"beside\": " + latencies_json(result.beside) +
           "}\n";
}

}  // namespace tegu::bench
