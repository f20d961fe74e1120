// SPDX-License-Identifier: Apache-2.0
// tegu: the command. Runs the subcommand and converts its failure to a message and an exit code of
// sysexits(3).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "tools/tegu/command.h"
#include "tools/tegu/session.h"
#include "tools/tegu/signals.h"

namespace tegu {
namespace cli {
namespace {

// What the command line asks for: help and version are printed here, a mistake is a usage error.
int report_parse(const CLI::App& app, const CLI::App* chosen, const CLI::ParseError& error, bool json) {
    const char* operation = chosen != nullptr ? chosen->get_name().c_str() : "";
    if (error.get_exit_code() != 0) {
        const std::string hint =
            std::string(" (see tegu ") + operation + (chosen != nullptr ? " " : "") + "--help)";
        return report_error(operation, failure(kUsage, error.what() + hint), json);
    }
    const bool version = dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr;
    const std::string text = version ? std::string("tegu ") + tegu_version() + "\n" : app.help();
    const Expected<void> printed = print(text);
    return printed ? 0 : report_error(operation, printed.error(), false);
}

Error unknown_command(const char* word) {
    std::string words;
    for (const Command& command : commands()) words += (words.empty() ? "" : " ") + std::string(command.name);
    return failure(kUsage, std::string("there is no command '") + word + "'", "command", words);
}

int run(int argc, char** argv) {
    CLI::App app("Reductions, order statistics, histograms and entropy of arrays, computed by tegud", "tegu");
    app.set_help_flag("-h,--help", "Print this help");
    app.set_version_flag("--version", tegu_version(), "Print the version");
    app.require_subcommand(1);
    app.footer("tegu COMMAND --help shows an example of each.");
    const std::vector<Command> all = commands();
    const Command* chosen = nullptr;
    Action action;
    // Only the subcommand that is named declares its options: a command that takes microseconds should not
    // pay for the others.
    for (const Command& command : all) {
        CLI::App* sub = app.add_subcommand(command.name, command.sentence);
        if (chosen != nullptr || argc < 2 || std::strcmp(argv[1], command.name) != 0) continue;
        chosen = &command;
        sub->set_help_flag("-h,--help", "Print this help");
        sub->footer(std::string("Example:\n  ") + command.example);
        CommandLine line(*sub);
        action = command.setup(line);
    }
    if (chosen == nullptr && argc > 1 && argv[1][0] != '-')
        return report_error("", unknown_command(argv[1]), false);
    const bool json =
        std::any_of(argv, argv + argc, [](const char* word) { return std::strcmp(word, "--json") == 0; });
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return report_parse(app, chosen != nullptr ? app.get_subcommand(chosen->name) : nullptr, error, json);
    }
    if (!action) return report_error("", failure(kUsage, "the command comes first (see tegu --help)"), json);
    const Expected<void> outcome = action();
    return outcome ? success_code() : report_error(chosen->name, outcome.error(), json);
}

}  // namespace
}  // namespace cli
}  // namespace tegu

int main(int argc, char** argv) {
    tegu::cli::install_signal_handlers();
    try {
        return tegu::cli::run(argc, argv);
    } catch (const std::bad_alloc&) {
        return tegu::cli::report_error(
            "", tegu::client::Error{TEGU_OUT_OF_MEMORY, 0, {}, {}, "out of memory"}, false);
    } catch (const std::exception& error) {
        return tegu::cli::report_error("", tegu::client::Error{TEGU_INTERNAL, 0, {}, {}, error.what()},
                                       false);
    }
}
