// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>

#include "base/job.h"
#include "config/settings_load.h"
#include "tools/options/finite.h"
#include "tools/tune/commands.h"

namespace tegu::tune {
namespace {

const std::map<std::string, Backends> kBackendWords = {
    {"all", Backends::All}, {"cpu", Backends::Cpu}, {"gpu", Backends::Gpu}};

// All options that the parser sets.
struct Wishes {
    TuneOptions tune;
    CheckOptions check;
    ShowOptions show;
    ApplyOptions apply;
    std::string backend = "all", operations = "all", measure = "all";
    std::string before, after;
};

// The stems of a list with commas; "all" is none. Errors: BadRange, with those that there are.
Result<std::vector<std::string>> stems_of(const std::string& list) {
    std::vector<std::string> stems;
    if (list == "all") return stems;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
        if (find_operation(std::string_view(word)) == nullptr || word == "fused") {
            std::string allowed = "all, or some of:";
            for (const OperationInfo& info : operation_infos())
                if (info.stem != "fused")
                    allowed += (allowed.back() == ':' ? " " : ", ") + std::string(info.stem);
            return make_error(Status::BadRange,
                              "--operation: cannot use '" + word + "' (allowed: " + allowed + ")");
        }
        stems.push_back(std::move(word));
    }
    return stems;
}

void add_machine(CLI::App& app, MachineWish& machine, Wishes& wishes) {
    app.add_option("--backend", wishes.backend, "what is measured: all, cpu or gpu [all]")
        ->check(CLI::IsMember({"all", "cpu", "gpu"}).description(""))
        ->type_name("WORD");
    app.add_option("--device", machine.device, "the GPU, as CUDA counts [the first that can be used]")
        ->check(CLI::Range(0, 63))
        ->type_name("N");
    app.add_option("--threads", machine.threads, "threads of the CPU's pool [one for each core]")
        ->check(CLI::Range(1u, 1024u))
        ->type_name("N");
    app.add_option("--sysroot", machine.sysroot, "where /sys and /proc are, for tests [/]")->type_name("DIR");
}

void add_settings(CLI::App& app, std::string& settings) {
    settings = config::kDefaultSettingsFile;
    app.add_option("--settings", settings, "settings of tegud, which say where tables are [" + settings + "]")
        ->type_name("FILE");
}

void add_measure(CLI::App& app, MeasureOptions& measure, Wishes& wishes) {
    app.add_option("--operation", wishes.operations, "operations, with commas between them [all]")
        ->type_name("WORDS");
    app.add_option("--minutes", measure.minutes, "time for all of it [10]")
        ->check(CLI::Range(0.01, 1440.0))
        ->check(finite())
        ->type_name("N");
    app.add_option("--most-elements", measure.max_elements, "the largest array [as memory allows]")
        ->type_name("N");
    app.add_option("--patience", measure.patience_seconds,
                   "seconds to wait for a board that is slowed down [120]")
        ->check(CLI::Range(1.0, 86400.0))
        ->check(finite())
        ->type_name("N");
    app.add_option("--socket", measure.socket, "a tegud whose jobs would disturb [the one that runs here]")
        ->type_name("PATH");
    add_settings(app, measure.settings);
    app.add_flag("--json", measure.json, "print the account as JSON");
    app.add_flag("--quiet", measure.quiet, "say nothing on stderr but errors");
    add_machine(app, measure.machine, wishes);
}

void add_tune(CLI::App& app, Wishes& wishes) {
    app.add_option("-o,--output", wishes.tune.output, "the table [KEY.toml, named by the device]")
        ->type_name("FILE");
    app.add_flag("--restart", wishes.tune.restart, "set the journal of an earlier run aside, and begin anew");
    app.add_option("--measure", wishes.measure, "rows of policies, costs of jobs, or all [all]")
        ->check(CLI::IsMember({"all", "rows", "costs"}).description(""))
        ->type_name("WORD");
    add_measure(app, wishes.tune.measure, wishes);
}

CLI::App* add_check(CLI::App& app, Wishes& wishes) {
    CLI::App* const check =
        app.add_subcommand("check", "Measure what a table is worth here, without a search");
    check->add_option("FILE", wishes.check.table, "the table")->required();
    add_measure(*check, wishes.check.measure, wishes);
    return check;
}

CLI::App* add_show(CLI::App& app, Wishes& wishes) {
    CLI::App* const show = app.add_subcommand("show", "Print a table, or which tables are in force here");
    show->add_option("FILE", wishes.show.table, "the table [those in force]");
    add_settings(*show, wishes.show.settings);
    add_machine(*show, wishes.show.machine, wishes);
    return show;
}

CLI::App* add_diff(CLI::App& app, Wishes& wishes) {
    CLI::App* const diff = app.add_subcommand("diff", "Print the rows that two tables differ in");
    diff->add_option("A", wishes.before, "a table")->required();
    diff->add_option("B", wishes.after, "another")->required();
    return diff;
}

CLI::App* add_apply(CLI::App& app, Wishes& wishes) {
    CLI::App* const apply = app.add_subcommand(
        "apply", "Install a table, have tegud read it, and check one job of each operation");
    apply->add_option("FILE", wishes.apply.table, "the table")->required();
    apply->add_option("--overlay", wishes.apply.overlay, "where it goes [as the settings say]")
        ->type_name("FILE");
    add_settings(*apply, wishes.apply.settings);
    apply->add_option("--socket", wishes.apply.socket, "the socket of tegud [$TEGU_SOCKET, or the usual one]")
        ->type_name("PATH");
    apply->add_flag("--only-install", wishes.apply.only_install, "do not look for tegud");
    add_machine(*apply, wishes.apply.machine, wishes);
    return apply;
}

int run_measuring(MeasureOptions& measure, const Wishes& wishes, const std::function<int()>& command) {
    Result<std::vector<std::string>> stems = stems_of(wishes.operations);
    if (!stems) {
        warn(stems.error().message);
        return kUsage;
    }
    measure.operations = std::move(*stems);
    measure.machine.backends = kBackendWords.at(wishes.backend);
    return command();
}

int run(int argc, const char* const* argv) {
    Wishes wishes;
    CLI::App app("Measures which launch policies are the best on this machine, and writes a tuning table.",
                 "tegu-tune");
    app.set_version_flag("--version", std::string("tegu-tune " TEGU_VERSION));
    app.require_subcommand(0, 1);
    app.footer("Example:\n  sudo tegu-tune --minutes 10 -o board.toml && sudo tegu-tune apply board.toml");
    add_tune(app, wishes);
    CLI::App* const check = add_check(app, wishes);
    CLI::App* const show = add_show(app, wishes);
    CLI::App* const diff = add_diff(app, wishes);
    CLI::App* const apply = add_apply(app, wishes);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kUsage;
    }
    if (*diff) return diff_command(wishes.before, wishes.after);
    if (*show) {
        wishes.show.machine.backends = kBackendWords.at(wishes.backend);
        return show_command(wishes.show);
    }
    if (*apply) {
        wishes.apply.machine.backends = kBackendWords.at(wishes.backend);
        return apply_command(wishes.apply);
    }
    if (*check)
        return run_measuring(wishes.check.measure, wishes, [&] { return check_command(wishes.check); });
    wishes.tune.rows = wishes.measure != "costs";
    wishes.tune.costs = wishes.measure != "rows";
    return run_measuring(wishes.tune.measure, wishes, [&] { return tune_command(wishes.tune); });
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        return fail(make_error(Status::OutOfMemory, "there is not enough memory"));
    } catch (const std::exception& exception) {
        return fail(make_error(Status::Internal, exception.what()));
    }
}

}  // namespace tegu::tune
