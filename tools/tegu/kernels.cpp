// SPDX-License-Identifier: Apache-2.0
// tegu kernels: prints the resources and the occupancy of each kernel of the GPU backend.
#include <memory>

#include "tools/tegu/command.h"
#include "tools/tegu/output/fields.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/output/text.h"
#include "tools/tegu/session.h"

namespace tegu {
namespace cli {
namespace {

constexpr std::uint32_t kWarpThreads = 32;

struct KernelsOptions {
    CommonOptions common;
    std::string filter;
};

std::uint32_t resident_warps(const client::Kernel& kernel) {
    return kernel.blocks_per_multiprocessor * ((kernel.threads + kWarpThreads - 1) / kWarpThreads);
}

// Of the threads that a multiprocessor holds, how many this kernel fills it with.
double occupancy(const client::Kernel& kernel, const client::Kernels& all) {
    const std::uint32_t max_threads = all.threads_per_multiprocessor;
    return max_threads == 0
               ? 0
               : static_cast<double>(kernel.blocks_per_multiprocessor) * kernel.threads / max_threads;
}

// What INFO says of the rows of tuning tables on the first GPU: "gpu_rows_add" is the operation add.
struct Tuning {
    std::string tables = "default";
    std::vector<std::pair<std::string, std::string>> rows;  // operation, names of its rows
};

Tuning tuning_of(const std::vector<client::Field>& info) {
    const std::string rows = "gpu_rows_";
    Tuning tuning;
    for (const client::Field& field : info) {
        if (field.name == "gpu_tuning") tuning.tables = field_text(field);
        if (field.name.compare(0, rows.size(), rows) == 0)
            tuning.rows.emplace_back(field.name.substr(rows.size()), field_text(field));
    }
    return tuning;
}

Expected<void> report_json(const client::Kernels& kernels, const Tuning& tuning) {
    Json json = begin_report("kernels");
    json.key("tuning").begin_object().key("tables").text(tuning.tables).key("rows").begin_object();
    for (const auto& row : tuning.rows) json.key(row.first).text(row.second);
    json.end_object().end_object();
    json.key("reason").text(kernels.reason);
    json.key("threads_per_multiprocessor").integer(std::uint64_t{kernels.threads_per_multiprocessor});
    json.key("kernels").begin_array();
    for (const client::Kernel& kernel : kernels.list) {
        const auto number = [&](const char* name, std::uint32_t value) {
            json.key(name).integer(std::uint64_t{value});
        };
        json.begin_object().key("name").text(kernel.name);
        number("architecture", kernel.architecture);
        number("registers", kernel.registers);
        number("static_shared_bytes", kernel.static_shared_bytes);
        number("dynamic_shared_bytes", kernel.dynamic_shared_bytes);
        number("local_bytes", kernel.local_bytes);
        number("constant_bytes", kernel.constant_bytes);
        number("threads", kernel.threads);
        number("max_threads", kernel.max_threads);
        number("blocks_per_multiprocessor", kernel.blocks_per_multiprocessor);
        number("warps_per_multiprocessor", resident_warps(kernel));
        json.key("occupancy").number(occupancy(kernel, kernels)).key("moves").text(kernel.moves).end_object();
    }
    json.end_array();
    return finish_report(json);
}

// Operations without a row run with the default policies, which the table above is of.
std::string tuning_text(const Tuning& tuning) {
    std::string text = "tuning: " + tuning.tables + "\n";
    for (const auto& row : tuning.rows) text += "  " + row.first + ": " + row.second + "\n";
    return text;
}

Expected<void> report_table(const client::Kernels& kernels, const Tuning& tuning) {
    if (kernels.list.empty())
        return print(kernels.reason.empty() ? "no such kernel\n"
                                            : "no kernels on a GPU: " + kernels.reason + "\n");
    Table table("lrrrrrrrrrl");
    table.heading({"kernel", "sm", "registers", "shared", "dynamic", "local", "threads", "of", "blocks",
                   "occupancy", "moves"});
    for (const client::Kernel& kernel : kernels.list)
        table.row({kernel.name, std::to_string(kernel.architecture), std::to_string(kernel.registers),
                   std::to_string(kernel.static_shared_bytes), std::to_string(kernel.dynamic_shared_bytes),
                   std::to_string(kernel.local_bytes), std::to_string(kernel.threads),
                   std::to_string(kernel.max_threads), std::to_string(kernel.blocks_per_multiprocessor),
                   std::to_string(static_cast<int>(100 * occupancy(kernel, kernels) + 0.5)) + " %",
                   kernel.moves});
    return print(table.text(stdout_has_colour()) + std::to_string(kernels.list.size()) +
                 (kernels.list.size() == 1 ? " kernel" : " kernels") + "; a multiprocessor holds " +
                 std::to_string(kernels.threads_per_multiprocessor) + " threads\n" + tuning_text(tuning));
}

Expected<void> run_kernels(const KernelsOptions& options) {
    guard_timeout(options.common, "kernels");
    Expected<client::Client> client = connect(options.common);
    if (!client) return client.error();
    Expected<client::Kernels> found = client->kernels();
    if (!found) return found.error();
    const Expected<std::vector<client::Field>> info = client->info();
    if (!info) return info.error();
    const Tuning tuning = tuning_of(*info);
    client::Kernels kernels = std::move(*found);
    std::vector<client::Kernel> wanted;
    for (client::Kernel& kernel : kernels.list)
        if (kernel.name.find(options.filter) != std::string::npos) wanted.push_back(std::move(kernel));
    kernels.list = std::move(wanted);
    return options.common.json ? report_json(kernels, tuning) : report_table(kernels, tuning);
}

}  // namespace

Action setup_kernels(CommandLine& line) {
    auto options = std::make_shared<KernelsOptions>();
    line.text("-f,--filter", options->filter, "PART", "Only kernels whose name holds this");
    add_common_options(line, options->common, kControlTimeout);
    return [options] { return run_kernels(*options); };
}

}  // namespace cli
}  // namespace tegu
