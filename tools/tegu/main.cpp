// SPDX-License-Identifier: Apache-2.0
// tegu: the command. Runs the subcommand and converts its failure to a message and an exit code of
// sysexits(3).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "tools/tegu/arguments.h"
#include "tools/tegu/command.h"
#include "tools/tegu/session.h"
#include "tools/tegu/signals.h"

namespace tegu {
namespace cli {
namespace {

// The options of a command, as "--stats" and "-k".
std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

// The first word that looks like an option and is none; empty if there is no such word. The parser would
// first miss what is required.
std::string unknown_option(CLI::App& app, const std::vector<std::string>& words) {
    for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
        const std::string& word = words[i];
        if (word.size() < 2 || word[0] != '-') continue;
        const bool is_long = word[1] == '-';
        const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
        const CLI::Option* option = find_option(app, name);
        if (option == nullptr) return name;
        const bool has_value = is_long ? name.size() < word.size() : word.size() > 2;
        if (option->get_items_expected_max() > 0 && !has_value) ++i;
    }
    return {};
}

std::string see_help(const std::string& command) {
    return " (see tegu " + command + (command.empty() ? "" : " ") + "--help)";
}

// What the command line asks for: help and version are printed here, a mistake is a usage error.
int report_parse(const CLI::App& app, const std::string& command, const CLI::ParseError& error, bool json) {
    if (error.get_exit_code() != 0) {
        std::string message = error.what();
        if (message.find("(allowed: ") == std::string::npos) message += see_help(command);
        return report_error(command.c_str(), failure(kUsage, message), json);
    }
    const bool version = dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr;
    const std::string text = version ? std::string("tegu ") + tegu_version() + "\n" : app.help();
    const Expected<void> printed = print(text);
    return printed ? 0 : report_error("", printed.error(), false);
}

Error unknown_command(const std::string& word) {
    std::string words;
    std::vector<std::string> names = {"help"};
    for (const Command& command : commands()) {
        words += (words.empty() ? "" : " ") + std::string(command.name);
        names.emplace_back(command.name);
    }
    return failure(kUsage, "there is no command '" + word + "'" + suggestion(word, names), "command", words);
}

int run(const std::vector<std::string>& words) {
    CLI::App app("Reductions, order statistics, histograms and entropy of arrays, computed by tegud", "tegu");
    app.set_help_flag("-h,--help", "Print this help");
    app.set_version_flag("--version", tegu_version(), "Print the version");
    app.footer(
        "The last options are those of every command, before it or behind it.\n"
        "tegu help COMMAND, or tegu COMMAND --help, shows all options and an example.");
    CommonOptions common;
    CommandLine common_line(app);
    add_common_options(common_line, common, kControlTimeout);
    const std::vector<Command> all = commands();
    const std::string name = !words.empty() && words[0][0] != '-' ? words[0] : std::string();
    const Command* chosen = nullptr;
    CLI::App* chosen_app = nullptr;
    Action action;
    // Only the subcommand that is named declares its options: a command that takes microseconds should not
    // pay for the others.
    for (const Command& command : all) {
        CLI::App* sub = app.add_subcommand(command.name, command.sentence);
        if (name != command.name) continue;
        chosen = &command;
        chosen_app = sub;
        sub->set_help_flag("-h,--help", "Print this help");
        sub->footer(std::string("Example:\n  ") + command.example);
        CommandLine line(*sub);
        action = command.setup(line);
    }
    const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
    if (chosen == nullptr && !name.empty()) return report_error("", unknown_command(name), json);
    if (chosen != nullptr) {
        const std::string unknown = unknown_option(*chosen_app, words);
        if (!unknown.empty())
            return report_error(
                chosen->name,
                failure(kUsage, "there is no option " + unknown +
                                    suggestion(unknown, option_names(*chosen_app)) + see_help(name)),
                json);
    }
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
        return report_parse(app, name, error, json);
    }
    if (!action) return report_error("", failure(kUsage, "a command is missing; tegu help lists them"), json);
    const Expected<void> outcome = action();
    return outcome ? success_code() : report_error(chosen->name, outcome.error(), json);
}

}  // namespace
}  // namespace cli
}  // namespace tegu

int main(int argc, char** argv) {
    tegu::cli::install_signal_handlers();
    try {
        return tegu::cli::run(tegu::cli::arranged(std::vector<std::string>(argv + (argc > 0), argv + argc)));
    } catch (const std::bad_alloc&) {
        return tegu::cli::report_error(
            "", tegu::client::Error{TEGU_OUT_OF_MEMORY, 0, {}, {}, "out of memory"}, false);
    } catch (const std::exception& error) {
        return tegu::cli::report_error("", tegu::client::Error{TEGU_INTERNAL, 0, {}, {}, error.what()},
                                       false);
    }
}
