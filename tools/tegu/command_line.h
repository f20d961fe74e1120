// SPDX-License-Identifier: Apache-2.0
// The options of one subcommand, over CLI11. Only command_line.cpp and main.cpp include CLI11, because it
// compiles slowly. Targets hold their defaults and outlive the parsing; the parser checks words, except for
// values that only the daemon can check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tegu {
namespace cli {

// Null: the command has no option of that name. CLI11's own search ends the program if there is no memory.
CLI::Option* find_option(CLI::App& app, const std::string& name);

class CommandLine {
  public:
    // `app` is the subcommand, not owned.
    explicit CommandLine(CLI::App& app) : app_(&app) {}

    // `names`: "-c,--count"; a name without dashes is a positional.
    void flag(const std::string& names, bool& target, const std::string& help);
    void text(const std::string& names, std::string& target, const char* type, const std::string& help);
    void word(const std::string& names, std::string& target, const std::vector<std::string>& words,
              const std::string& help);
    // Digits alone, in [min, max]. `allowed`: what an error names; empty: that range.
    void count(const std::string& names, std::uint64_t& target, const std::string& help,
               std::uint64_t min = 0, std::uint64_t max = UINT64_MAX, const std::string& allowed = {});
    // In [min, 1e6].
    void seconds(const std::string& names, double& target, const std::string& help, double min);
    // Relations of options that were added before.
    void require(const std::string& name);
    void need(const std::string& name, const std::string& other);
    void exclude(const std::string& name, const std::string& other);

  private:
    CLI::App* app_;
};

}  // namespace cli
}  // namespace tegu
