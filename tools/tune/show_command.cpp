// SPDX-License-Identifier: Apache-2.0
// tegu-tune show [FILE]: prints the rows of one table, or of those in force on this machine.
#include <cstdio>

#include "tools/tune/commands.h"
#include "tools/tune/table/row_text.h"
#include "tools/tune/tables.h"

namespace tegu::tune {
namespace {

void print_table(const TuningTable& table) {
    std::printf("%s  %s\n", table.key.c_str(), device_text(table.device).c_str());
    for (const TuningRow& row : table.rows) std::printf("  %s\n", row_line(row).c_str());
    if (!table.costs.empty()) std::printf("  and the times of %zu classes of jobs\n", table.costs.size());
}

// Shows the tables in use, in the order of lookup, and their unused parts.
int show_all(const ShowOptions& options) {
    Result<std::unique_ptr<Machine>> machine = Machine::open(options.machine);
    if (!machine) return fail(machine.error());
    const tuning::DeviceTuning tuning =
        tables_in_force((*machine)->facts(), tuning_places(options.settings), true);
    std::printf("%s\n", (*machine)->text().c_str());
    if (tuning.tables().empty()) std::printf("no table is for this machine: defaults serve\n");
    for (const tuning::TableUse& use : tuning.tables())
        std::printf("%-10s %s: %u rows of the GPU, %u of the CPU, %u costs\n",
                    std::string(tuning::tuning_level_word(use.level)).c_str(), use.path.c_str(),
                    use.cuda_rows, use.cpu_rows, use.costs);
    return kDone;
}

}  // namespace

int show_command(const ShowOptions& options) {
    if (options.table.empty()) return show_all(options);
    const Result<TuningTable> table = load_table(options.table);
    if (!table) return fail(table.error());
    print_table(*table);
    return kDone;
}

}  // namespace tegu::tune
