// SPDX-License-Identifier: Apache-2.0
// Fuzzes what is said on a command line. The first byte chooses: the options of tegud, the kinds of options
// that tegu has, lists of numbers, a range, the order of words; the rest are the words, one a line. Checked:
// a wrong line ends with a usage error that says something; a value taken is within what was asked for.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "daemon/options.h"
#include "tests/fuzz.h"
#include "tools/tegu/arguments.h"
#include "tools/tegu/command_line.h"
#include "tools/tegu/output/words.h"

namespace {

using tegu::fuzz::require;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char c : text)
        if (c == '\n')
            lines.emplace_back();
        else if (c != '\0')  // which no argument can hold
            lines.back() += c;
    return lines;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<const char*> pointers{"program"};
    for (const std::string& word : words) pointers.push_back(word.c_str());
    return pointers;
}

void check_tegud(const std::vector<std::string>& words) {
    const std::vector<const char*> argv = pointers_to(words);
    const auto parsed = tegu::daemon::parse_options(static_cast<int>(argv.size()), argv.data());
    const auto* exit = std::get_if<tegu::daemon::EarlyExit>(&parsed);
    if (exit == nullptr) return;
    require(exit->code == 0 || exit->code == 64, "an exit code that is not said");
    require(!exit->text.empty(), "an end without a word");
}

void check_tegu(const std::vector<std::string>& words) {
    CLI::App app("fuzz", "tegu");
    tegu::cli::CommandLine line(app);
    std::uint64_t count = 5;
    double seconds = 1;
    bool flag = false;
    std::string word = "sum", text;
    line.count("-k,--count", count, "a count", 2, 1'000'000'000'000);
    line.seconds("--timeout", seconds, "a time", 0.5);
    line.word("--statistic", word, {"sum", "max"}, "a word");
    line.flag("--json", flag, "a flag");
    line.text("input", text, "FILE", "a text");
    line.need("--json", "--count");
    line.exclude("--timeout", "--json");
    const std::vector<const char*> argv = pointers_to(words);
    try {
        app.parse(static_cast<int>(argv.size()), argv.data());
    } catch (const CLI::ParseError& error) {
        require(error.get_exit_code() == 0 || error.what()[0] != '\0', "an error without a word");
        return;
    }
    require(count >= 2 && count <= 1'000'000'000'000, "a count out of its range");
    require(seconds >= 0.5 && seconds <= 1e6, "a time out of its range");
    require(word == "sum" || word == "max", "a word that is not in the list");
}

// No word gets lost, but those of a wish for help.
void check_arranged(const std::vector<std::string>& words) {
    const std::vector<std::string> result = tegu::cli::arranged(words);
    const bool help = !result.empty() && result.back() == "--help";
    require(help || result.size() == words.size(), "words came or went");
    for (const std::string& word : words)
        require(tegu::cli::suggestion(word, result).size() <= 60, "a long word is shown again");
}

void check_numbers(const std::string& words) {
    std::vector<double> numbers;
    if (tegu::cli::parse_numbers(words, numbers))
        require(numbers.size() == tegu::cli::split(words).size(), "not as many numbers as words");
    tegu::cli::Range range;
    if (tegu::cli::parse_range(words, range))
        require(tegu::cli::split(words).size() == 2, "a range of not two numbers");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text(data + 1, data + size);
    switch (data[0] % 4) {
        case 0: check_tegud(lines_of(text)); break;
        case 1: check_tegu(lines_of(text)); break;
        case 3: check_arranged(lines_of(text)); break;
        default: check_numbers(text.substr(0, text.find('\0'))); break;
    }
    return 0;
}
