// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

constexpr double kMaxSeconds = 1e6;

// The text of --help in lines that leave the columns of the options and 80 in all.
std::string wrapped(const std::string& help) {
    constexpr std::size_t kColumns = 50;
    std::string text, line;
    for (std::size_t begin = 0; begin < help.size();) {
        const std::size_t end = std::min(help.find(' ', begin), help.size());
        const std::string word = help.substr(begin, end - begin);
        if (!line.empty() && line.size() + 1 + word.size() > kColumns) {
            text += line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
        begin = end + 1;
    }
    return text + line;
}

// What stands behind the name of the option, as in usage_error().
std::string refusal(const std::string& word, const std::string& allowed) {
    return "cannot use '" + word + "' (allowed: " + allowed + ")";
}

// The error if `word` is not a count in [min, max], or empty. CLI11 would accept -1 as a very large
// number.
std::string check_count(const std::string& word, std::uint64_t min, std::uint64_t max,
                        const std::string& allowed) {
    const bool digits = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    errno = 0;
    const unsigned long long value = digits ? std::strtoull(word.c_str(), nullptr, 10) : 0;
    if (digits && errno == 0 && value >= min && value <= max) return {};
    if (!allowed.empty()) return refusal(word, allowed);
    const std::string from = "whole numbers from " + std::to_string(min);
    return refusal(word, max == UINT64_MAX ? from : from + " to " + std::to_string(max));
}

}  // namespace

CLI::Option* find_option(CLI::App& app, const std::string& name) {
    for (CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
        if (option->check_name(name)) return option;
    return nullptr;
}

void CommandLine::flag(const std::string& names, bool& target, const std::string& help) {
    app_->add_flag(names, target, wrapped(help));
}

void CommandLine::text(const std::string& names, std::string& target, const char* type,
                       const std::string& help) {
    app_->add_option(names, target, wrapped(help))->type_name(type);
}

void CommandLine::word(const std::string& names, std::string& target, const std::vector<std::string>& words,
                       const std::string& help) {
    const auto check = [words](const std::string& word) -> std::string {
        if (std::find(words.begin(), words.end(), word) != words.end()) return {};
        std::string allowed;
        for (const std::string& one : words) allowed += (allowed.empty() ? "" : " ") + one;
        return refusal(word, allowed);
    };
    app_->add_option(names, target, wrapped(help))->type_name("WORD")->check(CLI::Validator(check, ""));
}

void CommandLine::count(const std::string& names, std::uint64_t& target, const std::string& help,
                        std::uint64_t min, std::uint64_t max, const std::string& allowed) {
    const auto check = [=](const std::string& word) { return check_count(word, min, max, allowed); };
    app_->add_option(names, target, wrapped(help))->type_name("N")->check(CLI::Validator(check, ""));
}

void CommandLine::seconds(const std::string& names, double& target, const std::string& help, double min) {
    const auto check = [min](const std::string& word) -> std::string {
        char* end = nullptr;
        const double value = std::strtod(word.c_str(), &end);
        if (end != word.c_str() && *end == '\0' && value >= min && value <= kMaxSeconds) return {};
        return refusal(word, "seconds from " + number_text(min) + " to " + number_text(kMaxSeconds));
    };
    app_->add_option(names, target, wrapped(help))->type_name("SECONDS")->check(CLI::Validator(check, ""));
}

void CommandLine::require(const std::string& name) {
    find_option(*app_, name)->required();
}

void CommandLine::need(const std::string& name, const std::string& other) {
    find_option(*app_, name)->needs(find_option(*app_, other));
}

void CommandLine::exclude(const std::string& name, const std::string& other) {
    find_option(*app_, name)->excludes(find_option(*app_, other));
}

}  // namespace cli
}  // namespace tegu
